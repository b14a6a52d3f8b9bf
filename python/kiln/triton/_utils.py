# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small functions of Triton's host API."""

from __future__ import annotations

from typing import Any

from ..jit import constexpr_function
from ..language import _names, dtype

__kiln_name__ = "triton._utils"


@constexpr_function
def cdiv(x: int, y: int) -> int:
    """x / y, rounded up; for positive y."""
    return (x + y - 1) // y


@constexpr_function
def next_power_of_2(n: int) -> int:
    """The smallest power of two that is not less than n."""
    return 1 << (n - 1).bit_length() if n > 0 else 0


@constexpr_function
def is_power_of_two(x: int) -> bool:
    return x > 0 and x & (x - 1) == 0


def validate_block_shape(shape: list[Any]) -> int:
    """The number of elements of a block. TypeError for an extent that is no integer."""
    count = 1
    for axis, extent in enumerate(shape):
        extent = getattr(extent, "value", extent)
        if not isinstance(extent, int):
            raise TypeError(f"shape: found a {type(extent).__name__} along axis {axis}")
        count *= extent
    return count


def canonicalize_dtype(name: Any) -> str:
    """Triton's signature name ("fp32", "i8") of an element type's public name."""
    public = str(name).rpartition(".")[2]
    short = {"float": "fp", "bfloat": "bf", "uint": "u", "int": "i", "bool": "i1"}
    public = dtype(_names.SIGNATURE_NAMES.get(public, public)).name if public != "bool" else public
    for prefix, canonical in short.items():
        if public == "bool":
            return "i1"
        if public.startswith(prefix):
            return canonical + public[len(prefix) :]
    return public
