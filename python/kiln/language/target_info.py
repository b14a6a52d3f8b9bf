# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ruff: noqa: SIM905
"""`tl.target_info`: what a kernel may ask about its target."""

from __future__ import annotations

from ._types import Name

__kiln_name__ = "tl.target_info"

_NAMES = """
current_target is_cuda cuda_capability_geq is_hip is_hip_cdna3 is_hip_cdna4
""".split()

globals().update({name: Name(f"tl.target_info.{name}") for name in _NAMES})
