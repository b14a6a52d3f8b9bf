# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Workspaces of kernels: those of the CPU need none."""

from __future__ import annotations

from typing import Any


class NullAllocator:
    """The allocator before `triton.set_allocator`."""

    def __call__(self, size: int, alignment: int, stream: int | None) -> Any:
        raise RuntimeError("a kernel asked for a workspace, but no allocator was set")


allocator: Any = NullAllocator()
