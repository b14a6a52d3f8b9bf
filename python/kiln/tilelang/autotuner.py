# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilelang.autotuner`: kernels under `@autotune` can be defined; using one is an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ..errors import not_there_yet


class Untuned:
    """A kernel under `@tilelang.autotune`."""

    def __init__(self, function: Any) -> None:
        self.fn = getattr(function, "fn", function)

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        code = self.fn.__code__
        place = f"{code.co_filename}:{code.co_firstlineno}"
        not_there_yet(f"{place}: kernel '{self.fn.__name__}': tilelang.autotune")


def autotune(func: Callable[..., Any] | None = None, **_: Any) -> Any:
    return Untuned if func is None else Untuned(func)
