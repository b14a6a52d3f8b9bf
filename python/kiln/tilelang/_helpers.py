# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plain Python functions that kernels call: which of them are code of the kernel.

A function of the author's own that writes `T.copy(…)` means it for the kernel that calls it: it is
captured like a `@T.macro`. Every other function stays the host's, which gets constants and answers
with a constant. If it only computes (`lambda x, y: x + y`), its body is captured too: a call with
values of the kernel inlines it.
"""

from __future__ import annotations

import ast
import functools
import sysconfig
import types
from pathlib import Path
from typing import Any

from ..errors import KilnError
from ..language._types import Name
from ..source import Paths, Source, lookup, statement_names
from ..values import canonical_name

_PACKAGE = Path(__file__).resolve().parents[1]
_LANGUAGE = "T"


def is_kernel_code(function: types.FunctionType) -> bool:
    """Whether the body mentions a name of the language, itself or through a function it calls."""
    return _mentions(function, set())


def _mentions(function: types.FunctionType, seen: set[types.CodeType]) -> bool:
    if function.__code__ in seen or _is_library(function.__code__.co_filename):
        return False
    seen.add(function.__code__)
    try:
        read, local = statement_names(Source(function, may_be_lambda=True).tree)
    except KilnError:  # no text: nothing that could be captured
        return False
    for name, paths in read.items():
        found = None if name in local else lookup(function, name)
        if found is not None and any(_is_kernel_code(v, seen) for v in _values(found[1], paths)):
            return True
    return False


# What a function may consist of to be inlined although the host could run it.
_COMPUTING = (ast.Return, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.If, ast.Pass)


def is_computation(function: types.FunctionType) -> bool:
    """Whether the body, of the author's own, only assigns, branches and returns."""
    if _is_library(function.__code__.co_filename):
        return False
    try:
        tree = Source(function, may_be_lambda=True).tree
    except KilnError:
        return False
    statements = [node for each in tree.body for node in ast.walk(each)]
    return all(
        isinstance(node, _COMPUTING) or not isinstance(node, ast.stmt) or _is_text(node)
        for node in statements
    )


def _is_text(node: ast.stmt) -> bool:
    """Such as a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _values(value: Any, paths: Paths) -> list[Any]:
    """What the attributes that are asked of a name are; the name's own value if none is.

    Only modules are asked: attributes of other objects may be computed.
    """
    found = []
    longest = (p for p in paths if not any(q[: len(p)] == p and q != p for q in paths))
    for path in list(longest) or [()]:
        reached = value
        for name in path:
            if not isinstance(reached, types.ModuleType):
                break
            reached = getattr(reached, name, None)
        found.append(reached)
    return found


def _is_kernel_code(value: Any, seen: set[types.CodeType]) -> bool:
    if isinstance(value, types.FunctionType):
        return _mentions(value, seen)
    if isinstance(value, (Name, types.ModuleType)):
        name = canonical_name(value)
        return name is not None and name.partition(".")[0] == _LANGUAGE
    return getattr(value, "language", None) == "tilelang"  # a macro


@functools.cache
def _library_folders() -> list[Path]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    return [_PACKAGE, *(Path(sysconfig.get_path(name)).resolve() for name in names)]


@functools.cache
def _is_library(file: str) -> bool:
    path = Path(file).resolve()
    return any(path.is_relative_to(folder) for folder in _library_folders())
