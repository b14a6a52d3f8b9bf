# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Python function as the JSON that the compiler reads (docs/design/compile-interface.md).

`Capture` starts at a kernel and follows the functions it calls; for each it collects the text and
tree (`Source`) and every value that the body can see.
"""

from __future__ import annotations

import builtins
import hashlib
import json
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from . import values
from .errors import KilnError
from .language import _types as lang
from .nodes import NodeEncoder
from .source import Paths, Source, host_identity, lookup, statement_names

SCHEMA = 1
Json = dict[str, Any]


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


def _is_annotated_constexpr(owner: Any, name: str) -> bool:
    """Whether the module says `name: tl.constexpr = …`."""
    annotations = owner.get("__annotations__") if isinstance(owner, dict) else None
    annotation = annotations.get(name) if isinstance(annotations, dict) else None
    if isinstance(annotation, str):
        return annotation.rpartition(".")[2] == "constexpr"
    return annotation is lang.constexpr


class Capture:
    """A kernel, the functions it calls, and every value they can see."""

    def __init__(self, kernel: Any) -> None:
        self._functions: dict[int, tuple[str, _Function]] = {}
        self._plain: dict[types.FunctionType, Any] = {}  # as functions, or None
        self._collecting: Any = None  # the function whose names are being encoded
        self._order: list[_Function] = []
        self.host_functions: list[Callable[..., Any]] = []
        self._bodies: list[str | None] = []  # of the host functions: as functions of the capture
        self.globals: list[Global] = []
        self.symbols: dict[str, Any] = {}  # the symbolic extents among the values, by name
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

    def plain(self, function: types.FunctionType) -> Any | None:
        caller = self._collecting
        if caller is None:
            return None
        if function not in self._plain:
            self._plain[function] = caller.capture_plain(function)
        return self._plain[function]

    def host(self, function: Callable[..., Any]) -> int:
        for number, known in enumerate(self.host_functions):
            if known is function:
                return number
        number = len(self.host_functions)
        self.host_functions.append(function)
        self._bodies.append(None)
        if self._collecting is not None and type(function) is types.FunctionType:
            body = self._collecting.capture_body(function)
            if body is not None:
                self._bodies[number] = self.function(body)
        return number

    def symbol(self, symbol: Any) -> None:
        self.symbols.setdefault(symbol.name, symbol)

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
        outer = (self._collecting, self._paths)
        self._collecting = entry.jit
        try:
            self._collect_names(entry)
        finally:
            self._collecting, self._paths = outer

    def _collect_names(self, entry: _Function) -> None:
        function = entry.jit.fn
        read, local = statement_names(entry.source.tree)
        constants = entry.jit.capture_names()
        for name in sorted(read):
            if name in local:
                continue
            if name in constants:
                self._paths = read[name]
                entry.env[name] = values.encode(constants[name], self)
                continue
            found = lookup(function, name)
            if found is None:
                continue
            owner, value = found
            if owner is not builtins.__dict__:
                self.globals.append(Global(name, owner, value))
            self._paths = read[name]
            form = values.encode(value, self)
            if form["t"] != "constexpr" and _is_annotated_constexpr(owner, name):
                form = {"t": "constexpr", "v": form}
            entry.env[name] = form
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
            try:
                self._text = (size, json.dumps(self.to_json()))
            except RecursionError:
                raise KilnError(
                    f"the source of '{self._order[0].jit.fn.__qualname__}', or of a function that "
                    "it calls, nests too deeply"
                ) from None
        return self._text[1]

    def to_json(self) -> Json:
        """The capture of docs/design/compile-interface.md."""
        functions = {f"f{i}": _function_json(entry, self) for i, entry in enumerate(self._order)}
        hosts = [host_identity(function) for function in self.host_functions]
        return {
            "schema": SCHEMA,
            "kernel": "f0",
            "functions": functions,
            "hosts": hosts,
            "bodies": self._bodies,
        }

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


def _function_json(entry: _Function, refs: Capture) -> Json:
    source = entry.source
    encoder = NodeEncoder(source.line - source.first_tree_line)
    return {
        "name": entry.jit.fn.__name__,
        "file": source.file,
        "line": source.line,
        "source": source.lines,
        "params": list(_params_json(entry, encoder, refs)),
        "body": [encoder.node(s, s) for s in source.tree.body],
        "env": entry.env,
        "noinline": entry.jit.noinline,
        **entry.jit.capture_fields(refs),
    }


def _params_json(entry: _Function, encoder: NodeEncoder, refs: Capture) -> Iterator[Json]:
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
        param.update(entry.jit.capture_parameter(arg.arg, refs))
        yield param
    for hidden in entry.jit.capture_hidden_parameters():
        yield {"kind": "positional", "l": entry.source.line, "c": 0, **hidden}
