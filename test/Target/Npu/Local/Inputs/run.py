# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels of tile IR through the NPU passes and the simulator, and compares with NumPy.

A kernel module has `KERNELS`: name -> Kernel. `python run.py MODULE DIRECTORY` runs all of them.
"""

import dataclasses
import importlib.util
import pathlib
import subprocess
import sys
from collections.abc import Callable

import numpy as np

PASSES = [
    "--kiln-npu-legalize",
    "--canonicalize",
    "--cse",
    "--kiln-npu-assign-cores",
    "--kiln-npu-fit-axes",
    "--kiln-npu-map-grid",
    "--canonicalize",
    "--cse",
    "--kiln-npu-schedule",
    "--kiln-npu-bufferize",
    "--kiln-npu-lower",
    "--canonicalize",
    "--cse",
    "--kiln-npu-plan-memory",
    "--kiln-npu-insert-sync",
    "--kiln-npu-verify-program",
]


@dataclasses.dataclass
class Kernel:
    text: str
    #: arrays (and numbers) in the order of the parameters; the last array is the result
    arguments: list
    reference: Callable
    grid: int = 1
    tolerance: float = 1e-6
    #: substrings that the remarks must have; no slow path if empty; None: whatever it is
    slow: tuple | None = ()
    bf16: tuple = ()


def opt(text, *passes):
    return subprocess.run(
        ["kiln-opt", "-", *passes, "--mlir-print-debuginfo"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def simulate(kernel, directory, *flags):
    lowered = opt(kernel.text, *PASSES)
    assert lowered.returncode == 0, lowered.stderr
    has_slow = "slow path" in lowered.stderr
    if kernel.slow is not None:
        assert has_slow == bool(kernel.slow), f"slow paths: {lowered.stderr}"
    for reason in kernel.slow or ():
        assert reason in lowered.stderr, lowered.stderr
    image = directory / "kernel.nasm"
    source = directory / "kernel.mlir"
    source.write_text(lowered.stdout)
    asm = subprocess.run(
        ["kiln-translate", "--npu-to-asm", str(source)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert asm.returncode == 0, asm.stderr
    image.write_text(asm.stdout)
    command = ["kiln-sim", str(image), "--grid", str(kernel.grid), *flags]
    last = 0
    for number, argument in enumerate(kernel.arguments):
        if isinstance(argument, np.ndarray):
            path = directory / f"{number}.npy"
            np.save(path, argument)
            prefix = "bf16:" if number in kernel.bf16 else ""
            command += ["--arg", f"{prefix}{path}"]
            last = number
        else:
            command += ["--arg", str(argument)]
    out = directory / "out.npy"
    command += ["--out", f"{last}={out}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return np.load(out)


def check(kernel, directory):
    expected = kernel.reference(*[np.copy(a) for a in kernel.arguments])
    for flags in [(), ("--order", "random:1"), ("--order", "random:2")]:
        found = simulate(kernel, directory, *flags)
        np.testing.assert_allclose(
            found.astype(np.float64),
            np.asarray(expected).astype(np.float64),
            rtol=kernel.tolerance,
            atol=kernel.tolerance,
        )


def main(module, directory, only=None):
    spec = importlib.util.spec_from_file_location("kernels", module)
    kernels = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kernels)
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    failed = []
    for name, kernel in kernels.KERNELS.items():
        if only and name != only:
            continue
        try:
            check(kernel, directory)
            print("ok", name)
        except AssertionError as error:
            failed.append(name)
            print("FAILED", name, error)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
