"""Runs `kiln` in forks of a process that has imported PyTorch; scripts/published.py talks to it.

A line of JSON on its input says what a fork gets: arguments, folder, environment, limits, files for
its output. Lines of JSON on its output tell the names that are loaded, once; then of each fork
`pid`, and `code` when it has ended, as `subprocess` gives it. It ends with its input.

What a fork can tell from a process of its own: Python's hash seed, its parent and its command line
(`sys.orig_argv`). PyTorch is there but hidden until the program imports it.
"""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.machinery
import json
import os
import resource
import runpy
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any, TextIO

PACKAGE = "torch"


class Stash(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Takes a package out of sight; its first import brings it back with all that it had loaded."""

    def __init__(self) -> None:
        names = [name for name in sys.modules if name.partition(".")[0] == PACKAGE]
        self.modules = {name: sys.modules.pop(name) for name in names}
        if self.modules:
            sys.meta_path.insert(0, self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != PACKAGE:
            return None
        self.spec = self.modules[PACKAGE].__spec__
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return self.modules[PACKAGE]

    def exec_module(self, module: ModuleType) -> None:
        sys.meta_path.remove(self)
        module.__spec__ = self.spec  # the import has set it to what `find_spec` gave
        sys.modules.update(self.modules)


def become(request: dict[str, Any], answers: TextIO) -> None:
    """In the fork: a process group, limits and files of its own."""
    os.setsid()
    _say(answers, pid=os.getpid())
    answers.close()
    for descriptor, name in enumerate((os.devnull, request["out"], request["err"])):
        flags = os.O_WRONLY | os.O_TRUNC if descriptor else os.O_RDONLY
        file = os.open(name, flags)
        os.dup2(file, descriptor)
        os.close(file)
    for name, limit in request["limits"].items():
        resource.setrlimit(getattr(resource, name), (limit, limit))
    os.chdir(request["folder"])
    os.environ.update(request["environment"])
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()  # or all forks draw the same numbers
    Stash()


def serve(requests: TextIO, answers: TextIO) -> dict[str, Any] | None:
    """Forks for each request. Returns that of this process if it is a fork, else None."""
    for line in requests:
        request: dict[str, Any] = json.loads(line)
        pid = os.fork()
        if pid == 0:
            requests.close()
            become(request, answers)
            return request
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        _say(answers, code=code)
    return None


def _say(answers: TextIO, **words: Any) -> None:
    print(json.dumps(words), file=answers, flush=True)


def _streams() -> tuple[TextIO, TextIO]:
    """Input and output under other numbers, that nothing else reads or writes them."""
    streams = os.fdopen(os.dup(0), "r"), os.fdopen(os.dup(1), "w")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    return streams


def main() -> None:
    requests, answers = _streams()
    with contextlib.suppress(ImportError):
        __import__(PACKAGE)
    _say(answers, modules=sorted({name.partition(".")[0] for name in sys.modules}))
    request = serve(requests, answers)
    if request is not None:
        sys.argv[1:] = request["arguments"]
        runpy.run_module("kiln", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
