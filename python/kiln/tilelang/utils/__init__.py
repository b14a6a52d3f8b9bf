# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilelang.utils`: what published files import of it."""

from __future__ import annotations

from .tensor import TensorSupplyType

__all__ = ["TensorSupplyType"]
