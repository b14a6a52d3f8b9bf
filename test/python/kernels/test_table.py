"""Every demo kernel on every dtype of the table, for shapes that are multiples of nothing."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from accuracy import PoisonedOutput, error_scale
from table import table

LENGTHS = (1, 7, 127, 1000, 1023, 4097)
ROWS = {1: 3, 7: 5, 127: 7, 1000: 3, 1023: 2, 4097: 2}
CASES = [
    pytest.param(kernel, dtype, length, id=f"{kernel.name}-{dtype}-{length}")
    for kernel in table()
    for dtype in kernel.dtypes
    for length in LENGTHS
]


@pytest.mark.parametrize(("kernel", "dtype", "length"), CASES)
def test_kernel(kernel, dtype, length, observe):
    rng = np.random.default_rng([length, len(kernel.name)])
    shape = (ROWS[length], length)
    inputs = kernel.inputs(rng, shape, dtype)
    before = [array.copy() for array in inputs]
    out = PoisonedOutput(shape, dtype)
    kernel.launch(*inputs, out=out.array)

    out.check_canaries()
    for array, copy in zip(inputs, before, strict=True):
        assert array.tobytes() == copy.tobytes(), "an input was written"
    reference, scale = kernel.reference(*inputs)
    if out.array.dtype.kind in "iu":
        np.testing.assert_array_equal(out.array, reference)
        return
    c = error_scale(out.array, reference, length if kernel.reduces else 1, scale)
    observe(kernel.name, dtype, c)
    assert c <= kernel.c
