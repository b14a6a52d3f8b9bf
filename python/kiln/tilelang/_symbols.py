# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Extents that are known at launch: symbols and expressions of them."""

from __future__ import annotations

import keyword
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from .. import values
from ..errors import KilnError
from ._dtypes import dtype


def _ceildiv(a: Any, b: Any) -> Any:
    return -(-a // b)


# The operators that a capture and the grid of a report have (docs/design/compile-interface.md).
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "ceildiv": _ceildiv,
    "min": min,
    "max": max,
}


class Comparison:
    """What comparing an extent gives: an answer that nobody has before the launch."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __bool__(self) -> NoReturn:
        raise KilnError(f"'{self._text}' is not known before the launch: an extent is symbolic")


class Symbolic:
    """An integer that is known at launch."""

    __slots__ = ()

    def _key(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def __hash__(self) -> int:
        return hash(self._key())

    def __eq__(self, other: object) -> Any:
        if isinstance(other, Symbolic) and other._key() == self._key():
            return True
        return Comparison(f"{self} == {other}") if _is_extent(other) else False

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return Comparison(f"{self} != {other}") if isinstance(same, Comparison) else not same

    def __bool__(self) -> NoReturn:
        raise KilnError(f"'{self}' is not known before the launch: the extent is symbolic")

    def __index__(self) -> NoReturn:
        raise KilnError(f"'{self}' is no number before the launch: the extent is symbolic")

    __int__ = __float__ = __index__

    def __truediv__(self, other: Any) -> NoReturn:
        raise KilnError(f"found '{self} / {other}' of a symbolic extent, expected '//'")

    __rtruediv__ = __truediv__

    def __neg__(self) -> Any:
        return 0 - self  # type: ignore[operator]


class Symbol(Symbolic):
    """An extent with a name. In one kernel, equal names are the same extent."""

    __slots__ = ("dtype", "name")

    def __init__(self, name: str, type_: Any = "int32") -> None:
        self.name, self.dtype = name, dtype(type_)
        if self.dtype.kiln_name not in ("i32", "i64"):
            raise ValueError(f"symbol '{name}': found dtype {self.dtype}, expected int32 or int64")

    def _key(self) -> tuple[Any, ...]:
        return ("symbol", self.name)

    def __kiln_encode__(self, refs: values.References) -> dict[str, Any]:
        refs.symbol(self)
        return {"t": "symbol", "v": self.name}

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"T.symbolic({self.name!r})"


class Expression(Symbolic):
    """An operator of `OPERATORS` on two extents."""

    __slots__ = ("args", "op")

    def __init__(self, op: str, *args: Any) -> None:
        self.op, self.args = op, args

    def _key(self) -> tuple[Any, ...]:
        keys = (a._key() if isinstance(a, Symbolic) else a for a in self.args)
        return (self.op, *keys)

    def __kiln_encode__(self, refs: values.References) -> dict[str, Any]:
        args = [values.encode(a, refs) for a in self.args]
        return {"t": "symbolic", "op": self.op, "args": args}

    def __str__(self) -> str:
        if self.op[0].isalpha():
            return f"{self.op}({self.args[0]}, {self.args[1]})"
        texts = (
            f"({a})" if isinstance(a, Expression) and not a.op[0].isalpha() else str(a)
            for a in self.args
        )
        return f" {self.op} ".join(texts)

    __repr__ = __str__


def _is_extent(value: Any) -> bool:
    return isinstance(value, (int, Symbolic)) and not isinstance(value, bool)


def combine(op: str, a: Any, b: Any) -> Any:
    """`a op b` on integers and extents."""
    if isinstance(a, Symbolic) or isinstance(b, Symbolic):
        return Expression(op, a, b)
    return OPERATORS[op](a, b)


def _add_operators() -> None:
    def binary(op: str, swapped: bool) -> Callable[[Any, Any], Any]:
        def method(self: Any, other: Any) -> Any:
            if not _is_extent(other):
                return NotImplemented
            return Expression(op, other, self) if swapped else Expression(op, self, other)

        return method

    def comparison(op: str) -> Callable[[Any, Any], Any]:
        def method(self: Any, other: Any) -> Any:
            return Comparison(f"{self} {op} {other}") if _is_extent(other) else NotImplemented

        return method

    for name, op in {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%"}.items():
        setattr(Symbolic, f"__{name}__", binary(op, False))
        setattr(Symbolic, f"__r{name}__", binary(op, True))
    for name, op in {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
        setattr(Symbolic, f"__{name}__", comparison(op))


_add_operators()


def symbols_of(value: Any) -> Iterator[Symbol]:
    """The symbols of an extent, left to right."""
    if isinstance(value, Symbol):
        yield value
    elif isinstance(value, Expression):
        for argument in value.args:
            yield from symbols_of(argument)


def evaluate(value: Any, known: Mapping[str, int]) -> Any:
    """An extent with the known symbols as numbers; KeyError names one that is missing."""
    if isinstance(value, Symbol):
        return known[value.name]
    if isinstance(value, Expression):
        return OPERATORS[value.op](*(evaluate(a, known) for a in value.args))
    return value


def split_names(names: str) -> list[str]:
    """ "m, n" and "m n" are two names. ValueError for what is no name."""
    if not isinstance(names, str):
        raise TypeError(f"extent: found {names!r}, expected a name")
    found = names.replace(",", " ").split()
    for name in found or [names]:
        if not name.isidentifier() or keyword.iskeyword(name):
            raise ValueError(f"extent: found {name!r}, expected a name")
    return found


def make_symbols(names: str, type_: Any = "int32") -> Any:
    """One symbol, or a tuple of them where `names` holds several names."""
    made = tuple(Symbol(name, type_) for name in split_names(names))
    return made[0] if len(made) == 1 else made
