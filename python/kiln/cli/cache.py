# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Show or clear the cache of compiled kernels."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kiln import _native


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("info", "clear"))


def execute(args: argparse.Namespace) -> int:
    config = _native.cache_config()
    if config is None:
        print("cache: off")
        return 0
    directory, limit = Path(config[0]), config[1]
    entries = sorted(directory.glob("*.so")) if directory.is_dir() else []
    if args.action == "clear":
        return _clear(directory, entries)
    size = sum(entry.stat().st_size for entry in entries)
    print(f"cache: {directory}")
    print(f"entries: {len(entries)}, {size / 2**20:.1f} MiB of {limit / 2**20:.0f} MiB")
    return 0


def _clear(directory: Path, entries: list[Path]) -> int:
    failures = 0
    for entry in entries:
        try:
            entry.unlink(missing_ok=True)
        except OSError as error:
            print(f"kiln cache: {entry}: {error.strerror}", file=sys.stderr)
            failures += 1
    print(f"removed {len(entries) - failures} entries of {directory}")
    return 1 if failures else 0
