"""Runs one kernel of the table on the current device and judges what it wrote."""

import numpy as np
from accuracy import PoisonedOutput, error_scale

LENGTHS = (1, 7, 127, 1000, 1023, 4097)
ROWS = {1: 3, 7: 5, 127: 7, 1000: 3, 1023: 2, 4097: 2}


def inputs_of(kernel, dtype, length):
    rng = np.random.default_rng([length, len(kernel.name)])
    return kernel.inputs(rng, (ROWS[length], length), dtype)


def run(kernel, dtype, inputs):
    """The array that the kernel wrote; nothing else may have been written."""
    before = [array.copy() for array in inputs]
    out = PoisonedOutput(inputs[0].shape, dtype)
    kernel.launch(*inputs, out=out.array)
    out.check_canaries()
    for array, copy in zip(inputs, before, strict=True):
        assert array.tobytes() == copy.tobytes(), "an input was written"
    return out.array


def judge(kernel, inputs, result):
    """The c with which a result passes; None for integers, which are exact."""
    reference, scale = kernel.reference(*inputs)
    if result.dtype.kind in "iu":
        np.testing.assert_array_equal(result, reference)
        return None
    c = error_scale(result, reference, result.shape[-1] if kernel.reduces else 1, scale)
    assert c <= kernel.c
    return c
