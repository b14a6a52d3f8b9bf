# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.backends`: the mapping of targets."""

from __future__ import annotations

from typing import Any

from . import compiler, driver

backends: dict[str, Any] = {}

__all__ = ["backends", "compiler", "driver"]
