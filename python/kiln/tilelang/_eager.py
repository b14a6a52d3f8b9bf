# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The eager form: a function that is a kernel itself.

    @tilelang.jit
    def scale(A, factor: float = 2.0):
        M, N = T.const("M, N")            # extents of the arrays of the call
        A: T.Tensor((M, N), "float32")    # A is a tensor; what has no such line is a constant
        C = T.empty((M, N), "float32")    # made for the call
        with T.Kernel(M, threads=1) as row:
            …
        return C

The statements before `with T.Kernel(…)` are ordinary Python over extents, and a call runs them
(`Declarations`): first with the extents of `T.const` open, to learn what the tensors are and to
solve the extents from the arrays; then with their values, to learn what the outputs are. What
remains is a prim_func of the tensors and the outputs whose body is the block of the kernel and that
sees, as constants, every name that those statements have bound (`_EagerFunc`).
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import threading
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import KilnError
from ..jit import KernelParam
from ..source import Source
from ._arrays import as_array, kind_of
from ._binding import Binder
from ._kernel import Kernel
from ._keys import key_of
from ._prim_func import PrimFunc
from ._symbols import Symbol, make_symbols, split_names
from ._tensors import TensorType

_MOST_KERNELS = 256


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
    found = [split_names(names)] if isinstance(names, str) else []
    made = []
    for name in found[0] if found else names:
        symbol = make_symbols(name, dtype, True)
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


# Which form a function has


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


# What the declarations say


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
        opens = next((i for i, s in enumerate(body) if _opens_kernel(s)), None)
        if opens is None:
            raise self.error(source.tree, "found 'with T.Kernel(…)' inside another statement")
        self.before, self.block, after = body[:opens], body[opens], body[opens + 1 :]
        self.result: ast.expr | None = None
        for statement in after:
            if not isinstance(statement, ast.Return) or statement is not after[-1]:
                raise self.error(statement, "expected nothing but a 'return' of the outputs here")
            self.result = statement.value
        names = {a.arg for a in source.tree.args.args}
        # Only these can be tensors; a constant of the same call has another value each time.
        self.tensor_names = [
            s.target.id
            for s in self.before
            if isinstance(s, ast.AnnAssign)
            and s.value is None
            and isinstance(s.target, ast.Name)
            and s.target.id in names
        ]

    def error(self, node: ast.AST, message: str) -> KilnError:
        line = node.lineno + self.shift  # type: ignore[attr-defined]
        return KilnError(f"{self.file}:{line}: kernel '{self.function.__name__}': {message}")

    def run(self, constants: Mapping[str, Any], known: Mapping[str, int], whole: bool) -> Declared:
        """Runs the statements. With `whole` false, those that work while extents are open.

        KilnError names the line of what goes wrong.
        """
        outside = _outside(self.function)
        names = {**outside, **constants}
        declared, run = Declared(), _Run(known)
        outer, _local.run = getattr(_local, "run", None), run
        try:
            for statement in self.before:
                try:
                    self._statement(statement, names, declared)
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

    def _statement(self, statement: ast.stmt, names: dict[str, Any], declared: Declared) -> None:
        if isinstance(statement, ast.AnnAssign) and statement.value is None:
            if not isinstance(statement.target, ast.Name):
                return
            name = statement.target.id
            found = self._evaluate(statement.annotation, names)
            if name not in self.tensor_names or not isinstance(found, TensorType):
                raise self.error(
                    statement, f"found '{name}: {found!r}', expected a parameter and T.Tensor(…)"
                )
            declared.tensors[name] = names[name] = found
            return
        module = ast.Module([statement], [])
        exec(compile(module, self.file, "exec"), names)

    def _evaluate(self, node: ast.expr, names: dict[str, Any]) -> Any:
        return eval(compile(ast.Expression(node), self.file, "eval"), names)

    def _returned(self, names: dict[str, Any], outputs: list[Output]) -> list[int]:
        try:
            found = None if self.result is None else self._evaluate(self.result, names)
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


def _outside(function: Any) -> dict[str, Any]:
    """The names that a function can see from outside."""
    names = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            names[name] = cell.cell_contents
        except ValueError:
            continue
    return names


# Kernels


