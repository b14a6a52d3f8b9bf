# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The eager form: a function that is a kernel itself."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ..errors import NotThereYetError
from ..source import Source


def const(*args: Any, **kwargs: Any) -> Any:
    raise NotThereYetError("T.const")


def empty(*args: Any, **kwargs: Any) -> Any:
    raise NotThereYetError("T.empty")


def is_eager(function: Callable[..., Any]) -> bool:
    """Whether the function is a kernel itself: it has a `with T.Kernel(…)` outside functions that
    it defines."""
    return any(_opens_kernel(node) for node in _own_nodes(Source(function).tree))


def _own_nodes(tree: ast.FunctionDef) -> list[ast.AST]:
    """The nodes of a function's body without those of functions in it."""
    found: list[ast.AST] = []
    todo: list[ast.AST] = list(tree.body)
    while todo:
        node = todo.pop()
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            found.append(node)
            todo.extend(ast.iter_child_nodes(node))
    return found


def _opens_kernel(node: ast.AST) -> bool:
    return isinstance(node, ast.With) and any(
        isinstance(item.context_expr, ast.Call) and _called(item.context_expr) == "Kernel"
        for item in node.items
    )


def _called(call: ast.Call) -> str:
    """The last part of the name that is called."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


class EagerKernel:
    def __init__(self, fn: Callable[..., Any], pass_configs: dict[str, Any]) -> None:
        raise NotThereYetError("a @tilelang.jit function that is a kernel itself")
