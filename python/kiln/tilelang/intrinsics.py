# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilelang.intrinsics`: layouts, names that kernels use."""

from __future__ import annotations

from typing import Any

from ._names import KernelName

__kiln_name__ = "T"


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return KernelName(f"T.{name}")
