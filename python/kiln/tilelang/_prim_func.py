# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`@T.prim_func` and `@T.macro`: Python functions as TileLang kernels and the functions they call.

A prim_func has the parameters of its definition, then one integer parameter for each symbolic
extent in their shapes: the launch solves them (_binding.py).
"""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from .. import values
from ..capture import Capture
from ..errors import KilnError
from ..jit import JITFunction, KernelParam
from ..language import _types as lang
from ._dtypes import dtype
from ._helpers import is_computation, is_kernel_code
from ._symbols import Symbol, symbols_of
from ._tensors import TensorType

_KINDS = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class TileLangFunction(JITFunction):
    """What prim_funcs and macros share."""

    language = "tilelang"

    @property
    def place(self) -> str:
        """Where the function is defined, for errors."""
        code = self.fn.__code__
        return f"{code.co_filename}:{code.co_firstlineno}"

    def capture_fields(self, refs: values.References) -> dict[str, Any]:
        return {"language": self.language}

    def capture_plain(self, function: types.FunctionType) -> Macro | None:
        return Macro(function) if is_kernel_code(function) else None

    def capture_body(self, function: types.FunctionType) -> Macro | None:
        return Macro(function) if is_computation(function) else None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.fn.__module__}:{self.fn.__qualname__})"


class Macro(TileLangFunction):
    """A function that kernels call."""

    may_be_lambda = True

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise KilnError(
            f"macro '{self.fn.__name__}' ({self.place}) can be called only inside a kernel"
        )


class PrimFunc(TileLangFunction):
    """A kernel. `tilelang.compile` makes it callable; `tilelang.jit` does where it is returned.

    `tensors` maps the parameters that are tensors to their declarations, `symbols` are the
    extents that the launch solves, in the order in which the shapes mention them.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        names: Mapping[str, Any] | None = None,
        pass_configs: dict[str, Any] | None = None,
    ) -> None:
        if isinstance(fn, PrimFunc):
            names = fn._names if names is None else names
            fn = fn.fn
        self._names = dict(names or {})
        self.pass_configs = dict(pass_configs or {})
        self.tensors: dict[str, TensorType] = {}
        self.symbols: list[Symbol] = []
        super().__init__(fn)

    def with_pass_configs(self, pass_configs: dict[str, Any]) -> PrimFunc:
        """The same kernel, compiled with these settings."""
        return PrimFunc(self, pass_configs=pass_configs)

    def _parameters(self) -> list[KernelParam]:
        rows: list[inspect.Parameter] = []
        for parameter in self.signature.parameters.values():
            declared = self._declared(parameter)
            if isinstance(declared, TensorType):
                self.tensors[parameter.name] = declared
                rows.append(parameter.replace(annotation=inspect.Parameter.empty))
            else:
                rows.append(parameter.replace(annotation=lang.from_kiln_name(declared.kiln_name)))
        return self._with_symbols(rows)

    def _with_symbols(self, rows: list[inspect.Parameter]) -> list[KernelParam]:
        """Parameters from their definitions, and those of the symbolic extents."""
        self.symbols = self._symbols()
        names = {row.name for row in rows}
        for symbol in self.symbols:
            if symbol.name in names:
                raise KilnError(
                    f"{self.place}: prim_func '{self.fn.__name__}' has a parameter and an extent "
                    f"with the name '{symbol.name}', expected different names"
                )
            annotation = lang.from_kiln_name(symbol.dtype.kiln_name)
            rows.append(inspect.Parameter(symbol.name, _KINDS[1], annotation=annotation))
        return [KernelParam(i, row, False, False) for i, row in enumerate(rows)]

    def _symbols(self) -> list[Symbol]:
        shapes = (tensor.shape for tensor in self.tensors.values())
        found = {s.name: s for shape in shapes for extent in shape for s in symbols_of(extent)}
        return list(found.values())

    def _declared(self, parameter: inspect.Parameter) -> TensorType | dtype:
        """A tensor's declaration or a scalar's element type."""
        where = f"{self.place}: parameter '{parameter.name}' of prim_func '{self.fn.__name__}'"
        if parameter.kind not in _KINDS:
            raise KilnError(f"{where}: found '{parameter}', expected a plain parameter")
        if parameter.default is not parameter.empty:
            raise KilnError(f"{where}: found a default value, expected none")
        if parameter.annotation is parameter.empty:
            raise KilnError(
                f"{where}: found no annotation, expected T.Tensor(…) or an element type"
            )
        found = self._evaluated(parameter.annotation, where)
        if isinstance(found, TensorType):
            return found
        try:
            scalar = dtype(found)
        except ValueError:
            scalar = None
        if scalar is None or not scalar.kiln_name:
            text = found if isinstance(found, str) else repr(found)
            raise KilnError(f"{where}: found {text}, expected T.Tensor(…) or an element type")
        return scalar

    def _evaluated(self, annotation: Any, where: str) -> Any:
        """An annotation that is a text, as `from __future__ import annotations` makes it, is an
        expression of the names around the function."""
        if not isinstance(annotation, str) or isinstance(annotation, dtype):
            return annotation
        try:
            return eval(annotation, dict(self.fn.__globals__), _Names(self.fn, self._names))
        except KilnError:
            raise
        except Exception as error:
            try:
                return dtype(annotation)  # a plain name of an element type, such as "float32"
            except ValueError:
                raise KilnError(
                    f"{where}: the annotation '{annotation}' cannot be evaluated: "
                    f"{type(error).__name__}: {error}"
                ) from None

    @property
    def capture(self) -> Capture:
        made = super().capture
        known = {s.name for s in self.symbols}
        for name in made.symbols:
            if name not in known:
                raise KilnError(
                    f"{self.place}: prim_func '{self.fn.__name__}' uses the extent '{name}', which "
                    "the arguments do not determine: no tensor has it as an extent"
                )
        return made

    # Asked by kiln.capture

    def capture_fields(self, refs: values.References) -> dict[str, Any]:
        configs = {k: values.encode(v, refs) for k, v in self.pass_configs.items()}
        return {**super().capture_fields(refs), "pass_configs": configs}

    def capture_parameter(self, name: str, refs: values.References) -> dict[str, Any]:
        tensor = self.tensors.get(name)
        return {} if tensor is None else {"tensor": tensor.to_json(refs)}

    def capture_hidden_parameters(self) -> list[dict[str, Any]]:
        return [
            {"name": s.name, "annotation": s.dtype.kiln_name, "symbol": True} for s in self.symbols
        ]

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(
            f"prim_func '{self.fn.__name__}' ({self.place}) was called like a function; make a "
            "kernel of it with tilelang.compile(…), or return it from a @tilelang.jit function"
        )


class _Names(dict[str, Any]):
    """What a function's annotations can see beside its globals: its closure, then the names of the
    block that it is defined in."""

    def __init__(self, function: types.FunctionType, names: Mapping[str, Any]) -> None:
        super().__init__(names)
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            try:
                self[name] = cell.cell_contents
            except ValueError:  # not assigned yet
                self.pop(name, None)


def _outer_names(depth: int) -> dict[str, Any]:
    """The local names of the block that a decorator stands in."""
    frame = sys._getframe(depth + 1)
    return {} if frame.f_locals is frame.f_globals else dict(frame.f_locals)


def prim_func(func: Callable[..., Any] | None = None, private: bool = False) -> Any:
    """Makes a function a kernel: `@T.prim_func`."""
    names = _outer_names(1)
    if func is None:
        return lambda function: PrimFunc(function, names)
    return PrimFunc(func, names)


def macro(func: Callable[..., Any] | None = None, **_: Any) -> Any:
    """Makes a function one that kernels call: `@T.macro`."""
    return Macro if func is None else Macro(func)
