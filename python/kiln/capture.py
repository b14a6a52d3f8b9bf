# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Python function as the JSON that the compiler reads (docs/design/compile-interface.md).

Two steps, because a process whose kernels are all in the cache needs only the first:
`Source` finds the text and parses it; `Capture` collects the values that the function and the
functions it calls can see, and hashes text and values. `Capture.to_json` writes the syntax tree.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import json
import linecache
import sys
import textwrap
import types
from collections.abc import Callable, Iterator
from typing import Any

from . import values
from .errors import KilnError
from .language import _types as lang

SCHEMA = 1
Json = dict[str, Any]

_DROPPED_FIELDS = frozenset(("ctx", "type_comment", "kind", "type_params", "type_ignores"))
_OPERATORS = (ast.operator, ast.unaryop, ast.boolop, ast.cmpop)


class Source:
    """The text and syntax tree of one function.

    Positions count from `line`, the file line of `lines[0]`; columns are those of the file.
    """

    def __init__(self, function: types.FunctionType, text: str | None = None) -> None:
        code = function.__code__
        if function.__name__ == "<lambda>":
            raise KilnError(f"{code.co_filename}:{code.co_firstlineno}: a kernel must be a `def`")
        self.file = code.co_filename
        if text is None:
            self.lines, self.line = _function_lines(function)
        else:
            self.lines, self.line = text.splitlines(), code.co_firstlineno
        self.tree, self.first_tree_line = _parse(self.lines, function)

    @property
    def text(self) -> str:
        """The function without its decorators, not indented."""
        first = self.tree.lineno - self.first_tree_line
        return textwrap.dedent("\n".join(self.lines[first:]) + "\n")


def _function_lines(function: types.FunctionType) -> tuple[list[str], int]:
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
    end = _last_line(code)
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
    try:
        body = ast.parse(text, function.__code__.co_filename).body
    except SyntaxError as error:
        raise KilnError(
            f"the source of '{function.__qualname__}' does not parse: {error}"
        ) from None
    node = body[0].body[0] if first == 2 else body[0]  # type: ignore[attr-defined]
    if not isinstance(node, ast.FunctionDef):
        raise KilnError(f"'{function.__qualname__}' is not a plain `def`")
    return node, first


# Attributes asked of a name, as paths: `a.b.c` and `a.d` are {("b", "c"), ("b",), ("d",)} of `a`.
Paths = set[tuple[str, ...]]


def _statement_names(tree: ast.FunctionDef) -> tuple[dict[str, Paths], set[str]]:
    """Names that the body reads, with the attributes asked of them, and its local names."""
    read: dict[str, Paths] = {}
    local = {a.arg for a in _parameters(tree.args)}
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


def _parameters(args: ast.arguments) -> list[ast.arg]:
    extra = [a for a in (args.vararg, args.kwarg) if a]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *extra]


class Global:
    """A name outside the function: where it was found and what it was, to notice a change."""

    __slots__ = ("name", "owner", "value")

    def __init__(self, name: str, owner: dict[str, Any] | types.CellType, value: Any) -> None:
        self.name, self.owner, self.value = name, owner, value

    def current(self) -> Any:
        if isinstance(self.owner, dict):
            return self.owner.get(self.name)
        try:
            return self.owner.cell_contents
        except ValueError:
            return None


class _Function:
    """One function of a capture."""

    def __init__(self, jit_function: Any) -> None:
        self.jit = jit_function
        self.source: Source = jit_function.source
        self.env: Json = {}
        self.defaults: Json = {}


