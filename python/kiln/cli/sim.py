# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run a program image (.npo) on the simulated NPU, without a compiler."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from kiln import _native


def configure(parser: argparse.ArgumentParser) -> None:
    """The options are those of the tool: `kiln sim --help` prints them."""
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="image and options")


def tool() -> Path:
    """The program kiln-sim that belongs to the libraries in use."""
    return Path(_native.compiler_path()).parent.parent / "bin" / "kiln-sim"


def execute_raw(arguments: Sequence[str]) -> int:
    try:
        return subprocess.run([tool(), *arguments], check=False).returncode
    except OSError as error:
        print(f"kiln sim: {error.filename or tool()}: {error.strerror}", file=sys.stderr)
        return 2
