# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each flag and barrier of the expert examples is for: without it something is wrong.

Each is taken out of the program's text, alone and in pairs. The checker names every two accesses of
the same bytes that nothing orders, whatever the order of the run, so that without a finding all
that has to be ordered still is; then a second barrier has to stand beside the one that is gone.
"""

import collections
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kiln.tilelang as tilelang
import kiln.tilelang.language as T
from kiln.cli import sim

CHIP = "ascend910b"
EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "tilelang"
FLAG = re.compile(r"(set|wait)_flag (\w+) -> (\w+), (\S+)")


def assembly(file, arguments, *flags):
    command = [sys.executable, "-m", "kiln", "compile", str(file)]
    command += ["--args", arguments, "--device", CHIP, "--emit", "asm", *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def is_the_authors(line, source):
    """What the compiler puts between the programs of a core, and inside one call, is its own."""
    statement = source[int(line.rsplit(":", 2)[1]) - 1]
    return "_flag(" in statement or "barrier" in statement


def removals(lines, source):
    """(what, lines to take out): each barrier, each flag alone, each set with each wait for it."""
    flags = []
    for number, line in enumerate(lines):
        if "pipe_barrier" in line and is_the_authors(line, source):
            yield "barrier", [number]
        if (match := FLAG.search(line)) and is_the_authors(line, source):
            yield "flag", [number]
            flags.append((number, match[1], match.groups()[1:]))
    for number, kind, flag in flags:
        for other, other_kind, other_flag in flags:
            if (kind, other_kind, flag) == ("set", "wait", other_flag):
                yield "pair", [number, other]


def judge(lines, arguments, directory):
    """The kind of the first finding, which names a line of the kernel; None: there is none."""
    image = directory / "less.nasm"
    image.write_text("\n".join(lines) + "\n")
    command = [sim.tool(), image, *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode in (0, 1), done.stderr
    findings = json.loads(done.stdout)["findings"]
    if not findings:
        return None
    assert re.search(r"expert_\w+\.py:\d+:\d+", findings[0]["text"]), findings[0]
    return findings[0]["kind"]


def places(lines, numbers):
    return [lines[number].strip().replace(str(EXAMPLES), "") for number in numbers]


def barrier_is_doubled(lines, number):
    """Another barrier of the pipe follows or precedes, with nothing for the pipe in between: what
    comes after one comes after the other, so that the order between instructions is the same."""
    for step in (-1, 1):
        at = number + step
        while re.match(r"\s*%\w+ = ", lines[at]):
            at += step
        if "pipe_barrier" in lines[at]:
            return True
    return False


@pytest.mark.parametrize(
    ("name", "parameters", "shape", "grid", "scalars"),
    [
        ("expert_copy", "size=1000,piece=64,pieces=4", (1000,), 4, []),
        ("expert_softmax", "columns=100,block=128", (13, 100), 2, ["--arg", "13"]),
    ],
)
def test_nothing_can_be_left_out(name, parameters, shape, grid, scalars, tmp_path):
    lines = assembly(EXAMPLES / f"{name}.py", parameters)
    np.save(tmp_path / "x.npy", np.random.default_rng(3).standard_normal(shape).astype(np.float32))
    arguments = ["--arg", tmp_path / "x.npy", "--arg", f"zeros:f32:{np.prod(shape)}", *scalars]
    arguments = [str(argument) for argument in (*arguments, "--grid", grid)]
    assert judge(lines, arguments, tmp_path) is None
    counts = collections.Counter()
    source = (EXAMPLES / f"{name}.py").read_text().splitlines()
    for what, gone in removals(lines, source):
        left = [line for number, line in enumerate(lines) if number not in gone]
        verdict = judge(left, arguments, tmp_path)
        if verdict is None:
            assert what == "barrier" and barrier_is_doubled(lines, gone[0]), places(lines, gone)
        counts[what, verdict or "same order"] += 1
    print(
        f"\n{name}:",
        ", ".join(f"{n} x {what}: {verdict}" for (what, verdict), n in sorted(counts.items())),
    )
    assert counts["barrier", "race"] and counts["pair", "race"] and counts["flag", "deadlock"]


@tilelang.jit(out_idx=[-1])
def one_buffer(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(1):
            a = T.alloc_ub((64,), "float32")
            T.set_flag("mte3", "mte2", 0)
            for k in T.serial(T.ceildiv(n, 64)):
                T.wait_flag("mte3", "mte2", 0)
                T.copy(A[k * 64], a)
                T.set_flag("mte2", "mte3", 0)
                T.wait_flag("mte2", "mte3", 0)
                T.copy(a, B[k * 64])
                T.set_flag("mte3", "mte2", 0)
            T.wait_flag("mte3", "mte2", 0)

    return main


def test_a_fill_comes_after_what_its_load_comes_after(tmp_path):
    """V fills the buffer that a store still reads, unless it waits as the load does; and the load
    comes after the fill."""
    lines = assembly(__file__, "n=100", "--kernel", "one_buffer")
    np.save(tmp_path / "x.npy", np.ones(100, np.float32))
    arguments = ["--arg", str(tmp_path / "x.npy"), "--arg", "zeros:f32:100"]
    assert judge(lines, arguments, tmp_path) is None
    for pipes in ("MTE2 -> V", "V -> MTE2"):
        left = [line for line in lines if f"{pipes}, 7" not in line]
        assert len(left) == len(lines) - 2
        assert judge(left, arguments, tmp_path) == "race"
