# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.runtime._async_compile`: kernels compile when they are launched."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

active_mode: ContextVar[Any] = ContextVar("active_mode", default=None)
