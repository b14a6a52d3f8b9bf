# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes `import triton` and `import tilelang` mean Kiln in this process."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType

# Public package to Kiln's. Submodules follow: `triton.runtime.jit` is `kiln.triton.runtime.jit`.
_PACKAGES = {
    "triton.language": "kiln.language",
    "triton": "kiln.triton",
    "tilelang": "kiln.tilelang",
}


def _target(name: str) -> str | None:
    for public, own in _PACKAGES.items():
        if name == public or name.startswith(public + "."):
            return own + name[len(public) :]
    return None


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `triton…` and `tilelang…` and gives the very module object of Kiln."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        own = _target(fullname)
        if own is None:
            return None
        if importlib.util.find_spec(own) is None:
            raise ModuleNotFoundError(
                f"{fullname} is not there yet in this version of Kiln", name=fullname
            )
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        own = _target(spec.name)
        assert own is not None
        module = importlib.import_module(own)
        # Kept from what the import system is about to write over.
        self._spec = (module.__spec__, getattr(module, "__path__", None), module.__loader__)
        return module

    def exec_module(self, module: ModuleType) -> None:
        spec, path, loader = self._spec
        module.__spec__, module.__loader__ = spec, loader
        if path is not None:
            module.__path__ = path


_finder = _Finder()


def install_aliases() -> None:
    """Makes `triton`, `tilelang` and their modules resolve to Kiln in this process.

    RuntimeError if another package of such a name has been imported already. Calling it again has
    no effect.
    """
    for public, own in _PACKAGES.items():
        present = sys.modules.get(public)
        if present is not None and present is not sys.modules.get(own):
            raise RuntimeError(
                f"another '{public}' was imported already: install_aliases() comes first"
            )
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
