# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many programs a launch has: the member "grid" of a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import KilnError
from ._symbols import OPERATORS

_MOST_PROGRAMS = 2**31 - 1


def evaluate_grid(report: dict[str, Any], arguments: Sequence[Any], kernel: str) -> int:
    """The programs of a launch; `arguments` are those of the kernel, in order."""
    if "grid" not in report:
        raise KilnError(f"{kernel}: the compiler said of no T.Kernel(…) how many programs it has")

    def value(form: Any) -> int:
        if isinstance(form, int):
            return form
        if "arg" in form:
            return int(arguments[form["arg"]])
        return OPERATORS[form["op"]](*map(value, form["args"]))

    try:
        programs = value(report["grid"])
    except ZeroDivisionError:
        raise ValueError(f"{kernel}: the number of blocks divides by zero") from None
    if programs < 0:
        raise ValueError(f"{kernel}: found {programs} blocks, expected no negative number")
    if programs > _MOST_PROGRAMS:
        raise ValueError(f"{kernel}: found {programs} programs, expected at most {_MOST_PROGRAMS}")
    return programs
