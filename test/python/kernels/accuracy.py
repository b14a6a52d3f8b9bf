"""Tolerances and poisoned outputs for the kernel table.

A result passes if |error| <= c * eps(dtype) * sqrt(length) * S + smallest normal: `length` is the
number of terms reduced into one result, S the larger of the largest |reference| in the row and the
float64 sum of |terms|. References are computed in float64 from the rounded inputs. Integers are
exact.
"""

import ml_dtypes
import numpy as np

DTYPES = {
    "f64": np.dtype(np.float64),
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    **{f"i{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)},
    **{f"u{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)},
}
FLOATS = ("f64", "f32", "f16", "bf16")
INTEGERS = tuple(name for name in DTYPES if name not in FLOATS)


def random_array(rng, shape, dtype):
    """Standard normal, or for integers every bit pattern, rounded to the dtype."""
    dtype = DTYPES[dtype]
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
    return rng.standard_normal(shape).astype(dtype)


class PoisonedOutput:
    """An array of NaN (integers: a sentinel) between two zones of canaries."""

    ZONE = 256

    def __init__(self, shape, dtype):
        dtype = DTYPES[dtype]
        size = int(np.prod(shape))
        self._all = np.empty(size + 2 * self.ZONE, dtype)
        self._all.view(np.uint8)[:] = 0xA5
        self._canaries = self._all[: self.ZONE].copy()
        self.array = self._all[self.ZONE : self.ZONE + size].reshape(shape)
        if dtype.kind not in "iu":
            self.array[...] = np.nan

    def check_canaries(self):
        expected = self._canaries.tobytes()
        assert self._all[: self.ZONE].tobytes() == expected, "wrote before the output"
        assert self._all[-self.ZONE :].tobytes() == expected, "wrote past the output"


def error_scale(result, reference, length, scale):
    """The smallest c with which the result passes; 0 for an exact one."""
    info = ml_dtypes.finfo(result.dtype)
    wide = result.astype(np.float64)
    assert not np.isnan(wide).any(), "an output element was never written, or is NaN"
    error = np.abs(wide - reference)
    excess = np.maximum(error - float(info.smallest_normal), 0.0)
    unit = float(info.eps) * np.sqrt(length) * scale
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.max(np.where(excess > 0, excess / unit, 0.0)))
