# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A user's file as `kiln run` and `kiln compile` run it."""

from __future__ import annotations

import runpy
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import kiln
from kiln import hostmap


class Script:
    """A file in which `import triton` and `import tilelang` mean Kiln, and devices CPU tensors."""

    def __init__(self, file: str) -> None:
        self.file = file
        # The source of a kernel is read when it is compiled, and the file may change folders.
        self.path = str(Path(file).absolute())

    def run(self, verb: str, arguments: Sequence[str], module: str) -> dict[str, Any]:
        """Runs it as a module of that name; its names, or whatever it raises."""
        kiln.install_aliases()
        hostmap.install(lambda text: print(f"kiln {verb}: {text}", file=sys.stderr))
        sys.argv = [self.file, *arguments]
        sys.path.insert(0, str(Path(self.file).resolve().parent))
        return runpy.run_path(self.path, run_name=module)

    def names(self, error: BaseException) -> dict[str, Any]:
        """What it had defined when it ended with this error."""
        entry = self._entry(error)
        return {} if entry is None else dict(entry.tb_frame.f_globals)

    def print(self, error: BaseException) -> None:
        """The traceback from the file on: what started it is of no interest."""
        frames = self._entry(error) or error.__traceback__
        traceback.print_exception(type(error), error, frames)

    def _entry(self, error: BaseException) -> TracebackType | None:
        entry = error.__traceback__
        while entry is not None and entry.tb_frame.f_code.co_filename != self.path:
            entry = entry.tb_next
        return entry
