# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The statements before the `with T.Kernel(…)` of an eager kernel, as Python that runs."""

from __future__ import annotations

import ast
import copy
import threading
import types
from collections.abc import Mapping
from typing import Any

from ..errors import KilnError
from ..source import Source
from ._symbols import Symbol, split_names
from ._tensors import TensorType


class Output(TensorType):
    """What `T.empty` makes while declarations run."""

    def __init__(self, shape: Any, dtype: Any) -> None:
        super().__init__(shape, dtype)
        _running().outputs.append(self)


class _Run:
    """One run of the declarations of a kernel."""

    def __init__(self, known: Mapping[str, int]) -> None:
        self.known = known
        self.consts: dict[str, Symbol] = {}
        self.outputs: list[Output] = []


_local = threading.local()


def _running() -> _Run:
    run = getattr(_local, "run", None)
    if run is None:
        raise KilnError(
            "T.const and T.empty belong before the 'with T.Kernel(…)' of a @tilelang.jit function"
        )
    return run


def const(names: str, dtype: Any = "int32") -> Any:
    """Extents that the arrays of a call determine, each a constant of the kernel."""
    run = _running()
    made = []
    for name in split_names(names):
        symbol = Symbol(name, dtype)
        run.consts[name] = symbol
        made.append(run.known.get(name, symbol))
    return made[0] if len(made) == 1 else tuple(made)


def empty(*shape: Any, dtype: Any = "float32") -> Output:
    """An output: `T.empty((M, N), dtype)` or `T.empty(M, N, dtype=dtype)`."""
    if shape and isinstance(shape[0], (tuple, list)):
        extents, rest = shape[0], shape[1:]
    elif shape and isinstance(shape[-1], str):
        extents, rest = shape[:-1], shape[-1:]
    else:
        extents, rest = shape, ()
    if len(rest) > 1:
        raise TypeError(f"T.empty: found {rest!r} after the shape, expected a dtype")
    return Output(extents, rest[0] if rest else dtype)


def opens_kernel(node: ast.AST) -> bool:
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


