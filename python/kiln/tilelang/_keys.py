# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of a call as a key."""

from __future__ import annotations

from typing import Any

from ._dtypes import dtype
from ._symbols import Symbolic


def key_of(value: Any) -> Any:
    """`value` as a key: extents by their names, lists as tuples, 1 apart from True and 1.0."""
    if type(value) in (int, str, bool, float, dtype):
        return (type(value), value)
    if isinstance(value, Symbolic):
        return (Symbolic, value._key())
    if isinstance(value, (tuple, list)):
        return (type(value), *map(key_of, value))
    if isinstance(value, dict):
        return (dict, *((k, key_of(v)) for k, v in value.items()))
    return (type(value), value)
