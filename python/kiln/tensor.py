# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays in a device's memory."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import _native
from .language import _types as lang

if TYPE_CHECKING:
    import numpy as np

Shape = int | Iterable[int]
_FLOAT32 = lang.dtype("fp32")

# NumPy's names of element types; bfloat16 is ml_dtypes' where that is installed.
_NUMPY_NAMES = {
    "i1": "bool", "f16": "float16", "f32": "float32", "f64": "float64",
    **{f"i{n}": f"int{n}" for n in (8, 16, 32, 64)},
    **{f"u{n}": f"uint{n}" for n in (8, 16, 32, 64)},
}  # fmt: skip


class Tensor(_native.TensorBase):
    """A dense row-major array on a device.

    Its memory is freed by `free()` or with the object; later uses raise ValueError.
    """

    @property
    def dtype(self) -> lang.dtype:
        return lang.from_kiln_name(self._element)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return self.nbytes // max(1, self.dtype.itemsize or 1)

    def numel(self) -> int:
        return self.size

    def element_size(self) -> int:
        return max(1, self.dtype.itemsize)

    def stride(self) -> tuple[int, ...]:
        """Strides in elements."""
        strides, step = [], 1
        for extent in reversed(self.shape):
            strides.append(step)
            step *= extent
        return tuple(reversed(strides))

    def numpy(self) -> np.ndarray:
        """A copy on the host."""
        import numpy as np

        bytes_ = np.empty(self.nbytes, np.uint8)
        self._copy_to(bytes_)
        return bytes_.view(_numpy_dtype(self._element)).reshape(self.shape)

    def copy_(self, source: Any) -> Tensor:
        """Overwrites the tensor with a NumPy array of the same shape, converted to its type."""
        import numpy as np

        values = np.asarray(source, dtype=_numpy_dtype(self._element))
        if values.shape != self.shape:
            raise ValueError(f"copy_: found shape {values.shape}, expected {self.shape}")
        self._copy_from(np.ascontiguousarray(values).reshape(-1).view(np.uint8))
        return self

    def __repr__(self) -> str:
        return f"kiln.Tensor(shape={self.shape}, dtype={self.dtype}, device='{self.device}')"


def _numpy_dtype(element: str) -> Any:
    import numpy as np

    if element == "bf16":
        try:
            import ml_dtypes
        except ImportError:
            raise TypeError("bfloat16 on the host needs the package ml_dtypes") from None
        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(_NUMPY_NAMES[element])


def _extents(shape: Shape) -> list[int]:
    if isinstance(shape, Iterable):
        return [operator.index(extent) for extent in shape]
    return [operator.index(shape)]


def empty(shape: Shape, dtype: Any = _FLOAT32, device: str | None = None) -> Tensor:
    """A tensor with undefined contents; `dtype` is an element type of kiln.language or NumPy."""
    if not isinstance(dtype, lang.dtype):
        import numpy as np

        dtype = np.dtype(dtype)
    return Tensor(_extents(shape), dtype, device)


def zeros(shape: Shape, dtype: Any = _FLOAT32, device: str | None = None) -> Tensor:
    """A tensor of zeros."""
    tensor = empty(shape, dtype, device)
    tensor._copy_from(bytes(tensor.nbytes))
    return tensor


def from_numpy(array: np.ndarray, device: str | None = None) -> Tensor:
    """A copy of a NumPy array on a device."""
    tensor = Tensor(list(array.shape), array.dtype, device)
    return tensor.copy_(array)


def array(values: Any, dtype: Any = None, device: str | None = None) -> Tensor:
    """A tensor with the values that `numpy.array` would make of `values`."""
    import numpy as np

    if dtype is None:
        return from_numpy(np.asarray(values), device)
    host = np.asarray(values)
    return empty(host.shape, dtype, device).copy_(host)
