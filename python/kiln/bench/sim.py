# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Suite `sim`: how fast the simulator is, in cycles of the whole chip per second of one host core.

`value` counts kernel and write-back; a launch includes what Python does for it. The functional row
has the checker on, as launches have by default; its rival is the same run without checker, and
`checker_times` says how many times as long it takes with it.
"""

from collections.abc import Callable, Iterator

from kiln.bench import modelled
from kiln.bench.measure import medians
from kiln.bench.modelled import CHIP, Problem
from kiln.bench.row import Row

SIZE = 64 << 20
FUNCTIONAL, TIMING_ONLY = "functional_vector_add_64MiB", "timing_only_vector_add_64MiB"


def _run(problem: Problem, **settings: object) -> Callable[[], object]:
    return lambda: modelled.launch(problem, **settings)


def _row(name: str, problem: Problem, cycles: float, seconds: float) -> Row:
    return Row(
        "sim",
        name,
        CHIP,
        "f32",
        "x".join(map(str, problem.shape)),
        cycles / seconds,
        "cyc/s",
        extra={"seconds": seconds, "chip_cycles": cycles},
    )


def _functional(problem: Problem, cycles: float, runs: int) -> Row:
    contenders = {
        "check": _run(problem, mode="functional_timed"),
        "no_check": _run(problem, mode="functional_timed", check=False),
    }
    seconds = medians(contenders, runs)
    row = _row(FUNCTIONAL, problem, cycles, seconds["check"])
    row.rival, row.rival_value = "no checker", cycles / seconds["no_check"]
    row.ratio = seconds["no_check"] / seconds["check"]
    row.extra["checker_times"] = seconds["check"] / seconds["no_check"]
    return row


def rows(wanted: Callable[[str], bool], quick: bool) -> Iterator[Row]:
    runs = 3 if quick else 9
    chosen = [name for name in (FUNCTIONAL, TIMING_ONLY) if wanted(name)]
    if not chosen:
        return
    problem = modelled.vector_add(SIZE)
    report = modelled.launch(problem)
    cycles = report["kernel_cycles"] + report["write_back_cycles"]
    if FUNCTIONAL in chosen:
        yield _functional(problem, cycles, runs)
    if TIMING_ONLY in chosen:
        seconds = medians({"timing": _run(problem)}, runs)["timing"]
        yield _row(TIMING_ONLY, problem, cycles, seconds)
