# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The host side of TileLang's API: `import kiln.tilelang as tilelang`."""

from __future__ import annotations

from . import language
from ._jit import compile, jit
from ._kernel import Kernel as JITKernel
from ._pass_configs import PassConfigKey

__kiln_name__ = "tilelang"
__version__ = "0.1.15"  # of the API

__all__ = ["JITKernel", "PassConfigKey", "compile", "jit", "language"]
