# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that a process keeps: one for each set of arguments of a @tilelang.jit function.

What is compiled lies in Kiln's own cache beside them (`kiln cache`), whose keys cover everything
that code depends on: it needs no clearing, and these functions leave it alone.
"""

from __future__ import annotations

import weakref
from typing import Any

_enabled = True
_memos: weakref.WeakSet[Memo] = weakref.WeakSet()


class Memo:
    """Kernels by the arguments they were made for."""

    def __init__(self) -> None:
        self._kernels: dict[Any, Any] = {}
        _memos.add(self)

    def get(self, key: Any) -> Any:
        return self._kernels.get(key) if _enabled else None

    def keep(self, key: Any, kernel: Any) -> Any:
        if _enabled:
            self._kernels[key] = kernel
        return kernel

    def clear(self) -> None:
        self._kernels.clear()


def clear_cache() -> None:
    """Forgets the kernels made so far: the next calls make new ones."""
    for memo in _memos:
        memo.clear()


def disable_cache() -> None:
    """From now on, every call of a @tilelang.jit function makes a new kernel."""
    global _enabled
    _enabled = False


def enable_cache() -> None:
    """Ends `disable_cache`."""
    global _enabled
    _enabled = True
