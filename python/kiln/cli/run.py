# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run a Python file in which `import triton` and `import tilelang` mean Kiln."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import kiln

from .script import Script


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--device",
        metavar="D",
        help="device of the kernels, such as cpu or ascend910b; `kiln --version` names them all",
    )
    parser.add_argument("--threads", type=int, metavar="N", help="programs that run at a time")
    parser.add_argument("file", help="the Python file")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")


def execute(args: argparse.Namespace) -> int:
    path = Path(args.file)
    if not path.is_file():
        print(f"kiln run: {path} does not exist", file=sys.stderr)
        return 2
    try:
        if args.device is not None:
            kiln.set_device(args.device)
        if args.threads is not None:
            kiln.set_num_threads(args.threads)
    except ValueError as error:
        print(f"kiln run: {error}", file=sys.stderr)
        return 2
    script = Script(args.file)
    try:
        script.run("run", args.arguments, "__main__")
    except SystemExit:
        raise
    except KeyboardInterrupt:
        print("kiln run: interrupted", file=sys.stderr)
        return 130
    except BaseException as error:
        script.print(error)
        return 1
    return 0
