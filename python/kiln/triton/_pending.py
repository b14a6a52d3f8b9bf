# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of the API that are not there yet: importable, an error when used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import not_there_yet


def function(name: str) -> Callable[..., Any]:
    """A function or class called `name`."""

    def pending(*args: Any, **kwargs: Any) -> Any:
        not_there_yet(name)

    pending.__name__ = pending.__qualname__ = name.rpartition(".")[2]
    return pending


class Undecorated:
    """A kernel under a decorator that is not there yet: only its use is an error."""

    def __init__(self, name: str, fn: Any) -> None:
        self.fn, self._decorator = fn, name

    def __getitem__(self, grid: Any) -> Any:
        not_there_yet(self._decorator)

    def run(self, *args: Any, **kwargs: Any) -> Any:
        not_there_yet(self._decorator)


def decorator(name: str) -> Callable[..., Any]:
    """A decorator with arguments: files that define such kernels can be imported."""

    def pending(*args: Any, **kwargs: Any) -> Callable[[Any], Undecorated]:
        return lambda fn: Undecorated(name, fn)

    return pending


def module_getattr(module: str, names: str) -> Callable[[str], Any]:
    """A module's `__getattr__` for the names that are not there yet."""
    known = frozenset(names.split())

    def getattribute(name: str) -> Any:
        if name in known:
            return function(f"{module}.{name}")
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    return getattribute
