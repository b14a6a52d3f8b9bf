# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.runtime.errors`."""

from __future__ import annotations

from ...errors import InterpreterError, OutOfResources
from ...errors import KilnError as TritonError

__all__ = ["InterpreterError", "OutOfResources", "TritonError"]
