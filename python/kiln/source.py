# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of a function: where it stands, its syntax tree, the names it reads."""

from __future__ import annotations

import ast
import builtins
import hashlib
import linecache
import textwrap
import tokenize
import types
from collections.abc import Callable
from typing import Any

from .errors import KilnError
from .language import _types as lang
from .values import BUILTINS


class Source:
    """The text and syntax tree of one function.

    Positions count from `line`, the file line of `lines[0]`; columns are those of the file. The
    tree of a lambda is that of a function which returns its expression.
    """

    def __init__(
        self, function: types.FunctionType, text: str | None = None, may_be_lambda: bool = False
    ) -> None:
        code = function.__code__
        self.file = code.co_filename
        if function.__name__ == "<lambda>":
            if not may_be_lambda:
                raise KilnError(f"{self.file}:{code.co_firstlineno}: a kernel must be a `def`")
            self.lines, self.tree = _lambda(function)
            self.line = self.first_tree_line = self.tree.lineno
            return
        if text is None:
            self.lines, self.line = _function_lines(function, _last_line(code))
        else:
            self.lines, self.line = text.splitlines(), code.co_firstlineno
        try:
            self.tree, self.first_tree_line = _parse(self.lines, function)
        except SyntaxError as error:
            if text is not None or not self._parse_from_header(function):
                raise KilnError(
                    f"the source of '{function.__qualname__}' does not parse: {error}"
                ) from None

    def _parse_from_header(self, function: types.FunctionType) -> bool:
        """A body that is a docstring compiles to nothing: its place follows from the `def`."""
        self.lines, self.line = _function_lines(function, _last_header_line(function))
        try:
            self.tree, self.first_tree_line = _parse(self.lines, function)
        except SyntaxError:
            return False
        return True

    @property
    def text(self) -> str:
        """The function without its decorators, not indented."""
        first = self.tree.lineno - self.first_tree_line
        return textwrap.dedent("\n".join(self.lines[first:]) + "\n")


def _function_lines(function: types.FunctionType, end: int) -> tuple[list[str], int]:
    """The lines of the function, which reaches line `end` at least, and the first one's number."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    first = code.co_firstlineno
    if len(lines) < first:
        raise KilnError(
            f"the source of '{function.__qualname__}' is not available (it was defined in "
            f"{code.co_filename}, line {first}); a kernel must stand in a file or a notebook cell"
        )
    indent = _indent(lines[first - 1])
    # What compiled to nothing (dead code, comments) still belongs to the function.
    while end < len(lines):
        line = lines[end]
        if line.strip() and not line.lstrip().startswith("#") and _indent(line) <= indent:
            break
        end += 1
    while end > first and not lines[end - 1].strip():
        end -= 1
    return [line.rstrip("\r\n") for line in lines[first - 1 : end]], first


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _last_header_line(function: types.FunctionType) -> int:
    """Where the colon of the `def` stands. Slow: the tokenizer compiles its expressions first."""
    code = function.__code__
    lines, first = linecache.getlines(code.co_filename, function.__globals__), code.co_firstlineno
    depth, inside = 0, False
    reader = iter(lines[first - 1 :])
    for token in tokenize.generate_tokens(lambda: next(reader, "")):
        if token.type == tokenize.NAME and token.string == "def":
            inside = True
        elif token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
            if inside and depth == 0 and token.string == ":":
                return first - 1 + token.start[0]
    return first


def _last_line(code: types.CodeType) -> int:
    last = max((p[1] or 0 for p in code.co_positions()), default=0)
    inner = (c for c in code.co_consts if isinstance(c, types.CodeType))
    return max(last, code.co_firstlineno, *(_last_line(c) for c in inner), 0)


def _parse(lines: list[str], function: types.FunctionType) -> tuple[ast.FunctionDef, int]:
    """The definition and the tree's line of `lines[0]`."""
    text = "\n".join(lines) + "\n"
    first = 1
    if lines and lines[0][:1].isspace():
        # A block around it keeps the columns, which removing the indentation would not.
        text, first = "if 1:\n" + text, 2
    code = function.__code__
    where = f"{code.co_filename}:{code.co_firstlineno}: '{function.__qualname__}'"
    body = ast.parse(text, code.co_filename).body
    if body and first == 2:
        body = body[0].body  # type: ignore[attr-defined]
    if not body:
        raise KilnError(f"{where}: found no `def` there; has the file changed since it was loaded?")
    if not isinstance(body[0], ast.FunctionDef):
        raise KilnError(f"{where} is not a plain `def`")
    return body[0], first


