# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.runtime.autotuner`: tuning is not there yet."""

from __future__ import annotations

from ...errors import OutOfResources
from .. import _pending
from .._config import Config

Autotuner = _pending.function("triton.runtime.Autotuner")
Heuristics = _pending.function("triton.runtime.Heuristics")
autotune = _pending.decorator("triton.autotune")
heuristics = _pending.decorator("triton.heuristics")

__all__ = ["Autotuner", "Config", "Heuristics", "OutOfResources", "autotune", "heuristics"]
