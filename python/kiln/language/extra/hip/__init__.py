# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tl.extra.hip`: names of another target; published files mention them."""

from __future__ import annotations

from ... import _names
from ..._types import Name
from . import libdevice

__kiln_name__ = "tl.extra.hip"
__all__ = [*_names.HIP, "libdevice"]

globals().update({name: Name(f"tl.extra.hip.{name}") for name in _names.HIP})
