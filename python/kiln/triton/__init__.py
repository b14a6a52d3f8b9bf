# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The host side of Triton's API.

Names of the API that Kiln does not have yet can be imported and raise NotThereYetError when used.
"""

from __future__ import annotations

from typing import Any

from .. import language
from ..errors import CompilationError, InterpreterError, OutOfResources
from ..errors import KilnError as TritonError
from ..jit import JITFunction, KernelInterface, constexpr_function, jit
from ..reinterpret import MockTensor, TensorWrapper, reinterpret
from . import _pending, backends, compiler, knobs, runtime, testing, tools
from ._config import Config
from ._utils import cdiv, next_power_of_2
from .runtime.autotuner import autotune, heuristics

__kiln_name__ = "triton"
__version__ = "3.9.0"  # of the API

aggregate = _pending.function("triton.aggregate")
compile = _pending.function("triton.compile")
AsyncCompileMode = _pending.function("triton.AsyncCompileMode")
FutureKernel = _pending.function("triton.FutureKernel")


def must_use_result(fn: Any = None, *_: Any, **__: Any) -> Any:
    """Marks a function whose result should be used; Kiln does not check it."""
    return fn if callable(fn) else (lambda function: function)


def set_allocator(allocator: Any) -> None:
    """Where kernels would get workspaces from; those of the CPU need none."""
    runtime._allocation.allocator = allocator


__all__ = [
    "AsyncCompileMode", "CompilationError", "Config", "FutureKernel", "InterpreterError",
    "JITFunction", "KernelInterface", "MockTensor", "OutOfResources", "TensorWrapper",
    "TritonError", "aggregate", "autotune", "backends", "cdiv", "compile", "compiler",
    "constexpr_function", "heuristics", "jit", "knobs", "language", "must_use_result",
    "next_power_of_2", "reinterpret", "runtime", "set_allocator", "testing", "tools",
]  # fmt: skip
