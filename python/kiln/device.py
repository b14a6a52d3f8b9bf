# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where kernels run."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from types import TracebackType
from typing import Any, NamedTuple

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


def configure_device(name: str, **settings: Any) -> None:
    """Changes settings of a device until they are changed again; None restores a default.

    A simulated NPU takes `mode` ("functional_timed", "functional", "timing_only"), `check` (True),
    `order` (seed of a random order of the pipes; with mode "functional"), `warm_l2` (False),
    `control_trace` (False; a hash of branches, addresses and sizes in the report), `trace` (path of
    a Perfetto trace) and `cycle_limit`. ValueError on anything else.
    """
    _native.configure_device(name, json.dumps(settings))


@contextlib.contextmanager
def simulation(name: str | None = None, **settings: Any) -> Iterator[None]:
    """`with kiln.simulation(order=7, mode="functional"):` settings of a simulated device (the
    current one, unless named) inside the block; their defaults return with its end."""
    name = _native.current_device() if name is None else name
    configure_device(name, **settings)
    try:
        yield
    finally:
        configure_device(name, **dict.fromkeys(settings))


def launch_report(name: str | None = None) -> dict[str, Any] | None:
    """What this thread's last launch on a device (the current one, unless named) did: of a
    simulated NPU its modelled cycles and microseconds, busy shares and bytes. None where the device
    does not say."""
    text = _native.launch_report(_native.current_device() if name is None else name)
    return json.loads(text) if text else None


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
