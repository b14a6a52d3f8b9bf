# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An array with another element type, such as uint16 data that is bfloat16."""

from __future__ import annotations

from typing import Any

from .language import _types as lang


class TensorWrapper:
    """`base` read as elements of `dtype`, which are as wide as those of `base`."""

    __kiln_reinterpret__ = True

    def __init__(self, base: Any, dtype: lang.dtype) -> None:
        self.base, self.dtype = base, dtype
        self.shape = base.shape
        self.data = getattr(base, "data", None)
        self.device = getattr(base, "device", "cpu")

    def data_ptr(self) -> int:
        if hasattr(self.base, "data_ptr"):
            return self.base.data_ptr()
        return self.base.__array_interface__["data"][0]

    def stride(self, *args: Any) -> Any:
        return self.base.stride(*args)

    def element_size(self) -> int:
        return max(1, self.dtype.itemsize)

    def numel(self) -> int:
        return self.base.numel() if hasattr(self.base, "numel") else self.base.size

    def __repr__(self) -> str:
        return f"TensorWrapper[{self.dtype}]({self.base})"


class MockTensor:
    """Stands for a tensor of `dtype` in `warmup`."""

    def __init__(self, dtype: Any, shape: Any = (1,)) -> None:
        self.dtype, self.shape = dtype, shape

    @staticmethod
    def wrap_dtype(arg: Any) -> Any:
        return MockTensor(arg) if isinstance(arg, lang.dtype) else arg

    @staticmethod
    def data_ptr() -> int:
        return 0


def reinterpret(tensor: Any, dtype: Any) -> Any:
    """`tensor` with its elements read as `dtype`. TypeError if the widths differ."""
    if isinstance(tensor, TensorWrapper):
        tensor = tensor.base
    if not isinstance(dtype, lang.dtype):
        raise TypeError(f"reinterpret: found {dtype!r}, expected an element type of kiln.language")
    width = _element_bytes(tensor)
    if width is not None and width != max(1, dtype.itemsize):
        raise TypeError(
            f"reinterpret: elements of {width} bytes cannot be read as {dtype}, which has "
            f"{max(1, dtype.itemsize)}"
        )
    return TensorWrapper(tensor, dtype)


def _element_bytes(tensor: Any) -> int | None:
    if hasattr(tensor, "itemsize"):
        return tensor.itemsize
    if hasattr(tensor, "element_size"):
        return tensor.element_size()
    if not hasattr(tensor, "data_ptr"):
        raise TypeError(f"reinterpret: found a {type(tensor).__name__}, expected an array")
    return None
