# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of the language as objects. Which ones exist, and what they mean, the compiler knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import KilnError
from ..language._types import Name


class KernelName(Name):
    """A name that means something only inside a kernel, and the names under it (`T.tile.add`)."""

    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise KilnError(f"{self.kiln_name} can be used only inside a @T.prim_func")

    def __getattr__(self, name: str) -> KernelName:
        if name.startswith("__"):
            raise AttributeError(name)
        return KernelName(f"{self.kiln_name}.{name}")

    def __reduce__(self) -> tuple[Any, ...]:
        return (KernelName, (self.kiln_name,))


class HostName(Name):
    """A name that also computes on the host."""

    __slots__ = ("_function",)

    def __init__(self, kiln_name: str, function: Callable[..., Any]) -> None:
        super().__init__(kiln_name)
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)
