# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`@triton.jit`: a Python function as a kernel. The launch itself is native (native/Function.h)."""

from __future__ import annotations

import functools
import inspect
import json
import types
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

from . import _native, options, values
from .capture import Capture
from .errors import KilnError
from .kernel import CompiledKernel
from .language import _names
from .language import _types as lang
from .source import Source


class KernelInterface:
    """Anything that launches as `kernel[grid](…)`."""


class KernelParam:
    """A parameter of a kernel."""

    def __init__(
        self, num: int, param: inspect.Parameter, no_specialize: bool, no_align: bool
    ) -> None:
        self.num, self.name, self._param = num, param.name, param
        self.do_not_specialize = no_specialize
        self.do_not_specialize_on_alignment = no_align
        self.annotation = _annotation_text(param.annotation)

    @property
    def is_constexpr(self) -> bool:
        return self.annotation == "constexpr"

    @property
    def is_positional(self) -> bool:
        return self._param.kind in (
            inspect.Parameter.POSITIONAL_ONLY,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
        )

    @property
    def has_default(self) -> bool:
        return self._param.default is not inspect.Parameter.empty

    @property
    def default(self) -> Any:
        return self._param.default

    @property
    def scalar_type(self) -> str | None:
        """Kiln's name of the element type that an annotation fixes, such as "i64"."""
        public = _names.SIGNATURE_NAMES.get(self.annotation, self.annotation)
        try:
            return lang.dtype(public).kiln_name
        except ValueError:
            return None


def _annotation_text(annotation: Any) -> str:
    if annotation is inspect.Parameter.empty:
        return ""
    if annotation is lang.constexpr:
        return "constexpr"
    if isinstance(annotation, lang.pointer_type):
        return "*" + annotation.element_ty.kiln_name
    if isinstance(annotation, lang.dtype):
        return annotation.kiln_name
    if isinstance(annotation, str):
        text = annotation.strip("'\" ")
        return "constexpr" if text.rpartition(".")[2] == "constexpr" else text.rpartition(".")[2]
    return ""


