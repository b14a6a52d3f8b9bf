# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.runtime`: what host code asks of the runtime."""

from __future__ import annotations

from ...errors import InterpreterError, OutOfResources
from . import _allocation, _async_compile, autotuner, build, cache, driver, errors, jit
from .autotuner import Autotuner, Heuristics
from .jit import JITFunction, KernelInterface, MockTensor, TensorWrapper, reinterpret

__kiln_name__ = "triton.runtime"
__all__ = [
    "Autotuner", "Heuristics", "InterpreterError", "JITFunction", "KernelInterface", "MockTensor",
    "OutOfResources", "TensorWrapper", "_allocation",
    "_async_compile", "autotuner", "build", "cache", "driver", "errors", "jit", "reinterpret",
]  # fmt: skip
