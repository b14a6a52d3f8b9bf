# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tl.extra.libdevice`: the wider set of elementwise functions, as markers."""

from __future__ import annotations

from .. import _names
from .._types import Name

__kiln_name__ = "tl.extra.libdevice"

globals().update({name: Name(f"tl.extra.libdevice.{name}") for name in _names.LIBDEVICE})
