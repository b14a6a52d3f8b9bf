# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types under TileLang's names: strings that kernels know as element types.

`T.float16` is the string "float16" with a few attributes, so that it serves wherever a file writes
the name itself.
"""

from __future__ import annotations

from typing import Any

from ..errors import KilnError

# TileLang's name, Kiln's name, bits. Kiln has no code for a type whose own name is empty.
_ELEMENT_TYPES = [
    ("bool", "i1", 1), ("int4", "", 4), ("float8_e4m3", "f8e4nv", 8), ("float8_e5m2", "f8e5", 8),
    ("float16", "f16", 16), ("bfloat16", "bf16", 16), ("float32", "f32", 32),
    ("float64", "f64", 64),
    *((f"int{n}", f"i{n}", n) for n in (8, 16, 32, 64)),
    *((f"uint{n}", f"u{n}", n) for n in (8, 16, 32, 64)),
]  # fmt: skip

_ALIASES = {
    "float": "float32", "double": "float64", "half": "float16", "int": "int32", "uint": "uint32",
    "long": "int64", "short": "int16", "float8_e4m3fn": "float8_e4m3", "e4m3_float8": "float8_e4m3",
    "e5m2_float8": "float8_e5m2", "fp16": "float16", "bf16": "bfloat16", "fp32": "float32",
    "int1": "bool", "bool_": "bool",
}  # fmt: skip
_ROWS = {row[0]: row for row in _ELEMENT_TYPES}
PUBLIC_NAMES = {row[1]: row[0] for row in _ELEMENT_TYPES if row[1]}


class dtype(str):  # noqa: N801 - the public name
    """An element type; equal to its name. ValueError for an unknown one."""

    __slots__ = ("bits", "kiln_name")

    bits: int
    kiln_name: str

    def __new__(cls, name: Any) -> dtype:
        text = _text(name)
        row = _ROWS.get(_ALIASES.get(text, text))
        if row is None:
            known = ", ".join(_ROWS)
            raise ValueError(f"unknown element type {text!r}, expected one of: {known}")
        self = super().__new__(cls, row[0])
        self.kiln_name, self.bits = row[1], row[2]
        return self

    @property
    def itemsize(self) -> int:
        return max(1, self.bits // 8)

    @property
    def bytes(self) -> int:
        return self.itemsize

    @property
    def lanes(self) -> int:
        return 1

    def as_torch(self) -> Any:
        import torch

        return getattr(torch, "float8_e4m3fn" if self == "float8_e4m3" else str(self))

    def __kiln_encode__(self, _: Any) -> dict[str, str]:
        form = {"t": "dtype", "v": self.kiln_name}
        return form if self.kiln_name else {"t": "str", "v": str(self)}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise KilnError(f"T.{self}(…) can be used only inside a @T.prim_func")

    def __repr__(self) -> str:
        return f"T.{str(self)}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (dtype, (str(self),))


def _text(name: Any) -> str:
    """The name of an element type of TileLang, PyTorch, NumPy or Python."""
    if isinstance(name, str):
        return str(name)
    if isinstance(name, type):
        return name.__name__  # int, float, bool, numpy.float16
    text = str(name)
    return text.removeprefix("torch.")


NAMES = tuple(_ROWS)
