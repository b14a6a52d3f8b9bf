# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of PyTorch with a device in them.

PyTorch hands every call of its own functions to the *function mode* on top of a stack, before it
looks at the arguments: factories, `.to()`, `.cuda()`, `.cpu()`, `torch.device(…)`, modules and
attributes of tensors alike. The mode here replaces the device and calls on; what comes back is a
CPU tensor that knows nothing of it. What no mode sees is in `_modules.py`.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from . import _report

_STRING = re.compile(r"(npu|cuda)(:\d+)?")
_TYPES = frozenset({"npu", "cuda"})

# Functions that may be given a device by position. Elsewhere it is the argument `device=`.
_BY_POSITION = frozenset({torch.Tensor.to, torch._C._nn._parse_to})


def device_name(value: Any) -> str | None:
    """ "npu" or "cuda" if `value` names such a device; a bare number counts accelerators."""
    if isinstance(value, str):
        match = _STRING.fullmatch(value)
        return match and match[1]
    if isinstance(value, torch.device):
        return value.type if value.type in _TYPES else None
    if isinstance(value, int) and not isinstance(value, bool):
        return "cuda"
    return None


def on_cpu(value: Any) -> Any:
    """`value`, or "cpu" if it names a device that is mapped."""
    name = device_name(value)
    if name is None:
        return value
    _report.mapped(name)
    return "cpu"


def _device(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    first = args[0] if args else kwargs.get("device", kwargs.get("type"))
    if device_name(first) is None:
        return torch.device(*args, **kwargs)
    on_cpu(first)
    return torch.device("cpu")  # without the number: "cpu:0" would not equal the device of a tensor


def moved(tensor: Any) -> Any:
    """What a transfer to another memory gives: lanes of a tensor that overlap or have gaps lie
    behind one another there. Any other tensor is itself: it may be on the device already."""
    is_dense = torch.ops.aten.is_non_overlapping_and_dense
    plain = isinstance(tensor, torch.Tensor) and tensor.layout == torch.strided
    return tensor.clone() if plain and not is_dense(tensor) else tensor


def _to_accelerator(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    _report.mapped("cuda")
    return moved(args[0])


def _to_host(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Kernels go on writing to what is on the device, not to what was fetched."""
    return args[0].clone(**kwargs)


def _same(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return args[0]


# Whole functions that are replaced.
_FUNCTIONS: dict[Any, Callable[[tuple[Any, ...], dict[str, Any]], Any]] = {
    torch.device: _device,
    torch.Tensor.cuda: _to_accelerator,
    torch.Tensor.cpu: _to_host,
    # Pinned memory is for copies to another memory than the CPU's.
    torch.Tensor.pin_memory: _same,
    torch.Tensor.record_stream: lambda args, kwargs: None,
}
_IS_CUDA = torch.Tensor.is_cuda.__get__


class CpuTensors(TorchFunctionMode):
    """On top of the stack for the life of a thread."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        replaced = _FUNCTIONS.get(func)
        if replaced is not None:
            return replaced(args, kwargs)
        if func == _IS_CUDA and not _report.asked_by_torch(1):
            _report.mapped("cuda")
            return True
        if kwargs.get("device") is not None:
            kwargs = kwargs | {"device": on_cpu(kwargs["device"])}
        if kwargs.get("pin_memory"):
            kwargs = kwargs | {"pin_memory": False}
        if func in _BY_POSITION:
            args = tuple(map(on_cpu, args))
        result = func(*args, **kwargs)
        if func is torch.Tensor.to:
            named = (*args[1:], kwargs.get("device"))
            if any(isinstance(value, (str, torch.device)) for value in named):
                return moved(result)
        return result


def install() -> None:
    """Puts the mode on this thread, and on each thread that starts from now on."""
    CpuTensors().__enter__()

    # A stack of modes belongs to a thread. A profile function is what Python offers to run at the
    # start of one; it takes itself off at once.
    def enter(*event: Any) -> None:
        sys.setprofile(None)
        CpuTensors().__enter__()

    if threading.getprofile() is None:
        threading.setprofile(enter)
