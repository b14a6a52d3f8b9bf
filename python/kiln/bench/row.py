# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A row of results, and how rows are printed."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field


@dataclass
class Row:
    """`bound_share`: the part of the bound that is reached; `ratio`: times the rival's speed.

    Both are fractions and higher is better, whatever the unit of `value`. What does not apply is
    None.
    """

    suite: str
    case: str
    device: str
    dtype: str | None
    shape: str | None
    value: float
    unit: str
    bound: float | None = None
    bound_share: float | None = None
    rival: str | None = None
    rival_value: float | None = None
    ratio: float | None = None
    modelled: bool = False
    extra: dict = field(default_factory=dict)

    def as_json(self) -> dict:
        row = asdict(self)
        return row | row.pop("extra")


def to_json(rows: Iterable[Row]) -> str:
    """An array of objects, one to a line."""
    return "[\n" + ",\n".join(json.dumps(row.as_json()) for row in rows) + "\n]"


def header() -> str:
    return (
        f"{'case':<44}{'value':>10} {'unit':<6}{'bound':>10}{'share':>8}  {'rival':<12}"
        f"{'value':>10}{'ratio':>8}"
    )


def to_line(row: Row) -> str:
    def number(value: float | None, form: str) -> str:
        return "-" if value is None else format(value, form)

    return (
        f"{row.case:<44}{row.value:>10.4g} {row.unit:<6}{number(row.bound, '.4g'):>10}"
        f"{number(row.bound_share, '.0%'):>8}  {row.rival or '-':<12}"
        f"{number(row.rival_value, '.4g'):>10}{number(row.ratio, '.2f'):>8}"
    )