class _EagerFunc(PrimFunc):
    """The kernel of one set of constants and extents."""

    def __init__(
        self, declarations: Declarations, declared: Declared, pass_configs: dict[str, Any]
    ) -> None:
        self._declarations, self._declared = declarations, declared
        self._output_names = [self._name_of(output) for output in declared.outputs]
        super().__init__(declarations.function, pass_configs=pass_configs)

    def _name_of(self, output: Output) -> str:
        for name, value in self._declared.names.items():
            if value is output:
                return name
        raise self._declarations.error(
            self._declarations.block, "an output of T.empty(…) has no name of its own"
        )

    def _parameters(self) -> list[KernelParam]:
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        for name in self._declarations.tensor_names:
            self.tensors[name] = self._declared.tensors[name]
        for name, output in zip(self._output_names, self._declared.outputs, strict=True):
            self.tensors[name] = output
        return self._with_symbols([inspect.Parameter(name, kind) for name in self.tensors])

    @property
    def source(self) -> Source:
        """The function with the tensors and the outputs as parameters and the block as body."""
        if self._source is None:
            whole = self._declarations.source
            self._source = copy.copy(whole)
            self._source.tree = copy.copy(whole.tree)
            given = {a.arg: a for a in whole.tree.args.args}
            places = {n.id: n for s in self._declarations.before for n in _bound(s)}
            block = self._declarations.block
            arguments = [
                ast.copy_location(ast.arg(name), given.get(name) or places.get(name) or block)
                for name in self.tensors
            ]
            self._source.tree.args = ast.arguments([], arguments, None, [], [], None, [])
            self._source.tree.body = [*self._rebound(block), block]
        return self._source

    def _rebound(self, block: ast.stmt) -> list[ast.stmt]:
        """Names that the block binds anew start from the values that they have before it."""
        names, result = self._declared.names, []
        for name in sorted({node.id for node in _bound(block)} & names.keys()):
            if isinstance(names[name], (bool, int, float, str)):
                target = ast.Name(name, ast.Store())
                assign = ast.Assign([target], ast.Constant(names[name]))
                for node in ast.walk(assign):
                    ast.copy_location(node, block)
                result.append(assign)
        return result

    def capture_names(self) -> dict[str, Any]:
        return self._declared.names


def _bound(statement: ast.stmt) -> list[ast.Name]:
    """The names that a statement binds."""
    nodes = ast.walk(statement)
    return [n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


class EagerKernel:
    """`kernel(*tensors, **constants)` compiles and launches; the outputs are returned.

    A keyword `device` names the device. Raises TypeError and ValueError for arguments that do not
    fit, kiln.KilnError for declarations that cannot be run, kiln.CompilationError.
    """

    def __init__(self, fn: Any, pass_configs: dict[str, Any]) -> None:
        self.fn, self.pass_configs = fn, pass_configs
        self._declarations = Declarations(fn)
        self._signature = inspect.signature(fn)
        self._names = list(self._signature.parameters)
        self._label = (
            f"{fn.__code__.co_filename}:{fn.__code__.co_firstlineno}: kernel '{fn.__name__}'"
        )
        # By the types of a call, and by what of them makes another kernel.
        self._calls: dict[Any, Kernel] = {}
        self._kernels: dict[Any, Kernel] = {}
        functools.update_wrapper(self, fn)

    def __call__(self, *args: Any, device: str | None = None, **kwargs: Any) -> Any:
        kernel, tensors = self._find(args, kwargs)
        return kernel(*tensors, device=device)

    def compile(self, *args: Any, **kwargs: Any) -> Kernel:
        """The kernel for these arguments, which takes the tensors alone."""
        return self._find(args, kwargs)[0]

    def _find(self, args: Any, kwargs: Any) -> tuple[Kernel, list[Any]]:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        tensors = [given[name] for name in self._declarations.tensor_names]
        constants = {k: v for k, v in given.items() if k not in self._declarations.tensor_names}
        constants_key = key_of(constants)
        arrays = [as_array(tensor) for tensor in tensors]
        key = (
            constants_key,
            *((getattr(a, "shape", None), getattr(a, "dtype", None)) for a in arrays),
        )
        try:
            kernel = self._calls.get(key)
        except TypeError:
            self._check_constants(constants)
            raise
        if kernel is None:
            kernel = self._make(constants, constants_key, tensors)
            if len(self._calls) >= _MOST_KERNELS:
                self._calls.clear()
            self._calls[key] = kernel
        return kernel, tensors

    def _check_constants(self, constants: dict[str, Any]) -> None:
        for name, value in constants.items():
            if kind_of(value) is not None:
                raise TypeError(
                    f"{self._label}: argument '{name}' (index {self._names.index(name)}): found an "
                    f"array, expected a constant: no line '{name}: T.Tensor(…)' before 'with "
                    "T.Kernel(…)' says that it is a tensor"
                )

    def _make(self, constants: dict[str, Any], constants_key: Any, tensors: list[Any]) -> Kernel:
        self._check_constants(constants)
        declared = self._declarations.run(constants, {}, whole=False)
        missing = [n for n in self._declarations.tensor_names if n not in declared.tensors]
        if missing:
            self._declarations.run(constants, {}, whole=True)  # says what is wrong
        binder = Binder(self._label, self._names, declared.tensors)
        indices = [self._names.index(name) for name in self._declarations.tensor_names]
        _, known = binder.bind([*zip(indices, tensors, strict=True)])
        consts = {name: known[name] for name in declared.consts if name in known}
        whole = self._declarations.run(constants, consts, whole=True)
        for name in whole.consts:
            if name not in consts:
                raise ValueError(binder.undetermined(name))
        key = (constants_key, tuple(sorted(consts.items())))
        if key not in self._kernels:
            func = _EagerFunc(self._declarations, whole, self.pass_configs)
            self._kernels[key] = Kernel(func, [len(tensors) + k for k in whole.returned])
        return self._kernels[key]

    def __repr__(self) -> str:
        return f"<tilelang.jit kernel {self.fn.__qualname__}>"
