# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.runtime.driver`: the target of launches, always the CPU here."""

from __future__ import annotations

from typing import Any

from ..backends.compiler import GPUTarget


class CpuDriver:
    """Answers what host code asks about the device, without touching one."""

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cpu", 0, 1)

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, device: int) -> None:
        if device != 0:
            raise ValueError(f"found device {device}, expected 0")

    def get_current_stream(self, device: int = 0) -> int:
        return 0

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device("cpu")

    def get_device_interface(self) -> Any:
        import torch

        return torch.cpu

    def get_benchmarker(self) -> Any:
        from ..testing import do_bench

        return do_bench

    @property
    def utils(self) -> _Utils:
        return _Utils()


class _Utils:
    def get_device_properties(self, device: int = 0) -> dict[str, Any]:
        from ...device import devices

        cpu = devices()[0]
        return {
            "max_shared_mem": 2**31 - 1,
            "multiprocessor_count": cpu.threads,
            "warpSize": 1,
            "max_num_regs": 0,
        }


default = active = CpuDriver()


def set_active(driver: Any) -> None:
    """Replaces what `active` is."""
    global active
    active = driver


def reset_active() -> None:
    global active
    active = default
