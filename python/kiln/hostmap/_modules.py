# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What function modes do not see: `torch.npu`, `torch_npu`, `torch.cuda`'s functions, `.npu()`."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import torch

from ..errors import NotThereYetError
from . import _accelerator, _mode, _report


class MissingNameError(NotThereYetError, AttributeError):
    """Also an AttributeError: files ask with `hasattr`."""


class StandIn(ModuleType):
    """A module of the NPU's PyTorch package. Names that Kiln has no answer for say so."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        raise MissingNameError(f"{self.__name__}.{name} is not there yet in this version of Kiln")


TORCH_NPU = StandIn("torch_npu", "Stands for the package of that name.")


def install(torch_module: ModuleType) -> None:
    """Adds the NPU's names to PyTorch, and answers for both accelerators."""
    npu = StandIn("torch.npu", "Stands for the module that torch_npu adds.")
    for name, value in _accelerator.NAMES.items():
        setattr(npu, name, _answer("npu", value, None))
        setattr(torch.cuda, name, _answer("cuda", value, getattr(torch.cuda, name, None)))
    npu.config = SimpleNamespace()
    torch_module.npu = sys.modules["torch.npu"] = npu
    TORCH_NPU.npu = npu
    TORCH_NPU.__version__ = torch.__version__
    torch.ops.npu = StandIn("torch.ops.npu")

    torch.Tensor.npu = torch.nn.Module.npu = _to_npu
    torch.Tensor.is_npu = property(_is_npu)
    torch.Generator = _Generator
    torch.random.fork_rng = functools.wraps(torch.random.fork_rng)(_fork_rng)


def _answer(device: str, value: Any, original: Any) -> Any:
    """`value`, which says that `device` is mapped when a file calls it. PyTorch itself calls the
    original: `torch.manual_seed` comes by here."""
    if isinstance(value, type):
        return value

    @functools.wraps(value)
    def answer(*args: Any, **kwargs: Any) -> Any:
        if original is not None and _report.asked_by_torch(1):
            return original(*args, **kwargs)
        _report.mapped(device)
        return value(*args, **kwargs)

    return answer


def _to_npu(self: Any, device: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
    _report.mapped("npu")
    return _mode.moved(self)


def _is_npu(self: Any) -> bool:
    _report.mapped("npu")
    return True


_fork_host_rng = torch.random.fork_rng


def _fork_rng(devices: Any = None, enabled: bool = True, **kwargs: Any) -> Any:
    """Keeps the state of the host's generator, the only one."""
    return _fork_host_rng(devices=[], enabled=enabled)


_base_generator: Callable[..., Any] = torch.Generator


class _GeneratorType(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _base_generator)  # type: ignore[arg-type]

    def __call__(cls, device: Any = None) -> Any:
        return _base_generator() if device is None else _base_generator(_mode.on_cpu(device))


class _Generator(metaclass=_GeneratorType):
    """`torch.Generator`, whose constructor shows its device to no mode. Makes real ones."""