class JITFunction(_native.Function, KernelInterface):
    """A kernel. `kernel[grid](*args, **kwargs)` launches it and returns the compiled kernel.

    grid: an integer, up to three of them, or a callable on the dictionary of bound arguments.
    Arguments: NumPy arrays, PyTorch CPU tensors, `kiln.Tensor`, objects with `__dlpack__` or
    `data_ptr()`; bool, int, float and NumPy scalars; None. Keywords that are no parameters are
    launch options (kiln.options), among them `device`.
    Raises TypeError or ValueError for wrong arguments, kiln.CompilationError for a kernel that does
    not compile, kiln.DeviceAssertionError, and RuntimeError if a global value that compiled code
    depends on has changed.
    """

    __kiln_jit__ = True
    may_be_lambda = False

    def __init__(
        self,
        fn: Callable[..., Any],
        version: Any = None,
        do_not_specialize: Iterable[int | str] | None = None,
        do_not_specialize_on_alignment: Iterable[int | str] | None = None,
        debug: bool | None = None,
        noinline: bool | None = None,
        repr: Callable[..., str] | None = None,
        launch_metadata: Callable[..., Any] | None = None,
    ) -> None:
        if isinstance(fn, JITFunction):
            fn = fn.fn
        if not isinstance(fn, types.FunctionType):
            raise TypeError(f"jit: found a {type(fn).__name__}, expected a function")
        self.fn = fn
        self.version, self.debug, self.noinline = version, debug, bool(noinline)
        self.launch_metadata = launch_metadata
        self.do_not_specialize = list(do_not_specialize or ())
        self.do_not_specialize_on_alignment = list(do_not_specialize_on_alignment or ())
        self._repr = repr
        self._text: str | None = None
        self._source: Source | None = None
        self._capture: Capture | None = None
        self._callers: weakref.WeakSet[JITFunction] = weakref.WeakSet()
        self.hooks: list[Callable[..., Any]] = []
        functools.update_wrapper(self, fn)
        self.signature = inspect.signature(fn)
        self._bind_parameters()

    def _parameters(self) -> list[KernelParam]:
        return [
            KernelParam(
                i,
                parameter,
                i in self.do_not_specialize or name in self.do_not_specialize,
                i in self.do_not_specialize_on_alignment
                or name in self.do_not_specialize_on_alignment,
            )
            for i, (name, parameter) in enumerate(self.signature.parameters.items())
        ]

    def _bind_parameters(self) -> None:
        self.params = self._parameters()
        self.arg_names = [p.name for p in self.params]
        self.constexprs = [p.num for p in self.params if p.is_constexpr]
        self.annotations = {p.name: p.annotation for p in self.params if p.annotation}
        self.defaults = {p.name: p.default for p in self.params if p.has_default}
        positional = sum(p.is_positional for p in self.params)
        rows = [
            (
                p.name,
                p.is_constexpr,
                p.do_not_specialize,
                p.do_not_specialize_on_alignment,
                p.scalar_type,
                p.has_default,
                p.default if p.has_default else None,
            )
            for p in self.params
        ]
        self._setup(self.fn.__name__, rows, positional, self._encode_options({}))

    # The function's text

    @property
    def source(self) -> Source:
        if self._source is None:
            self._source = Source(self.fn, self._text, self.may_be_lambda)
        return self._source

    @property
    def src(self) -> str:
        """The text from `def` on, not indented."""
        return self.source.text

    @src.setter
    def src(self, text: str) -> None:
        self._unsafe_update_src(text)

    def _unsafe_update_src(self, text: str) -> None:
        """Replaces the text. Compiled variants are forgotten; names still resolve as before."""
        self._text = text
        self._source = None
        self._forget()

    def _forget(self) -> None:
        """Drops what was made of the text, here and in the kernels that call this function."""
        callers, self._callers = self._callers, weakref.WeakSet()
        self._capture = None
        self._reset()
        for caller in callers:
            if caller is not self:
                caller._forget()

    @property
    def capture(self) -> Capture:
        """What the compiler gets to see; made at the first compilation."""
        if self._capture is None:
            self._check_kinds()
            self._capture = Capture(self)
            for callee in self._capture.jit_functions:
                callee._callers.add(self)
            self._set_globals([(g.name, g.owner, g.value) for g in self._capture.globals])
        return self._capture

    def _check_kinds(self) -> None:
        for parameter in self.signature.parameters.values():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                star = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
                raise KilnError(
                    f"{self.source.file}:{self.source.line}: kernel '{self.fn.__name__}' is "
                    f"launched with '{star}{parameter.name}', expected named parameters only"
                )

    @property
    def cache_key(self) -> str:
        return self.capture.hash

    hash = cache_key

    @property
    def used_global_vals(self) -> dict[tuple[str, int], tuple[Any, Any]]:
        return {(g.name, id(g.owner)): (g.value, g.owner) for g in self.capture.globals}

    @property
    def device_caches(self) -> dict[str, list[CompiledKernel]]:
        return {"cpu": self._variants()}

    # Asked by kiln.capture: what other languages than Triton say of a function

    def capture_fields(self, refs: values.References) -> dict[str, Any]:
        """Further members of the captured function."""
        return {}

    def capture_parameter(self, name: str, refs: values.References) -> dict[str, Any]:
        """Further members of a captured parameter."""
        return {}

    def capture_names(self) -> Mapping[str, Any]:
        """Names that the body sees before those of its closure and its module; constants."""
        return {}

    def capture_plain(self, function: types.FunctionType) -> JITFunction | None:
        """A plain Python function that the body sees as one that is compiled with it; None leaves
        it to the host."""
        return None

    def capture_body(self, function: types.FunctionType) -> JITFunction | None:
        """What a call inlines of a function that the host evaluates, where it gets values that are
        known only at run time; None if that is an error."""
        return None

    def capture_hidden_parameters(self) -> list[dict[str, Any]]:
        """Parameters that the definition does not name; they come last."""
        return []

    # Asked by the native part

    def _encode_options(self, chosen: dict[str, Any]) -> str:
        if self.debug is not None:
            chosen.setdefault("debug", self.debug)
        return options.encode(chosen, self.fn.__name__)

    def _encode_constant(self, value: Any) -> str:
        return json.dumps(values.encode(lang.unwrap(value), self.capture))

    def _globals_changed(self) -> None:
        """Judges names outside the function that are bound to other objects than at compile time.

        A changed value is an error, as compiled code would be stale; another function or module of
        the same name makes the function compile anew.
        """
        assert self._capture is not None
        for known in self._capture.globals:
            found = known.current()
            if found is known.value:
                continue
            if _is_value(known.value) and found != known.value:
                raise RuntimeError(
                    f"the global '{known.name}' has changed since kernel '{self.fn.__name__}' was "
                    f"compiled: found {found!r}, expected {known.value!r}"
                )
        self._forget()

    def _make_compiled(self, handle: _native.KernelHandle) -> CompiledKernel:
        return CompiledKernel(handle, self.capture, self.fn.__name__)

    # Launching

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> CompiledKernel:
        if warmup:
            return self._warmup(*args, **kwargs)
        return self[grid](*args, **kwargs)

    def warmup(self, *args: Any, grid: Any = None, **kwargs: Any) -> CompiledKernel:
        """Compiles for these arguments, of which arrays may be element types; does not launch."""
        return self._warmup(*args, **kwargs)

    def preload(self, _data: str) -> NoReturn:
        raise KilnError("preload: kernels are loaded from the cache by themselves")

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(
            f"kernel '{self.fn.__name__}' was called like a function; launch it as "
            f"{self.fn.__name__}[grid](…), or call it inside another kernel"
        )

    def repr(self, _: Any = None) -> str:
        return self._repr(_) if self._repr else self.fn.__name__

    def __repr__(self) -> str:
        return f"JITFunction({self.fn.__module__}:{self.fn.__qualname__})"

    def __reduce__(self) -> Any:
        return f"{self.fn.__qualname__}"


def _is_value(value: Any) -> bool:
    simple = (bool, int, float, str, tuple, list, lang.constexpr, lang.dtype, type(None))
    return isinstance(value, simple)


def jit(fn: Callable[..., Any] | None = None, **settings: Any) -> Any:
    """Makes a function a kernel: `@jit` or `@jit(debug=…, do_not_specialize=…, …)`."""
    if fn is None:
        return lambda function: JITFunction(function, **settings)
    return JITFunction(fn, **settings)


class ConstexprFunction:
    """A function on compile-time values, callable in kernels and on the host."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.__kiln_host__ = fn
        functools.update_wrapper(self, fn)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # Launch wrappers call `cdiv` between kernels: few steps, for the caches are cold there.
        values = [a.value if isinstance(a, lang.constexpr) else a for a in args]
        if not kwargs:
            return self.__kiln_host__(*values)
        return self.__kiln_host__(*values, **{k: lang.unwrap(v) for k, v in kwargs.items()})


def constexpr_function(fn: Callable[..., Any]) -> ConstexprFunction:
    """Marks a Python function that kernels may call on compile-time values."""
    return ConstexprFunction(fn)
