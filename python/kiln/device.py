# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where kernels run."""

from __future__ import annotations

from types import TracebackType
from typing import NamedTuple

from . import _native


class DeviceInfo(NamedTuple):
    """A device: `threads` programs run at a time, `cache_bytes` is its last level of cache (0 =
    unknown); on a device that does not compute, launches are checked and recorded only."""

    name: str
    description: str
    threads: int
    cache_bytes: int
    computes: bool


def devices() -> list[DeviceInfo]:
    """The devices of this machine."""
    return [DeviceInfo(*row) for row in _native.devices()]


def set_device(name: str) -> None:
    """Makes `name` the device of launches that name none. ValueError if there is no such device."""
    _native.set_device(name)


def set_num_threads(count: int) -> None:
    """Programs that run at a time, on every device; 0 = as many as the machine has."""
    if count < 0:
        raise ValueError(f"set_num_threads: found {count}, expected no negative number")
    _native.set_num_threads(count)


class Device:
    """`with kiln.device("cpu"):` launches of this thread inside it go to that device."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> Device:
        _native.push_device(self.name)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _native.pop_device()


device = Device
