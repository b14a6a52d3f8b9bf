# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The host side of TileLang's API: `import kiln.tilelang as tilelang`."""

from __future__ import annotations

from ..triton import _pending
from . import autotuner, cache, intrinsics, language, math, profiler, utils
from ._dtypes import dtype as DataType  # noqa: N812 - the public name
from ._jit import compile, jit, lower
from ._kernel import Kernel as JITKernel
from ._pass_configs import PassConfigKey
from .autotuner import autotune
from .cache import disable_cache, enable_cache
from .math import cdiv, next_power_of_2
from .profiler import Profiler
from .utils import TensorSupplyType

__version__ = "0.1.15"  # of the API

par_compile = _pending.function("tilelang.par_compile")

__all__ = [
    "DataType", "JITKernel", "PassConfigKey", "Profiler", "TensorSupplyType", "autotune",
    "autotuner", "cache", "cdiv", "compile", "disable_cache", "enable_cache", "intrinsics", "jit",
    "language", "lower", "math", "next_power_of_2", "par_compile", "profiler", "utils",
]  # fmt: skip
