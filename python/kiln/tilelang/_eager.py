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
from collections.abc import Callable
from typing import Any

from ..jit import KernelParam
from ..source import Source
from ._arrays import as_array, kind_of
from ._binding import Binder
from ._declarations import Declarations, Declared, Output, bound_names, opens_kernel
from ._kernel import Kernel
from ._keys import key_of
from ._prim_func import PrimFunc

_MOST_KERNELS = 256


def is_eager(function: Callable[..., Any]) -> bool:
    """Whether the function is a kernel itself: it has a `with T.Kernel(…)` outside functions that
    it defines."""
    return any(opens_kernel(node) for node in _own_nodes(Source(function).tree))


def _own_nodes(tree: ast.FunctionDef) -> list[ast.AST]:
    """The nodes of a function's body without those of functions in it."""
    found: list[ast.AST] = []
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            found.append(node)
            pending.extend(ast.iter_child_nodes(node))
    return found


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
            places = {n.id: n for s in self._declarations.before for n in bound_names(s)}
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
        for name in sorted({node.id for node in bound_names(block)} & names.keys()):
            if isinstance(names[name], (bool, int, float, str)):
                target = ast.Name(name, ast.Store())
                assign = ast.Assign([target], ast.Constant(names[name]))
                for node in ast.walk(assign):
                    ast.copy_location(node, block)
                result.append(assign)
        return result

    def capture_names(self) -> dict[str, Any]:
        return self._declared.names


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
        self._is_tensor = [name in self._declarations.tensor_names for name in self._names]
        parameters = self._signature.parameters.values()
        self._is_plain = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)
        self._defaults = [p.default for p in parameters if p.default is not p.empty]
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
        given = self._bind(args, kwargs)
        key: list[Any] = []
        for value, is_tensor in zip(given, self._is_tensor, strict=True):
            if not is_tensor:
                key.append(key_of(value))
                continue
            array = as_array(value)
            key += (getattr(array, "shape", None), getattr(array, "dtype", None))
        tensors = [v for v, is_tensor in zip(given, self._is_tensor, strict=True) if is_tensor]
        try:
            kernel = self._calls.get(tuple(key))
        except TypeError:
            self._check_constants(given)
            raise
        if kernel is None:
            kernel = self._make(given, tensors)
            if len(self._calls) >= _MOST_KERNELS:
                self._calls.clear()
            self._calls[tuple(key)] = kernel
        return kernel, tensors

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The values of all parameters."""
        missing = len(self._names) - len(args)
        if self._is_plain and not kwargs and 0 <= missing <= len(self._defaults):
            return [*args, *self._defaults[len(self._defaults) - missing :]]
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self._label}: {error}") from None
        bound.apply_defaults()
        return [bound.arguments[name] for name in self._names]

    def _check_constants(self, given: list[Any]) -> None:
        for index, (name, value) in enumerate(zip(self._names, given, strict=True)):
            if kind_of(value) is not None and not self._is_tensor[index]:
                raise TypeError(
                    f"{self._label}: argument '{name}' (index {index}): found an array, expected a "
                    f"constant: no line '{name}: T.Tensor(…)' before 'with T.Kernel(…)' says that "
                    "it is a tensor"
                )

    def _make(self, given: list[Any], tensors: list[Any]) -> Kernel:
        self._check_constants(given)
        rows = zip(self._names, given, self._is_tensor, strict=True)
        constants = {name: value for name, value, is_tensor in rows if not is_tensor}
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
        key = (key_of(constants), tuple(sorted(consts.items())))
        if key not in self._kernels:
            func = _EagerFunc(self._declarations, whole, self.pass_configs)
            self._kernels[key] = Kernel(func, [len(tensors) + k for k in whole.returned])
        return self._kernels[key]

    def __repr__(self) -> str:
        return f"<tilelang.jit kernel {self.fn.__qualname__}>"
