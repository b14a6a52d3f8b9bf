# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a launch returns: the compiled kernel."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from .errors import from_report

if TYPE_CHECKING:
    from ._native import KernelHandle
    from .capture import Capture

# Texts on the way to code for the CPU, and to a program image of a simulated NPU.
CPU_STAGES = ("tile", "linalg", "llvm", "asm")
NPU_STAGES = ("tile", "npu")
# Triton's names of stages, and the stage of Kiln that says the same.
_STAGE_ALIASES = {"ttir": "tile", "llir": "llvm"}


class Stages(Mapping[str, str]):
    """The texts of a kernel's stages; made by compiling again when one is asked for."""

    def __init__(self, handle: KernelHandle, capture: Capture) -> None:
        self._handle, self._capture = handle, capture
        self._texts: dict[str, str] = {}
        stages = CPU_STAGES if handle.device == "cpu" else NPU_STAGES
        aliases = {alias: of for alias, of in _STAGE_ALIASES.items() if of in stages}
        self._names = (*stages, *aliases)

    def __getitem__(self, stage: str) -> str:
        if stage not in self._names:
            raise KeyError(stage)
        stage = _STAGE_ALIASES.get(stage, stage)
        if stage not in self._texts:
            text = self._handle.compile_stages([stage], self._capture)
            report = json.loads(text)
            if not report["ok"]:
                raise from_report(text)
            self._texts[stage] = report["stages"][stage]
        return self._texts[stage]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, stage: object) -> bool:
        return stage in self._names


class CompiledKernel:
    """One compiled variant of a kernel.

    `asm` maps a stage ("tile", "linalg", "llvm", "asm"; also "ttir", "llir"; on a simulated NPU
    "tile", "npu") to its text; `hash` is the key of the cache entry; `report` is what the compiler
    said (remarks, timings).
    """

    n_regs = 0
    n_spills = 0

    def __init__(self, handle: KernelHandle, capture: Capture, name: str) -> None:
        self._handle = handle
        self.name = name
        self.hash: str = handle.cache_key
        self.from_cache: bool = handle.from_cache
        self.asm = Stages(handle, capture)

    @property
    def report(self) -> dict[str, Any]:
        return json.loads(self._handle.report)

    @property
    def metadata(self) -> SimpleNamespace:
        options = json.loads(self._handle.options)
        scratch = self.report.get("scratch_bytes", 0)
        return SimpleNamespace(
            **options, name=self.name, hash=self.hash, shared=0, scratch_bytes=scratch
        )

    def __repr__(self) -> str:
        return f"<compiled kernel {self.name} {self.hash[:12]}>"
