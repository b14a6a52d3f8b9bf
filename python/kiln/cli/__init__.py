# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `kiln`: one module per verb, each with `configure(parser)` and `execute(args)`, or
with `execute_raw(arguments)` if it parses its arguments itself."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from . import bench, cache, compile, run, sim, version

VERBS = {"run": run, "compile": compile, "sim": sim, "bench": bench, "cache": cache}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; the exit code (2 for wrong usage)."""
    try:
        return _main(sys.argv[1:] if arguments is None else list(arguments))
    except BrokenPipeError:  # the reader, such as `head`, had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="kiln", description="Compile and run tile kernels.")
    parser.add_argument("--version", action="store_true", help="version, LLVM, devices")
    verbs = parser.add_subparsers(dest="verb", metavar="verb")
    for name, verb in VERBS.items():
        summary = (verb.__doc__ or "").strip().splitlines()[0]
        sub = verbs.add_parser(name, help=summary, description=summary)
        verb.configure(sub)
        sub.set_defaults(execute=getattr(verb, "execute", None))
    raw = getattr(VERBS.get(arguments[0]) if arguments else None, "execute_raw", None)
    if raw is not None:
        return raw(arguments[1:])
    args = parser.parse_args(arguments)
    if args.version:
        return version.execute()
    if args.verb is None:
        parser.print_usage(sys.stderr)
        return 2
    return args.execute(args)
