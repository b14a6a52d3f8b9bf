# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops in kernels: loads and stores pass through rings, an iteration ahead where that pays."""

import json
import pathlib
import re
import subprocess

import numpy as np
import pytest

import kiln
import kiln.language as tl
import kiln.triton as triton
from kiln import _native

DEVICE = "ascend910b"


@triton.jit
def scale_chunks(x, y, first, last, step, BLOCK: tl.constexpr):
    """y = exp(x) · 2 + x for the chunks first, first + step, … below last."""
    lanes = tl.arange(0, BLOCK)
    for chunk in range(first, last, step):
        value = tl.load(x + chunk * BLOCK + lanes)
        tl.store(y + chunk * BLOCK + lanes, tl.exp(value) * 2.0 + value)


@triton.jit
def scale_blocks(x, y, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + lanes)
    tl.store(y + lanes, tl.exp(value) * 2.0 + value)


@triton.jit
def persistent_softmax(x, y, rows, columns, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        value = tl.load(x + row * columns + lanes, mask=lanes < columns, other=-float("inf"))
        power = tl.exp(value - tl.max(value, axis=0))
        tl.store(y + row * columns + lanes, power / tl.sum(power, axis=0), mask=lanes < columns)


def softmax_of(x):
    wide = x.astype(np.float64)
    power = np.exp(wide - wide.max(axis=1, keepdims=True))
    return power / power.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("trips", [0, 1, 2, 3, 4, 5, 11])
@pytest.mark.parametrize("first, step", [(0, 1), (3, 1), (1, 3)])
def test_trip_counts(trips, first, step):
    block = 1000
    last = first + trips * step
    rng = np.random.default_rng(trips)
    x = rng.standard_normal(((last + step) * block,)).astype(np.float32)
    expected = np.full(x.shape, np.nan)
    for chunk in range(first, last, step):
        part = slice(chunk * block, (chunk + 1) * block)
        expected[part] = np.exp(x[part].astype(np.float64)) * 2 + x[part]
    results = []
    for settings in ({}, {"mode": "functional", "order": 5}, {"mode": "functional", "order": 6}):
        y = np.full(x.shape, np.nan, np.float32)
        with kiln.device(DEVICE), kiln.simulation(DEVICE, **settings):
            scale_chunks[(1,)](x, y, first, last, step, BLOCK=block)
        results.append(y)
    np.testing.assert_allclose(results[0], expected, rtol=2e-6, atol=1e-6)
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)


def waits_for_stores(x, y):
    """Places at which loads wait for stores, in the code for these arrays."""
    rows, columns = x.shape
    with kiln.device(DEVICE):
        compiled = persistent_softmax[(2,)](x, y, rows, columns, BLOCK=1024)
    return len(
        re.findall(r"npu\.wait <mte3> to <(?:mte2|s)>|npu\.barrier because", compiled.asm["npu"])
    )


def test_stores_hold_back_loads_only_where_arrays_overlap():
    x = np.random.default_rng(3).standard_normal((9, 1000)).astype(np.float32)
    expected = softmax_of(x)
    y = np.full(x.shape, np.nan, np.float32)
    assert waits_for_stores(x, y) == 0
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-7)
    assert waits_for_stores(x, x) > 0
    np.testing.assert_allclose(x, expected, rtol=1e-5, atol=1e-7)


PASSES_BEFORE = ["legalize", "assign-cores", "fit-axes", "map-grid"]
PASSES_BEHIND = ["bufferize", "lower", "plan-memory", "insert-sync", "verify-program"]


TOOLS = pathlib.Path(_native.compiler_path()).resolve().parents[1] / "bin"


def run_tool(name, *arguments, text=None):
    done = subprocess.run(
        [TOOLS / name, *arguments], input=text, capture_output=True, text=True, check=True
    )
    return done.stdout


def image_at_depth(tile_text, depth):
    passes = [f"--kiln-npu-{name}" for name in PASSES_BEFORE]
    passes += [f"--kiln-npu-schedule=depth={depth}"]
    passes += [f"--kiln-npu-{name}" for name in PASSES_BEHIND]
    return run_tool(
        "kiln-translate", "--npu-to-asm", text=run_tool("kiln-opt", *passes, text=tile_text)
    )


def test_deeper_rings_overlap_more(tmp_path):
    """One slot: load, compute and store of an iteration come one after the other. Two: they overlap
    with those of the next. The modelled times follow; a third slot costs nothing."""
    x = np.zeros(48 * 16 * 4096, np.float32)
    y = np.zeros_like(x)
    with kiln.device(DEVICE):
        compiled = scale_blocks[(48 * 16,)](x, y, BLOCK=4096)
    cycles = {}
    memory = f"zeros:f32:{x.size}"
    for depth in (1, 2, 3):
        image = tmp_path / f"depth{depth}.nasm"
        image.write_text(image_at_depth(compiled.asm["tile"], depth))
        report = run_tool(
            "kiln-sim", image, "--arg", memory, "--arg", memory, "--grid", f"{48 * 16},1,1",
            "--timing-only", "--json",
        )  # fmt: skip
        cycles[depth] = json.loads(report)["kernel_cycles"]
    assert cycles[2] < 0.9 * cycles[1]
    assert cycles[3] < 1.02 * cycles[2]