# The trees of files that lambdas were looked for in, with the lines that they were made of.
_files: dict[str, tuple[list[str], ast.Module]] = {}


def _lambda(function: types.FunctionType) -> tuple[list[str], ast.FunctionDef]:
    """A lambda's lines and its tree. It may stand anywhere: the whole file is searched."""
    code = function.__code__
    place = f"{code.co_filename}:{code.co_firstlineno}"
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    known = _files.get(code.co_filename)
    if known is None or known[0] is not lines:
        try:
            known = lines, ast.parse("".join(lines), code.co_filename)
        except SyntaxError as error:
            raise KilnError(f"{place}: the source of a lambda does not parse: {error}") from None
        _files[code.co_filename] = known
    inside = [
        node
        for node in ast.walk(known[1])
        if isinstance(node, ast.Lambda)
        and node.lineno == code.co_firstlineno
        and _has_code(node.body, code)
    ]
    if not inside:
        raise KilnError(f"{place}: the source of a lambda is not available")
    found = inside[-1]  # the innermost: they stand in one another, and outer ones come first
    tree = ast.FunctionDef("<lambda>", found.args, [ast.Return(found.body)], [])
    ast.copy_location(tree, found)
    ast.copy_location(tree.body[0], found.body)
    end = found.end_lineno or found.lineno
    return [text.rstrip("\r\n") for text in lines[found.lineno - 1 : end]], tree


def _has_code(node: ast.expr, code: types.CodeType) -> bool:
    """Whether all instructions stand in the expression, but those without a place."""
    begin = node.lineno, node.col_offset
    end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    places = [p for p in code.co_positions() if None not in p and p[2] != p[3]]
    return bool(places) and all(
        begin <= (line, column) and (last, end_column) <= end  # type: ignore[operator]
        for line, last, column, end_column in places
    )


# Attributes asked of a name, as paths: `a.b.c` and `a.d` are {("b", "c"), ("b",), ("d",)} of `a`.
Paths = set[tuple[str, ...]]


def statement_names(tree: ast.FunctionDef) -> tuple[dict[str, Paths], set[str]]:
    """Names that the body reads, with the attributes asked of them, and its local names."""
    read: dict[str, Paths] = {}
    local = {a.arg for a in parameters(tree.args)}
    for statement in tree.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Load):
                    read.setdefault(node.id, set())
                else:
                    local.add(node.id)
            elif isinstance(node, ast.Attribute):
                path: list[str] = []
                while isinstance(node, ast.Attribute):
                    path.insert(0, node.attr)
                    node = node.value
                if isinstance(node, ast.Name):
                    read.setdefault(node.id, set()).add(tuple(path))
    return read, local


def parameters(args: ast.arguments) -> list[ast.arg]:
    extra = [a for a in (args.vararg, args.kwarg) if a]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *extra]


def lookup(function: types.FunctionType, name: str) -> tuple[Any, Any] | None:
    """Where `name` lives and its value, by Python's rule: closure, globals, builtins."""
    free = function.__code__.co_freevars
    if name in free and function.__closure__ is not None:
        cell = function.__closure__[free.index(name)]
        try:
            return cell, cell.cell_contents
        except ValueError:
            return None
    if name in function.__globals__:
        return function.__globals__, function.__globals__[name]
    if name in BUILTINS:
        return builtins.__dict__, builtins.__dict__[name]
    return None


def host_identity(function: Callable[..., Any]) -> str:
    """A hash of what the results of a host function depend on: its code and that of the functions
    it calls, and the plain values they see. Other objects count by their type."""
    return hashlib.sha256(_identity(function, set()).encode()).hexdigest()


def _identity(value: Any, seen: set[int]) -> str:
    if value is None or isinstance(value, (bool, int, float, str, lang.dtype, lang.constexpr)):
        return repr(value)
    if id(value) in seen:
        return "again"
    seen.add(id(value))
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__}{[_identity(v, seen) for v in value]}"
    if isinstance(value, dict):
        return f"dict{[(repr(k), _identity(v, seen)) for k, v in value.items()]}"
    if isinstance(value, types.CodeType):
        return f"{value.co_code.hex()}{[_identity(c, seen) for c in value.co_consts]}"
    value = getattr(value, "__kiln_host__", value)
    name = f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value))}"
    if not isinstance(value, types.FunctionType):
        return name
    code = value.__code__
    found = (lookup(value, n) for n in (*code.co_names, *code.co_freevars))
    used = [_identity(entry[1], seen) for entry in found if entry is not None]
    return (
        f"{name}{_identity(code, seen)}{_identity(value.__defaults__, seen)}{code.co_names}{used}"
    )
