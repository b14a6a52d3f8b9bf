# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ruff: noqa: SIM905
"""Compile-time values as JSON, in the one form that docs/design/compile-interface.md defines."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, Protocol

from .language import _types as lang

Json = dict[str, Any]

BUILTINS = frozenset(
    "range min max print len int float bool abs isinstance getattr hasattr tuple list "
    "enumerate zip reversed sum".split()
)


class References(Protocol):
    """Where values that JSON cannot hold are numbered: `jit` functions and host callables; and
    where symbolic extents are noted."""

    def function(self, function: Any) -> str: ...

    def plain(self, function: types.FunctionType) -> Any | None:
        """The `jit` function that a plain Python function is to its caller, or None."""
        ...

    def host(self, function: Callable[..., Any]) -> int: ...

    def module(self, module: types.ModuleType) -> Json: ...

    def symbol(self, symbol: Any) -> None: ...


def _float(value: float) -> str:
    return value.hex() if value - value == 0.0 else repr(value)


def encode(value: Any, refs: References) -> Json:
    """The JSON form of `value`; what has none is `opaque`, an error where the kernel uses it."""
    if value is None:
        return {"t": "none"}
    kind = type(value)
    if kind is bool:
        return {"t": "bool", "v": value}
    if kind is int:
        return {"t": "int", "v": str(value)}
    if kind is float:
        return {"t": "float", "v": _float(value)}
    if kind is str:
        return {"t": "str", "v": value}
    if isinstance(value, lang.constexpr):
        return {"t": "constexpr", "v": encode(value.value, refs)}
    if isinstance(value, lang.dtype):
        return value.to_json()
    if hasattr(kind, "__kiln_encode__"):  # values of one language, such as symbolic extents
        return value.__kiln_encode__(refs)
    name = canonical_name(value)
    if name is not None:
        return {"t": "lang", "v": name}
    if getattr(value, "__kiln_jit__", False):
        return {"t": "function", "v": refs.function(value)}
    if isinstance(value, tuple):
        form: Json = {"t": "tuple", "v": [encode(v, refs) for v in value]}
        if hasattr(value, "_fields"):
            form["names"] = list(value._fields)
        return form
    if isinstance(value, list):
        return {"t": "list", "v": [encode(v, refs) for v in value]}
    if isinstance(value, types.ModuleType):
        return refs.module(value)
    if isinstance(value, (bool, int, float, str)):  # subclasses, such as IntEnum
        base = next(b for b in (bool, int, float, str) if isinstance(value, b))
        return encode(base(value), refs)
    if kind.__module__ == "numpy" and hasattr(value, "item") and not getattr(value, "ndim", 1):
        return encode(value.item(), refs)
    if isinstance(value, (types.FunctionType, types.BuiltinFunctionType)) or hasattr(
        value, "__kiln_host__"
    ):
        builtin = getattr(value, "__module__", "") == "builtins"
        if builtin and value.__name__ in BUILTINS:
            return {"t": "builtin", "v": value.__name__}
        plain = refs.plain(value) if type(value) is types.FunctionType else None
        if plain is not None:
            return {"t": "function", "v": refs.function(plain)}
        return {"t": "host", "v": refs.host(value)}
    if isinstance(value, type) and value.__module__ == "builtins" and value.__name__ in BUILTINS:
        return {"t": "builtin", "v": value.__name__}
    return {"t": "opaque", "v": kind.__name__}


def canonical_name(value: Any) -> str | None:
    """The language name that `value` stands for ("tl.load", "tl.math"), or None."""
    if isinstance(value, lang.Name):
        return value.kiln_name
    if isinstance(value, (types.ModuleType, type)):
        return value.__dict__.get("__kiln_name__")
    return None


def decode(form: Json) -> Any:
    """The Python value of `form`; ValueError for a form that has none."""
    kind, value = form["t"], form.get("v")
    if kind == "none":
        return None
    if kind in ("bool", "str"):
        return value
    if kind == "int":
        return int(value)
    if kind == "float":
        return float.fromhex(value) if "0x" in value else float(value)
    if kind == "tuple":
        return tuple(decode(v) for v in value)
    if kind == "list":
        return [decode(v) for v in value]
    if kind == "constexpr":
        return lang.constexpr(decode(value))
    if kind in ("dtype", "type"):
        return lang.from_kiln_name(value)
    raise ValueError(f"a value of kind '{kind}' has no Python form")
