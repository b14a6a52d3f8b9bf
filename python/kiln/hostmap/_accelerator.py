# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What host code asks of an accelerator, answered for the CPU.

Launches return when the kernel is done, so streams are always idle and events have always happened.
"""

from __future__ import annotations

import contextlib
import os
import time
from types import SimpleNamespace
from typing import Any

import torch

from .. import _native
from ..device import devices


class Event:
    """A moment on the host's clock. On a simulated NPU that is the time of simulating: modelled
    times are in `kiln.launch_report()`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._time: float | None = None

    def record(self, stream: Any = None) -> None:
        self._time = time.perf_counter()

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds until `end`. RuntimeError unless both were recorded."""
        if self._time is None or end._time is None:
            raise RuntimeError("elapsed_time: found an event that was not recorded")
        return (end._time - self._time) * 1e3

    def query(self) -> bool:
        return True

    def synchronize(self) -> None: ...

    def wait(self, stream: Any = None) -> None: ...


class Stream:
    """A queue that is always empty."""

    device = torch.device("cpu")
    device_index = stream_id = cuda_stream = npu_stream = 0

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: Any) -> None: ...

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream)

    def __hash__(self) -> int:
        return 0

    def query(self) -> bool:
        return True

    def record_event(self, event: Event | None = None) -> Event:
        event = Event() if event is None else event
        event.record(self)
        return event

    def synchronize(self) -> None: ...

    def wait_event(self, event: Any) -> None: ...

    def wait_stream(self, stream: Any) -> None: ...


class Device(contextlib.nullcontext[None]):
    """`with torch.cuda.device(0):`, of which there is one."""

    def __init__(self, device: Any = None) -> None:
        super().__init__()


@contextlib.contextmanager
def _stream(stream: Any) -> Any:
    yield stream


def _device_name(device: Any = None) -> str:
    return f"Kiln {_native.current_device()}"


def _properties(index: Any = None) -> SimpleNamespace:
    """The core counts are those of the simulated ascend910b whatever the device: files divide their
    work by them, and any number of programs runs on any device."""
    current = _native.current_device()
    threads = next((row.threads for row in devices() if row.name == current), 1)
    return SimpleNamespace(
        name=_device_name(),
        total_memory=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        multi_processor_count=threads,
        major=_CAPABILITY[0],
        minor=_CAPABILITY[1],
        warp_size=32,
        cube_core_num=24,
        vector_core_num=48,
    )


def _memory_info(device: Any = None) -> tuple[int, int]:
    page = os.sysconf("SC_PAGE_SIZE")
    return page * os.sysconf("SC_AVPHYS_PAGES"), page * os.sysconf("SC_PHYS_PAGES")


# Files ask whether they may use what came with 9.0; they may not.
_CAPABILITY = (8, 0)


def _constant(value: Any) -> Any:
    return lambda *args, **kwargs: value


_nothing = _constant(None)
_IDLE = Stream()

# Names of `torch.cuda` and `torch.npu` alike. The host's own random generator is the only one.
NAMES: dict[str, Any] = {
    "Event": Event,
    "Stream": Stream,
    "current_device": _constant(0),
    "current_stream": _constant(_IDLE),
    "default_stream": _constant(_IDLE),
    "device": Device,
    "device_count": _constant(1),
    "device_of": Device,
    "empty_cache": _nothing,
    "get_device_capability": _constant(_CAPABILITY),
    "get_device_name": _device_name,
    "get_device_properties": _properties,
    "get_rng_state": lambda device=None: torch.get_rng_state(),
    "init": _nothing,
    "initial_seed": torch.initial_seed,
    "is_available": _constant(True),
    "is_bf16_supported": _constant(True),
    "is_current_stream_capturing": _constant(False),
    "is_initialized": _constant(True),
    "manual_seed": lambda seed: torch.manual_seed(seed) and None,
    "manual_seed_all": lambda seed: torch.manual_seed(seed) and None,
    # Nothing lies in the memory of an accelerator.
    "max_memory_allocated": _constant(0),
    "max_memory_reserved": _constant(0),
    "mem_get_info": _memory_info,
    "memory_allocated": _constant(0),
    "memory_reserved": _constant(0),
    "reset_max_memory_allocated": _nothing,
    "reset_peak_memory_stats": _nothing,
    "seed": lambda: torch.seed() and None,
    "seed_all": lambda: torch.seed() and None,
    "set_device": _nothing,
    "set_rng_state": lambda state, device=None: torch.set_rng_state(state),
    "set_stream": _nothing,
    "stream": _stream,
    "synchronize": _nothing,
}
