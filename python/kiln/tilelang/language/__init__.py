# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilelang.language`: the names that kernels use.

Declarations (`prim_func`, `macro`, `Tensor`, symbolic extents, element types) work on the host;
every other name is a marker that the compiler resolves, and that it refuses, with its place, if
there is no such name.
"""

from __future__ import annotations

from typing import Any

from .. import _dtypes
from .._declarations import const, empty
from .._dtypes import dtype
from .._names import HostName, KernelName, host_operator
from .._prim_func import macro, prim_func
from .._symbols import make_symbols
from .._tensors import TensorName

__kiln_name__ = "T"

globals().update({name: dtype(name) for name in _dtypes.NAMES})
half, double = dtype("float16"), dtype("float64")

Tensor, Buffer = TensorName("T.Tensor"), TensorName("T.Buffer")


def _extents(names: str, dtype: Any = "int32") -> Any:
    """An extent that stays open until the launch; "m, n" gives two."""
    return make_symbols(names, dtype)


symbolic = HostName("T.symbolic", _extents)
dynamic, dyn = HostName("T.dynamic", _extents), HostName("T.dyn", _extents)
const, empty = HostName("T.const", const), HostName("T.empty", empty)

ceildiv = host_operator("T.ceildiv", "ceildiv")
floordiv, floormod = host_operator("T.floordiv", "//"), host_operator("T.floormod", "%")
min, max = host_operator("T.min", "min"), host_operator("T.max", "max")  # noqa: A001

__all__ = ["Buffer", "Tensor", "dtype", "macro", "prim_func"]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return KernelName(f"T.{name}")
