# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tl.random`: the counter-based generators of `tl`."""

from __future__ import annotations

from typing import Any

from .. import language as _language

__kiln_name__ = "tl.random"


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_language, name)
