# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.Config`: one point of a tuning space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Config:
    """Values of constexpr parameters and launch options."""

    def __init__(
        self,
        kwargs: dict[str, Any],
        num_warps: int = 4,
        num_stages: int = 3,
        num_ctas: int = 1,
        maxnreg: int | None = None,
        pre_hook: Callable[..., Any] | None = None,
        ir_override: str | None = None,
    ) -> None:
        self.kwargs = kwargs
        self.num_warps, self.num_stages, self.num_ctas = num_warps, num_stages, num_ctas
        self.maxnreg, self.pre_hook, self.ir_override = maxnreg, pre_hook, ir_override

    def all_kwargs(self) -> dict[str, Any]:
        """Everything that a launch takes, without what is None."""
        names = ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override")
        options = {n: getattr(self, n) for n in names if getattr(self, n) is not None}
        return {**self.kwargs, **options}

    def __str__(self) -> str:
        parts = [f"{k}: {v}" for k, v in self.kwargs.items()]
        for name in ("num_warps", "num_ctas", "num_stages", "maxnreg"):
            parts.append(f"{name}: {getattr(self, name)}")
        return ", ".join(parts)

    def _key(self) -> tuple[Any, ...]:
        return (*sorted(self.all_kwargs().items()), self.pre_hook)

    def __hash__(self) -> int:
        return hash(self._key())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Config) and self._key() == other._key()
