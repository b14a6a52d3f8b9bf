# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilelang.math`: arithmetic of launch sizes."""

from __future__ import annotations

from ..triton._utils import cdiv, next_power_of_2

__all__ = ["cdiv", "next_power_of_2"]
