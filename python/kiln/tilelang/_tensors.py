# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`T.Tensor(shape, dtype)`: what a parameter of a kernel is declared to be."""

from __future__ import annotations

import operator
from typing import Any

from .. import values
from ..language._types import Name
from ._dtypes import dtype
from ._symbols import Symbolic


class TensorType:
    """A dense row-major tensor: `shape` of integers and symbolic extents, and `dtype`."""

    def __init__(self, shape: Any, type_: Any = "float32") -> None:
        extents = shape if isinstance(shape, (tuple, list)) else (shape,)
        self.shape = tuple(_extent(e) for e in extents)
        self.dtype = dtype(type_)

    def __kiln_encode__(self, _: values.References) -> dict[str, Any]:
        return {"t": "opaque", "v": "T.Tensor(…)"}

    def to_json(self, refs: values.References) -> dict[str, Any]:
        """The member "tensor" of a captured parameter."""
        shape = [values.encode(e, refs) for e in self.shape]
        return {"dtype": values.encode(self.dtype, refs), "shape": shape}

    def __repr__(self) -> str:
        return f"T.Tensor({shape_text(self.shape)}, {str(self.dtype)!r})"


def _extent(value: Any) -> Any:
    if isinstance(value, Symbolic):
        return value
    try:
        extent = operator.index(value)
    except TypeError:
        found = type(value).__name__
        raise TypeError(f"T.Tensor: found an extent of type {found}, expected an integer") from None
    if extent < 0:
        raise ValueError(f"T.Tensor: found the extent {extent}, expected no negative number")
    return extent


def shape_text(shape: tuple[Any, ...]) -> str:
    return f"({', '.join(map(str, shape))}{',' * (len(shape) == 1)})"


class TensorName(Name):
    """The name `T.Tensor`: on the host it makes declarations."""

    __slots__ = ()

    def __call__(self, shape: Any, dtype: Any = "float32") -> TensorType:  # type: ignore[override]
        return TensorType(shape, dtype)

    def __getitem__(self, arguments: Any) -> TensorType:
        if isinstance(arguments, tuple) and len(arguments) == 2:
            return TensorType(*arguments)
        raise TypeError(f"{self.kiln_name}[…]: found {arguments!r}, expected a shape and a dtype")
