# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.backends.compiler`."""

from __future__ import annotations

from typing import NamedTuple


class GPUTarget(NamedTuple):
    """A target: "cpu", its architecture, lanes of a warp."""

    backend: str
    arch: int | str
    warp_size: int
