#!/usr/bin/env python3
"""Derives the polynomials of kiln-cpu-expand-math and prints lib/Target/Cpu/Math/Coefficients.inc.

    pip install mpmath
    scripts/fit-math.py > lib/Target/Cpu/Math/Coefficients.inc

Each polynomial is close to the weighted minimax approximation of its function (Lawson's
iteration, 60 digits). Coefficients are rounded to the target format from the lowest order up;
after each rounding the rest is fitted again, so that later coefficients make up for the rounding
of earlier ones. The reached error stands beside each table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mpmath import mp, mpf

mp.dps = 60
Function = Callable[[mpf], mpf]
PRECISION = {"float": 24, "double": 53}


@dataclass
class Fit:
    """`target` ~ sum c_k x^powers[k] on [low, high]; the error counts times `weight`."""

    name: str
    target: Function
    low: mpf
    high: mpf
    powers: dict[str, Sequence[int]]
    weight: Function


def round_to(value: mpf, bits: int) -> mpf:
    mantissa, exponent = mp.frexp(value)
    return mp.ldexp(mp.nint(mp.ldexp(mantissa, bits)), exponent - bits)


def minimax(fit: Fit, powers: Sequence[int], target: Function) -> list[mpf]:
    """Lawson's iteration: weighted least squares whose weights grow where the error is large."""
    half, middle = (fit.high - fit.low) / 2, (fit.high + fit.low) / 2
    count, nodes = len(powers), 4 * len(powers) + 12
    points = [middle - half * mp.cos(mp.pi * (i + mpf(1) / 2) / nodes) for i in range(nodes)]
    scale = [fit.weight(x) for x in points]
    rows = [[x**p * w for p in powers] for x, w in zip(points, scale, strict=True)]
    right = [target(x) * w for x, w in zip(points, scale, strict=True)]
    emphasis = [mpf(1) / nodes] * nodes
    solution: list[mpf] = []
    for _ in range(12):
        matrix, vector = mp.matrix(count, count), mp.matrix(count, 1)
        for row, value, weight in zip(rows, right, emphasis, strict=True):
            for i in range(count):
                vector[i] += weight * row[i] * value
                for j in range(i + 1):
                    matrix[i, j] += weight * row[i] * row[j]
        for i in range(count):
            for j in range(i):
                matrix[j, i] = matrix[i, j]
        solution = list(mp.lu_solve(matrix, vector))
        errors = [
            abs(value - sum(c * r for c, r in zip(solution, row, strict=True)))
            for row, value in zip(rows, right, strict=True)
        ]
        emphasis = [weight * error for weight, error in zip(emphasis, errors, strict=True)]
        total = sum(emphasis)
        emphasis = [weight / total for weight in emphasis]
    return solution


def rounded(fit: Fit, kind: str) -> tuple[list[mpf], mpf]:
    powers = list(fit.powers[kind])
    fixed: list[mpf] = []
    while True:
        done = list(zip(fixed, powers, strict=False))

        def rest(x: mpf, known: list[tuple[mpf, int]] = done) -> mpf:
            return fit.target(x) - sum((c * x**p for c, p in known), mpf(0))

        if len(fixed) == len(powers):
            grid = [fit.low + (fit.high - fit.low) * i / 500 for i in range(501)]
            return fixed, max(abs(rest(x) * fit.weight(x)) for x in grid)
        values = minimax(fit, powers[len(fixed) :], rest)
        fixed.append(round_to(values[0], PRECISION[kind]))


def safe(function: Function, at_zero: mpf) -> Function:
    return lambda x: at_zero if abs(x) < mpf("1e-25") else function(x)


LN2 = mp.log(2)
ROOT = mp.sqrt(mpf("0.5"))
LOW, HIGH = ROOT - 1, 1 / ROOT - 1
QUARTER = mp.pi / 4 * mpf("1.0001")


def erf_tail(x: mpf) -> mpf:
    return -mp.log(mp.erfc(x))


FITS = [
    Fit(
        "Exp",
        lambda r: mp.exp(r) - 1 - r,
        -LN2 * 1.0002,
        LN2 * 1.0002,
        {"float": range(2, 8), "double": range(2, 14)},
        lambda r: mp.exp(-r),
    ),
    Fit(
        "Exp2",
        lambda r: mpf(2) ** r - 1,
        mpf(-1),
        mpf(1),
        {"float": range(1, 8), "double": range(1, 14)},
        lambda r: mpf(2) ** -r,
    ),
    Fit(
        "Expm1",
        lambda r: mp.expm1(r) - r,
        -LN2 / 2 * 1.0002,
        LN2 / 2 * 1.0002,
        {"float": range(2, 8), "double": range(2, 12)},
        safe(lambda r: abs(1 / mp.expm1(r)), mpf(10) ** 25),
    ),
    Fit(
        "Log",
        lambda f: mp.log1p(f) - f,
        LOW,
        HIGH,
        {"float": range(2, 11), "double": range(2, 22)},
        safe(lambda f: abs(1 / mp.log1p(f)), mpf(10) ** 25),
    ),
    Fit(
        "Sin",
        lambda r: mp.sin(r) - r,
        mpf("1e-9"),
        QUARTER,
        {"float": range(3, 10, 2), "double": range(3, 16, 2)},
        lambda r: 1 / mp.sin(r),
    ),
    Fit(
        "Cos",
        lambda r: mp.cos(r) - 1 + r * r / 2,
        mpf("1e-9"),
        QUARTER,
        {"float": range(4, 9, 2), "double": range(4, 17, 2)},
        lambda r: 1 / mp.cos(r),
    ),
    Fit(
        "ErfCore",
        lambda x: mp.erf(x) - x,
        mpf("1e-9"),
        mpf(1),
        {"float": range(1, 14, 2), "double": range(1, 26, 2)},
        lambda x: 1 / mp.erf(x),
    ),
]
TAILS = [
    # 1 - exp(-g(x)): the error of g counts times erfc, and the largest x still differs from 1.
    (Fit("ErfTail", erf_tail, mpf(1), mpf("3.95"), {"float": range(8)}, mp.erfc), "float"),
    (Fit("ErfTail", erf_tail, mpf(1), mpf("6.0"), {"double": range(19)}, mp.erfc), "double"),
]


def show(name: str, kind: str, values: list[mpf], error: mpf) -> None:
    suffix = "F32" if kind == "float" else "F64"
    print(f"// error 2^{float(mp.log(error, 2)):.1f}")
    print(f"inline constexpr {kind} k{name}{suffix}[] = {{")
    for value in values:
        print(f"    {float(value).hex()}{'f' if kind == 'float' else ''},")
    print("};\n")


def main() -> None:
    print(
        "// Polynomials of kiln-cpu-expand-math, lowest order first; "
        "scripts/fit-math.py makes this file.\n"
    )
    for fit in FITS:
        for kind in PRECISION:
            show(fit.name, kind, *rounded(fit, kind))
    for fit, kind in TAILS:
        show(fit.name, kind, *rounded(fit, kind))


if __name__ == "__main__":
    main()
