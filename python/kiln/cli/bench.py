# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measure a suite of kernels."""

from __future__ import annotations

import argparse
from collections.abc import Sequence


def configure(parser: argparse.ArgumentParser) -> None:
    """The suite's options are its own: `execute_raw` gets them as they are."""
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="suite and its options")


def execute_raw(arguments: Sequence[str]) -> int:
    from kiln.bench import main

    return main(list(arguments))
