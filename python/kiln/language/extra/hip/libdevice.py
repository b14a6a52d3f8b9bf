# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of `tl.extra.libdevice`, where hip files look for them."""

from __future__ import annotations

from .. import libdevice as _libdevice

__kiln_name__ = "tl.extra.libdevice"

globals().update({k: v for k, v in vars(_libdevice).items() if not k.startswith("_")})
