# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.compiler.compiler`."""

from __future__ import annotations

from ...kernel import CompiledKernel
from .. import _pending

ASTSource = _pending.function("triton.compiler.ASTSource")
IRSource = _pending.function("triton.compiler.IRSource")
make_backend = _pending.function("triton.compiler.make_backend")
compile = _pending.function("triton.compiler.compile")

__all__ = ["ASTSource", "CompiledKernel", "IRSource", "compile", "make_backend"]
