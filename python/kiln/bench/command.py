# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `kiln bench`."""

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module

from kiln.bench.native import BenchmarkError
from kiln.bench.row import Row, header, to_json, to_line

SUITES = {name: f"kiln.bench.{name}" for name in ("cpu", "npu", "sim", "compile", "launch")}
LATER = ("calibration", "ops", "tune", "gpu")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="kiln bench", description="Measure, side by side with rivals and bounds."
    )
    parser.add_argument("suite", help=f"one of {', '.join(SUITES)}")
    parser.add_argument("--json", action="store_true", help="an array of objects on stdout")
    parser.add_argument("--case", default="", metavar="REGEX", help="only the cases it matches")
    parser.add_argument("--quick", action="store_true", help="fewer runs: figures are rougher")
    return parser


def _rows(suite: str, case: str, quick: bool) -> Iterator[Row]:
    pattern = re.compile(case)
    module = import_module(SUITES[suite])
    wanted: Callable[[str], bool] = lambda name: pattern.search(name) is not None  # noqa: E731
    yield from module.rows(wanted, quick)


def main(argv: Sequence[str] | None = None) -> int:
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.suite in LATER:
        parser.error(f"suite '{arguments.suite}' is not there yet, expected {', '.join(SUITES)}")
    if arguments.suite not in SUITES:
        parser.error(f"unknown suite '{arguments.suite}', expected {', '.join(SUITES)}")
    try:
        re.compile(arguments.case)
    except re.error as error:
        parser.error(f"--case is no regular expression: {error}")
    rows = []
    try:
        if not arguments.json:
            print(header())
        for row in _rows(arguments.suite, arguments.case, arguments.quick):
            rows.append(row)
            line = to_line(row)
            # Progress goes to stderr where stdout is for a program.
            print(line, file=sys.stderr if arguments.json else sys.stdout, flush=True)
    except BenchmarkError as error:
        print(f"kiln bench: error: {error}", file=sys.stderr)
        return 1
    if not rows:
        parser.error(f"no case of suite '{arguments.suite}' matches '{arguments.case}'")
    if arguments.json:
        print(to_json(rows))
    return 0
