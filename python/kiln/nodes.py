# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Syntax nodes as JSON, one to one (docs/design/compile-interface.md)."""

from __future__ import annotations

import ast
from typing import Any

from . import values

Json = dict[str, Any]

_DROPPED_FIELDS = frozenset(("ctx", "type_comment", "kind", "type_params", "type_ignores"))
_OPERATORS = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop)


class NodeEncoder:
    """Syntax nodes as JSON, one to one."""

    def __init__(self, shift: int) -> None:
        self.shift = shift

    def node(self, node: ast.AST, place: ast.AST) -> Json:
        # comprehension, arguments and withitem have no place of their own.
        place = node if hasattr(node, "lineno") else place
        form: Json = {
            "k": type(node).__name__,
            "l": place.lineno + self.shift,
            "c": place.col_offset,
            "el": place.end_lineno + self.shift,
            "ec": place.end_col_offset,
        }
        if isinstance(node, ast.Constant):
            form["value"] = self._constant(node.value)
            return form
        for name in node._fields:
            if name not in _DROPPED_FIELDS:
                form[name] = self._field(getattr(node, name, None), place)
        return form

    def _field(self, value: Any, place: ast.AST) -> Any:
        if isinstance(value, list):
            return [self._field(v, place) for v in value]
        if isinstance(value, _OPERATORS):
            return type(value).__name__
        if isinstance(value, ast.AST):
            return self.node(value, place)
        return value

    @staticmethod
    def _constant(value: Any) -> Json:
        if value is ... or isinstance(value, (bytes, complex)):
            return {"t": "opaque", "v": type(value).__name__}
        return values.encode(value, _NO_REFERENCES)


class _NoReferences:
    def function(self, function: Any) -> str:
        raise AssertionError("a literal is not a function")

    def plain(self, function: Any) -> Any:
        raise AssertionError("a literal is not a function")

    def host(self, function: Any) -> int:
        raise AssertionError("a literal is not a function")

    def module(self, module: Any) -> Json:
        raise AssertionError("a literal is not a module")

    def symbol(self, symbol: Any) -> None:
        raise AssertionError("a literal is not a symbol")


_NO_REFERENCES = _NoReferences()
