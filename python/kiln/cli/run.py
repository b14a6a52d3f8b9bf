# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run a Python file in which `import triton` and `import tilelang` mean Kiln."""

from __future__ import annotations

import argparse
import runpy
import sys
import traceback
from pathlib import Path
from types import TracebackType

import kiln
from kiln import hostmap


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--device", metavar="D", help="device of the kernels, such as cpu or null")
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
    kiln.install_aliases()
    hostmap.install(lambda text: print(f"kiln run: {text}", file=sys.stderr))
    sys.argv = [args.file, *args.arguments]
    sys.path.insert(0, str(path.resolve().parent))
    # Absolute: the source of a kernel is read when it is compiled, and the file may change folders.
    file = str(path.absolute())
    try:
        runpy.run_path(file, run_name="__main__")
    except SystemExit:
        raise
    except KeyboardInterrupt:
        print("kiln run: interrupted", file=sys.stderr)
        return 130
    except BaseException as error:
        _print(error, file)
        return 1
    return 0


def _print(error: BaseException, file: str) -> None:
    """The traceback from the file on: what started it is of no interest."""
    frames: TracebackType | None = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename != file:
        frames = frames.tb_next
    traceback.print_exception(type(error), error, frames or error.__traceback__)