def bound_names(statement: ast.stmt) -> list[ast.Name]:
    """The names that a statement binds."""
    nodes = ast.walk(statement)
    return [n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


class Declared:
    """What a run has found: `tensors` by parameter, `outputs` in the order they are made and the
    indices of those `returned`, and the `names` that the kernel's block can see."""

    def __init__(self) -> None:
        self.tensors: dict[str, TensorType] = {}
        self.consts: dict[str, Symbol] = {}
        self.outputs: list[Output] = []
        self.returned: list[int] = []
        self.names: dict[str, Any] = {}


class Declarations:
    """The statements of a function before its `with T.Kernel(…)`, and its `return`."""

    def __init__(self, function: Any) -> None:
        self.source = source = Source(function)
        self.function, self.file = function, source.file
        self.shift = source.line - source.first_tree_line
        body = source.tree.body
        opens = next((i for i, s in enumerate(body) if opens_kernel(s)), None)
        if opens is None:
            raise self.error(source.tree, "found 'with T.Kernel(…)' inside another statement")
        self.before, self.block, after = body[:opens], body[opens], body[opens + 1 :]
        self.result: ast.expr | None = None
        for statement in after:
            if not isinstance(statement, ast.Return) or statement is not after[-1]:
                raise self.error(statement, "expected nothing but a 'return' of the outputs here")
            self.result = statement.value
        names = {s.target.id for s in self.before if _is_declaration(s)}  # type: ignore[attr-defined]
        # Tensors whose extents are known beforehand may be declared where the parameter is.
        self.declared = {
            name: found
            for name, found in function.__annotations__.items()
            if isinstance(found, TensorType) and name not in names
        }
        parameters = [a.arg for a in source.tree.args.args]
        self.tensor_names = [n for n in parameters if n in names or n in self.declared]
        self._codes = [self._code(s) for s in self.before]
        self._result = None if self.result is None else self._code(ast.Expr(self.result))

    def _code(self, statement: ast.stmt) -> types.CodeType:
        """A declaration as its annotation, an expression as its value, else what executes."""
        statement = copy.deepcopy(statement)
        if _is_declaration(statement):
            value = statement.annotation  # type: ignore[attr-defined]
        elif isinstance(statement, ast.Expr):
            value = statement.value
        else:
            module = ast.increment_lineno(ast.Module([statement], []), self.shift)
            try:
                return compile(module, self.file, "exec")
            except SyntaxError as error:  # what stands in functions only, such as an early return
                raise KilnError(
                    f"{self.file}:{error.lineno}: kernel '{self.function.__name__}': {error.msg} "
                    "before the 'with T.Kernel(…)'"
                ) from None
        return compile(ast.increment_lineno(ast.Expression(value), self.shift), self.file, "eval")

    def error(self, node: ast.AST, message: str) -> KilnError:
        line = node.lineno + self.shift  # type: ignore[attr-defined]
        return KilnError(f"{self.file}:{line}: kernel '{self.function.__name__}': {message}")

    def run(self, constants: Mapping[str, Any], known: Mapping[str, int], whole: bool) -> Declared:
        """Runs the statements. With `whole` false, those that work while extents are open count.

        KilnError names the line of what goes wrong.
        """
        outside = _outside(self.function)
        names = {**outside, **constants, **self.declared}
        declared, run = Declared(), _Run(known)
        declared.tensors.update(self.declared)
        outer, _local.run = getattr(_local, "run", None), run
        try:
            for statement, code in zip(self.before, self._codes, strict=True):
                try:
                    self._statement(statement, code, names, declared)
                except Exception as error:
                    if not whole:
                        continue
                    if isinstance(error, KilnError) and str(error).startswith(self.file):
                        raise
                    raise self.error(statement, f"{type(error).__name__}: {error}") from error
            declared.consts, declared.outputs = run.consts, run.outputs
            if whole:
                declared.returned = self._returned(names, run.outputs)
                declared.names = {
                    name: value
                    for name, value in names.items()
                    if name not in outside or value is not outside[name]
                }
        finally:
            _local.run = outer
        return declared

    def _statement(
        self, statement: ast.stmt, code: types.CodeType, names: dict[str, Any], declared: Declared
    ) -> None:
        found = eval(code, names)
        if _is_declaration(statement):
            name = statement.target.id  # type: ignore[attr-defined]
            if name not in self.tensor_names or not isinstance(found, TensorType):
                raise self.error(
                    statement, f"found '{name}: {found!r}', expected a parameter and T.Tensor(…)"
                )
            declared.tensors[name] = names[name] = found

    def _returned(self, names: dict[str, Any], outputs: list[Output]) -> list[int]:
        try:
            found = None if self._result is None else eval(self._result, names)
        except Exception as error:
            assert self.result is not None
            raise self.error(self.result, f"{type(error).__name__}: {error}") from error
        parts = found if isinstance(found, (tuple, list)) else () if found is None else (found,)
        returned = []
        for part in parts:
            index = next((i for i, output in enumerate(outputs) if output is part), None)
            if index is None or index in returned:
                assert self.result is not None
                raise self.error(self.result, "expected each output of T.empty(…) once")
            returned.append(index)
        if len(returned) < len(outputs):
            node = self.result or self.before[-1]
            raise self.error(
                node, f"{len(outputs)} T.empty(…), but {len(returned)} returned, expected all"
            )
        return returned


def _is_declaration(statement: ast.stmt) -> bool:
    """Whether the statement is `name: annotation`."""
    return (
        isinstance(statement, ast.AnnAssign)
        and statement.value is None
        and isinstance(statement.target, ast.Name)
    )


def _outside(function: Any) -> dict[str, Any]:
    """The names that a function can see from outside."""
    names = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            names[name] = cell.cell_contents
        except ValueError:
            continue
    return names
