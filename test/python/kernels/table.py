"""The kernel x dtype table: which demo kernel is tested on which dtypes, and against what.

`inputs(rng, shape, dtype)` makes the arguments, `launch(*inputs, out=...)` runs the kernel,
`reference(*inputs)` gives (float64 result, S). `c` is the largest factor that passes: 4 for
arithmetic, 16 where exp, log or sqrt enter.
"""

import importlib.util
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from accuracy import FLOATS, INTEGERS, random_array

import kiln

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "triton"
# Scalars reach a kernel as f32: values that f32 holds are the same number for the reference.
EPS = 2.0**-17
KEEP_PROBABILITY = 0.5


def example(name):
    """The module examples/triton/NAME.py, whose `import triton` is Kiln's."""
    kiln.install_aliases()
    spec = importlib.util.spec_from_file_location(f"kiln_example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Kernel:
    name: str
    dtypes: tuple[str, ...]
    c: float
    inputs: Callable
    launch: Callable
    reference: Callable
    reduces: bool = False  # one result from a whole row


def wide(array):
    return array.astype(np.float64)


def row_largest(values):
    return np.abs(values).max(axis=-1, keepdims=True)


def add_reference(x, y):
    if x.dtype.kind in "iu":
        return x + y, None
    return wide(x) + wide(y), np.abs(wide(x)) + np.abs(wide(y))


def softmax_reference(x):
    numerator = np.exp(wide(x) - wide(x).max(axis=1, keepdims=True))
    result = numerator / numerator.sum(axis=1, keepdims=True)
    return result, row_largest(result)


def layer_norm_reference(x, weight, bias):
    x, weight, bias = wide(x), wide(weight), wide(bias)
    centred = x - x.mean(axis=1, keepdims=True)
    normed = centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + EPS)
    terms = np.abs(normed * weight) + np.abs(bias)
    return normed * weight + bias, row_largest(terms)


def rms_norm_reference(x, weight):
    x, weight = wide(x), wide(weight)
    result = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + EPS) * weight
    return result, row_largest(result)


def chain_reference(form):
    def reference(x, bias, keep, residual):
        v = wide(x) + wide(bias)
        if form == "tanh":
            gelu = 0.5 * v * (1 + np.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))
        else:
            gelu = 0.5 * v * (1 + np.vectorize(math.erf)(v / math.sqrt(2)))
        dropped = np.where(keep != 0, gelu / KEEP_PROBABILITY, 0.0)
        return dropped + wide(residual), np.abs(dropped) + np.abs(wide(residual)) + np.abs(v)

    return reference


def chain_inputs(rng, shape, dtype):
    x, residual = (random_array(rng, shape, dtype) for _ in range(2))
    keep = (rng.random(shape) < KEEP_PROBABILITY).astype(np.int8)
    return x, random_array(rng, shape[1:], dtype), keep, residual


def chain_launch(form):
    launch = example("fused_elementwise").fused_elementwise
    return lambda *inputs, out: launch(*inputs, 1 - KEEP_PROBABILITY, form, out=out)


def table():
    layer_norm = example("layer_norm").layer_norm
    rms_norm = example("rms_norm").rms_norm
    return [
        Kernel(
            "vector_add",
            FLOATS + INTEGERS,
            4,
            lambda rng, shape, dtype: tuple(random_array(rng, shape, dtype) for _ in range(2)),
            example("vector_add").vector_add,
            add_reference,
        ),
        Kernel(
            "softmax",
            FLOATS,
            16,
            lambda rng, shape, dtype: (random_array(rng, shape, dtype),),
            example("softmax").softmax,
            softmax_reference,
            reduces=True,
        ),
        Kernel(
            "layer_norm",
            FLOATS,
            16,
            lambda rng, shape, dtype: (
                random_array(rng, shape, dtype),
                random_array(rng, shape[1:], dtype),
                random_array(rng, shape[1:], dtype),
            ),
            lambda *inputs, out: layer_norm(*inputs, eps=EPS, out=out),
            layer_norm_reference,
            reduces=True,
        ),
        Kernel(
            "rms_norm",
            FLOATS,
            16,
            lambda rng, shape, dtype: (
                random_array(rng, shape, dtype),
                random_array(rng, shape[1:], dtype),
            ),
            lambda *inputs, out: rms_norm(*inputs, eps=EPS, out=out),
            rms_norm_reference,
            reduces=True,
        ),
        *(
            Kernel(
                f"fused_elementwise_{form}",
                FLOATS,
                16,
                chain_inputs,
                chain_launch(form),
                chain_reference(form),
            )
            for form in ("none", "tanh")
        ),
    ]
