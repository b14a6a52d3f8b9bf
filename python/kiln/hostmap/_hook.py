# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Waits for the file to import torch or torch_npu."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import ModuleType

from . import _report


class Hook(importlib.abc.MetaPathFinder):
    """First in `sys.meta_path`: torch is mapped as soon as it is loaded, torch_npu is ours."""

    def __init__(self, say: Callable[[str], None]) -> None:
        _report.say_with(say)

    def install(self) -> None:
        sys.meta_path.insert(0, self)
        torch = sys.modules.get("torch")
        if torch is not None:
            _map(torch)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname == "torch":
            return self._torch(path, target)
        if fullname == "torch_npu":
            return importlib.machinery.ModuleSpec(fullname, _TorchNpu())
        if fullname.startswith("torch_npu."):
            raise ModuleNotFoundError(
                f"{fullname} is not there yet in this version of Kiln", name=fullname
            )
        return None

    def _torch(
        self, path: Sequence[str] | None, target: ModuleType | None
    ) -> importlib.machinery.ModuleSpec | None:
        others = (finder for finder in sys.meta_path if finder is not self)
        specs = (f.find_spec("torch", path, target) for f in others if hasattr(f, "find_spec"))
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is None or spec.loader is None:
            return spec
        # Only this loader object learns a second step: the module keeps its own loader and file.
        loader, execute = spec.loader, spec.loader.exec_module

        def execute_and_map(module: ModuleType) -> None:
            del loader.exec_module  # type: ignore[method-assign]
            execute(module)
            _map(module)

        loader.exec_module = execute_and_map  # type: ignore[method-assign]
        return spec


class _TorchNpu(importlib.abc.Loader):
    """Makes `import torch_npu` give the stand-in. It imports torch, as the real one does."""

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        importlib.import_module("torch")
        from ._modules import TORCH_NPU

        return TORCH_NPU

    def exec_module(self, module: ModuleType) -> None:
        pass


def _map(torch: ModuleType) -> None:
    # These import torch, hence not before the file does.
    from . import _mode, _modules

    _modules.install(torch)
    _mode.install()
