# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.compiler`."""

from __future__ import annotations

from ...errors import CompilationError
from ...kernel import CompiledKernel
from . import errors
from .compiler import ASTSource, IRSource, make_backend

__all__ = [
    "ASTSource", "CompilationError", "CompiledKernel", "IRSource", "errors", "make_backend",
]  # fmt: skip
