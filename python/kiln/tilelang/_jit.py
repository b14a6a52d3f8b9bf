# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilelang.jit` and `tilelang.compile`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from ..errors import KilnError
from . import _pass_configs
from ._eager import EagerKernel, is_eager
from ._kernel import Kernel, KernelParam
from ._keys import key_of
from ._prim_func import PrimFunc
from .cache import Memo


def compile(  # noqa: A001 - the public name
    func: PrimFunc,
    out_idx: Any = None,
    execution_backend: str | None = None,
    target: Any = "auto",
    target_host: Any = None,
    verbose: bool = False,
    pass_configs: dict[Any, Any] | None = None,
    compile_flags: Any = None,
    *,
    workspace_idx: Any = None,
    platform: str = "auto",
) -> Kernel:
    """A kernel that is called with tensors (kiln.tilelang._kernel.Kernel) of a prim_func.

    Where it runs is Kiln's current device; `execution_backend`, `target`, `target_host`,
    `platform`, `verbose` and `compile_flags` are accepted and choose nothing.
    """
    if not isinstance(func, PrimFunc):
        found = type(func).__name__
        raise TypeError(f"tilelang.compile: found a {found}, expected a @T.prim_func")
    return Kernel(
        func.with_pass_configs(_checked(pass_configs, func.place)), out_idx, workspace_idx
    )


def _checked(pass_configs: dict[Any, Any] | None, place: str) -> dict[str, Any]:
    try:
        return _pass_configs.check(pass_configs)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{place}: {error}") from None


class CompiledArtifact(NamedTuple):
    """What `lower` gives: the parameters, and the tile IR that is the same for every device."""

    params: list[KernelParam]
    kernel_source: str


def lower(
    func: PrimFunc, target: Any = "auto", target_host: Any = None, **_: Any
) -> CompiledArtifact:
    """Compiles a prim_func as far as tile IR; `tilelang.compile` gives what can be called."""
    kernel = compile(func, target=target, target_host=target_host)
    return CompiledArtifact(kernel.params, kernel.compiled().asm["tile"])


class LazyFunction:
    """A function that returns a prim_func; calling it gives that kernel.

    The kernels are kept by the arguments of the call. `target` is what the author named.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        out_idx: Any,
        workspace_idx: Any,
        pass_configs: dict[str, Any],
        target: Any = "auto",
    ) -> None:
        self.fn, self.target = fn, target
        self.out_idx, self.workspace_idx, self.pass_configs = out_idx, workspace_idx, pass_configs
        self._signature = inspect.signature(fn)
        self._place = f"{fn.__code__.co_filename}:{fn.__code__.co_firstlineno}"
        self._memo = Memo()
        functools.update_wrapper(self, fn)

    def __call__(self, *args: Any, **kwargs: Any) -> Kernel:
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self._place}: '{self.fn.__name__}': {error}") from None
        bound.apply_defaults()
        try:
            key = key_of(bound.arguments)
            hash(key)
        except TypeError:
            return self._make(bound)
        return self._memo.get(key) or self._memo.keep(key, self._make(bound))

    def _make(self, bound: inspect.BoundArguments) -> Kernel:
        func = self.get_tir(*bound.args, **bound.kwargs)
        return Kernel(func.with_pass_configs(self.pass_configs), self.out_idx, self.workspace_idx)

    def compile(self, *args: Any, **kwargs: Any) -> Kernel:
        return self(*args, **kwargs)

    @property
    def __jit_impl__(self) -> LazyFunction:
        """Where published files look for `target`."""
        return self

    def get_tir(self, *args: Any, **kwargs: Any) -> PrimFunc:
        """The prim_func that the function returns."""
        func = self.fn(*args, **kwargs)
        if not isinstance(func, PrimFunc):
            raise KilnError(
                f"{self._place}: '{self.fn.__name__}' returned a "
                f"{type(func).__name__}, expected a @T.prim_func (or, to be a kernel itself, a "
                "block 'with T.Kernel(…)' in its body)"
            )
        return func

    def __repr__(self) -> str:
        return f"<tilelang.jit {self.fn.__qualname__}>"


def jit(
    func: Callable[..., Any] | PrimFunc | None = None,
    *,
    out_idx: Any = None,
    workspace_idx: Any = None,
    target: Any = "auto",
    target_host: Any = None,
    platform: str = "auto",
    execution_backend: str | None = None,
    verbose: bool = False,
    pass_configs: dict[Any, Any] | None = None,
    debug_root_path: str | None = None,
    compile_flags: Any = None,
) -> Any:
    """Makes kernels of a function: `@tilelang.jit` or `@tilelang.jit(out_idx=[-1], …)`.

    A function that returns a @T.prim_func becomes one that returns kernels (`LazyFunction`); one
    that is a kernel itself, with `with T.Kernel(…)` in its body, becomes that kernel
    (`EagerKernel`). out_idx, workspace_idx, pass_configs: as for `compile`; the other arguments are
    accepted and choose nothing.
    """
    if func is None:
        return lambda function: _decorate(function, out_idx, workspace_idx, pass_configs, target)
    return _decorate(func, out_idx, workspace_idx, pass_configs, target)


def _decorate(func: Any, out_idx: Any, workspace_idx: Any, pass_configs: Any, target: Any) -> Any:
    if isinstance(func, PrimFunc):
        return compile(func, out_idx, pass_configs=pass_configs, workspace_idx=workspace_idx)
    if not inspect.isfunction(func):
        found = type(func).__name__
        raise TypeError(f"tilelang.jit: found a {found}, expected a function")
    place = f"{func.__code__.co_filename}:{func.__code__.co_firstlineno}"
    configs = _checked(pass_configs, place)
    if not is_eager(func):
        return LazyFunction(func, out_idx, workspace_idx, configs, target)
    for what, value in (("out_idx", out_idx), ("workspace_idx", workspace_idx)):
        if value is not None:
            raise KilnError(
                f"{place}: kernel '{func.__name__}': found {what}={value!r}, expected none: a "
                "kernel without a @T.prim_func makes its outputs with T.empty(…) and returns them"
            )
    return EagerKernel(func, configs)
