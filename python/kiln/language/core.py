# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tl.core`: every name of `tl`, and the few that only `core` has."""

from __future__ import annotations

from typing import Any

from .. import language as _language
from . import _names
from ._types import Name

__kiln_name__ = "tl.core"

globals().update({name: Name(f"tl.core.{name}") for name in _names.CORE})


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_language, name)