class Capture:
    """A kernel, the functions it calls, and every value they can see."""

    def __init__(self, kernel: Any) -> None:
        self._functions: dict[int, tuple[str, _Function]] = {}
        self._order: list[_Function] = []
        self.host_functions: list[Callable[..., Any]] = []
        self.globals: list[Global] = []
        self._paths: Paths = set()
        self._text: tuple[tuple[int, int], str] = ((0, 0), "")
        self.function(kernel)

    @property
    def jit_functions(self) -> list[Any]:
        """The kernel and every function it calls."""
        return [entry.jit for entry in self._order]

    # References of kiln.values

    def function(self, jit_function: Any) -> str:
        known = self._functions.get(id(jit_function))
        if known:
            return known[0]
        name = f"f{len(self._functions)}"
        entry = _Function(jit_function)
        self._functions[id(jit_function)] = (name, entry)
        self._order.append(entry)
        self._collect(entry)
        return name

    def host(self, function: Callable[..., Any]) -> int:
        for number, known in enumerate(self.host_functions):
            if known is function:
                return number
        self.host_functions.append(function)
        return len(self.host_functions) - 1

    def module(self, module: types.ModuleType) -> Json:
        paths, attributes = self._paths, {}
        for name in sorted({path[0] for path in paths if path}):
            if name in module.__dict__:
                value = module.__dict__[name]
                self.globals.append(Global(name, module.__dict__, value))
                self._paths = {path[1:] for path in paths if path[:1] == (name,)}
                attributes[name] = values.encode(value, self)
        self._paths = paths
        return {"t": "module", "v": module.__name__, "attrs": attributes}

    def _collect(self, entry: _Function) -> None:
        function = entry.jit.fn
        read, local = _statement_names(entry.source.tree)
        for name in sorted(read):
            if name in local:
                continue
            found = _lookup(function, name)
            if found is None:
                continue
            owner, value = found
            if owner is not builtins.__dict__:
                self.globals.append(Global(name, owner, value))
            self._paths = read[name]
            entry.env[name] = values.encode(value, self)
        for name, value in entry.jit.defaults.items():
            entry.defaults[name] = values.encode(value, self)

    @property
    def hash(self) -> str:
        """Equal hashes, equal meaning."""
        digest = hashlib.sha256(f"kiln capture {SCHEMA} {sys.version_info[:2]}".encode())
        digest.update(self.text.encode())
        return digest.hexdigest()

    @property
    def text(self) -> str:
        """`to_json` as text. Grows if a kernel is passed as a constexpr argument."""
        size = (len(self._order), len(self.host_functions))
        if self._text[0] != size:
            self._text = (size, json.dumps(self.to_json()))
        return self._text[1]

    def to_json(self) -> Json:
        """The capture of docs/design/compile-interface.md."""
        functions = {f"f{i}": _function_json(entry) for i, entry in enumerate(self._order)}
        hosts = [_host_identity(function) for function in self.host_functions]
        return {"schema": SCHEMA, "kernel": "f0", "functions": functions, "hosts": hosts}

    def call_host(self, request: Json) -> Json:
        """Answers the compiler's request to evaluate a host function (KilnCompileHost.callHost)."""
        try:
            function = self.host_functions[request["function"]]
            function = getattr(function, "__kiln_host__", function)
            args = [lang.unwrap(values.decode(a)) for a in request.get("args", ())]
            kwargs = {
                k: lang.unwrap(values.decode(a)) for k, a in request.get("kwargs", {}).items()
            }
            return {"value": values.encode(lang.unwrap(function(*args, **kwargs)), self)}
        except Exception as error:  # the compiler reports it at the call
            return {"error": f"{type(error).__name__}: {error}"}

    def call_host_text(self, request: str) -> str:
        return json.dumps(self.call_host(json.loads(request)))


def _lookup(function: types.FunctionType, name: str) -> tuple[Any, Any] | None:
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
    if name in values.BUILTINS:
        return builtins.__dict__, builtins.__dict__[name]
    return None


def _host_identity(function: Callable[..., Any]) -> str:
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
    found = (_lookup(value, n) for n in (*code.co_names, *code.co_freevars))
    used = [_identity(entry[1], seen) for entry in found if entry is not None]
    return (
        f"{name}{_identity(code, seen)}{_identity(value.__defaults__, seen)}{code.co_names}{used}"
    )


def _function_json(entry: _Function) -> Json:
    source = entry.source
    encoder = _NodeEncoder(source.line - source.first_tree_line)
    return {
        "name": entry.jit.fn.__name__,
        "file": source.file,
        "line": source.line,
        "source": source.lines,
        "params": list(_params_json(entry, encoder)),
        "body": [encoder.node(s, s) for s in source.tree.body],
        "env": entry.env,
        "noinline": entry.jit.noinline,
    }


def _params_json(entry: _Function, encoder: _NodeEncoder) -> Iterator[Json]:
    args = entry.source.tree.args
    kinds = [(a, "positional") for a in (*args.posonlyargs, *args.args)]
    kinds += [(args.vararg, "vararg")] if args.vararg else []
    kinds += [(a, "kwonly") for a in args.kwonlyargs]
    kinds += [(args.kwarg, "kwarg")] if args.kwarg else []
    for arg, kind in kinds:
        param = {
            "name": arg.arg,
            "kind": kind,
            "annotation": entry.jit.annotations.get(arg.arg, ""),
            "l": arg.lineno + encoder.shift,
            "c": arg.col_offset,
        }
        if arg.arg in entry.defaults:
            param["default"] = entry.defaults[arg.arg]
        yield param


class _NodeEncoder:
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

    def host(self, function: Any) -> int:
        raise AssertionError("a literal is not a function")

    def module(self, module: Any) -> Json:
        raise AssertionError("a literal is not a module")


_NO_REFERENCES = _NoReferences()
