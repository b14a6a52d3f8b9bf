# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilelang.utils.tensor`: which arguments a profiler makes."""

from __future__ import annotations

from enum import Enum, auto


class TensorSupplyType(Enum):
    """The contents of the arrays that `kernel.get_profiler` calls a kernel with."""

    Integer = auto()
    Uniform = auto()
    Normal = auto()
    Randn = auto()
    Zero = auto()
    One = auto()
    Auto = auto()
