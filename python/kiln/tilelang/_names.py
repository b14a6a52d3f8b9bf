# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of the language as objects. Which ones exist, and what they mean, the compiler knows."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ..errors import KilnError
from ..language._types import Name
from ._symbols import Symbolic, combine


class KernelName(Name):
    """A name that means something only inside a kernel, and the names under it (`T.tile.add`)."""

    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise KilnError(f"{self.kiln_name} can be used only inside a @T.prim_func")

    def __getattr__(self, name: str) -> KernelName:
        if name.startswith("__"):
            raise AttributeError(name)
        return KernelName(f"{self.kiln_name}.{name}")

    def __reduce__(self) -> tuple[Any, ...]:
        return (KernelName, (self.kiln_name,))


class HostName(Name):
    """A name that also computes on the host."""

    __slots__ = ("_function",)

    def __init__(self, kiln_name: str, function: Callable[..., Any]) -> None:
        super().__init__(kiln_name)
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)


def host_operator(kiln_name: str, op: str) -> HostName:
    """An operator on extents; numbers give a number."""
    integers_only = op not in ("min", "max")

    def compute(a: Any, b: Any) -> Any:
        for operand in (a, b):
            if isinstance(operand, Symbolic) or (isinstance(operand, float) and not integers_only):
                continue
            try:
                operator.index(operand)
            except TypeError:
                expected = "an integer or an extent" if integers_only else "a number or an extent"
                raise TypeError(f"{kiln_name}: found {operand!r}, expected {expected}") from None
        return combine(op, a, b)

    compute.__qualname__ = kiln_name  # in what Python says of a wrong number of arguments
    return HostName(kiln_name, compute)
