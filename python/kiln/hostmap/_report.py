# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who asks, and what is said about it once."""

from __future__ import annotations

import sys
from collections.abc import Callable

from .. import _native

_say: Callable[[str], None] | None = None


def say_with(say: Callable[[str], None]) -> None:
    """Sets who gets the sentence."""
    global _say
    _say = say


def mapped(name: str) -> None:
    """Says, the first time, that the device `name` of the file is mapped."""
    global _say
    say, _say = _say, None
    if say is not None:
        device = _native.current_device()
        say(f"device '{name}' of this file means CPU tensors; kernels run on {device}")


def asked_by_torch(depth: int) -> bool:
    """Whether the caller `depth` frames above this call's is PyTorch itself. It keeps getting the
    truth: with a device that is not there it would go and look for it."""
    name = sys._getframe(depth + 1).f_globals.get("__name__") or ""
    return name == "torch" or name.startswith("torch.")
