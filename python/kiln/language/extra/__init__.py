# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tl.extra`: functions beyond the core language."""

from __future__ import annotations

from . import cuda, hip, libdevice

__kiln_name__ = "tl.extra"
__all__ = ["cuda", "hip", "libdevice"]
