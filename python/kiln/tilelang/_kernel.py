# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel that is called with tensors.

A call checks its arguments, solves the symbolic extents, makes the arrays that the caller leaves to
the runtime, and launches as many programs as the kernel's report says. What follows from types and
shapes alone is kept, so that a call like an earlier one does little more than launch.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from .. import _native
from ..errors import KilnError
from ..kernel import CompiledKernel
from ..language import _types as lang
from ._arrays import ArrayKind, as_array, default_kind, kind_of
from ._binding import Binder
from ._dtypes import PUBLIC_NAMES, dtype
from ._grid import evaluate_grid
from ._prim_func import PrimFunc
from ._tensors import shape_text

_MOST_PLANS = 1024


class Plan(NamedTuple):
    """What a call does that is like an earlier one."""

    launch: Callable[..., CompiledKernel]
    made: tuple[tuple[int, tuple[int, ...], dtype], ...]  # index, shape, element type of new arrays
    extents: tuple[int, ...]


class KernelParam(NamedTuple):
    """A parameter: `shape` has numbers and symbolic extents, and is empty for a scalar."""

    name: str
    dtype: dtype
    shape: tuple[Any, ...]


class Kernel:
    """`kernel(*tensors)` launches a prim_func.

    out_idx: the parameters that the call makes and returns, workspace_idx: those that it makes and
    drops; their contents are undefined at first. A call with arrays for all parameters makes none:
    it fills those of out_idx and returns them. A keyword `device` of the call names the device.
    Raises TypeError and ValueError for arguments that do not fit, kiln.CompilationError.
    """

    def __init__(self, func: PrimFunc, out_idx: Any = None, workspace_idx: Any = None) -> None:
        self.prim_func = func
        names = [p.name for p in func.params[: len(func.params) - len(func.symbols)]]
        self._binder = Binder(f"{func.place}: kernel '{func.fn.__name__}'", names, func.tensors)
        self.out_idx = self._indices("out_idx", out_idx)
        self.workspace_idx = self._indices("workspace_idx", workspace_idx, self.out_idx)
        made = {*self.out_idx, *self.workspace_idx}
        self._inputs = [i for i in range(len(names)) if i not in made]
        self._made = sorted(made)
        self._check_determined()
        self._plans: dict[Any, Plan] = {}
        self._compiled: dict[str, CompiledKernel] = {}  # the last one of each device

    def _indices(self, what: str, value: Any, taken: Sequence[int] = ()) -> list[int]:
        """Indices of parameters, none negative."""
        if value is None:
            return []
        names, result = self._binder.names, []
        many = isinstance(value, Iterable) and not isinstance(value, (dict, str))
        for index in value if many else (value,):
            where = f"{self._binder.kernel}: {what}"
            if isinstance(index, bool) or not hasattr(index, "__index__"):
                raise TypeError(f"{where}: found {index!r}, expected an index of a parameter")
            index = operator.index(index)
            if not -len(names) <= index < len(names):
                raise ValueError(
                    f"{where}: found {index}, expected {-len(names)} to {len(names) - 1}: the "
                    f"kernel has {len(names)} parameters"
                )
            index %= len(names)
            if index in result or index in taken:
                raise ValueError(
                    f"{where}: parameter '{names[index]}' (index {index}) occurs twice"
                )
            if names[index] not in self._binder.tensors:
                raise ValueError(
                    f"{where}: parameter '{names[index]}' (index {index}) is a number, expected a "
                    "tensor"
                )
            result.append(index)
        return result

    def _check_determined(self) -> None:
        """Every extent must be that of an input."""
        tensors, names = self._binder.tensors, self._binder.names
        inputs = (tensors[names[i]].shape for i in self._inputs if names[i] in tensors)
        # By identity of the name: comparing extents is an expression.
        found = {getattr(extent, "name", None) for shape in inputs for extent in shape}
        for symbol in self.prim_func.symbols:
            if symbol.name not in found:
                raise KilnError(self._binder.undetermined(symbol.name))

    # The call

    def __call__(self, *args: Any, device: str | None = None) -> Any:
        if len(args) != len(self._inputs):
            arrays = (as_array(args[i]) is not None for i in self._made if i < len(args))
            if len(args) != len(self._binder.names) or not all(arrays):
                raise self._wrong_count(len(args))
            self._whole(*args, device=device)
            return self._results(args)
        key: list[Any] = [device]
        like, kind = None, None
        for value in args:
            array_kind = kind_of(value)
            if array_kind is None:
                if type(value) not in (int, float, bool):
                    return self._call_slowly(args, device)
                key.append(type(value) if type(value) is float else value)
            else:
                if not array_kind.is_dense(value):
                    return self._call_slowly(args, device)  # an error
                key += (value.shape, value.dtype)
                if like is None:
                    like, kind = value, array_kind
        plan = self._plans.get(tuple(key))
        if plan is None:
            bound = self._binder.bind([*zip(self._inputs, args, strict=True)])
            plan = self._plan(bound, like, kind or default_kind(), device)
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            self._plans[tuple(key)] = plan
        return self._launch(plan, args, like, kind or default_kind(), device)

    def _call_slowly(self, args: Sequence[Any], device: str | None) -> Any:
        bound = self._binder.bind([*zip(self._inputs, args, strict=True)])
        arrays = [v for v in bound[0] if kind_of(v) is not None]
        like = arrays[0] if arrays else None
        kind = kind_of(like) or default_kind()
        plan = self._plan(bound, like, kind, device)
        return self._launch(plan, bound[0], like, kind, device)

    def _wrong_count(self, found: int) -> TypeError:
        names = [self._binder.names[i] for i in self._inputs]
        text = f"{self._binder.kernel} takes {len(names)} arguments ({', '.join(names)})"
        return TypeError(f"{text}, found {found}")

    def _plan(
        self,
        bound: tuple[list[Any], dict[str, int]],
        like: Any,
        kind: ArrayKind,
        device: str | None,
    ) -> Plan:
        inputs, known = bound
        tensors, names = self._binder.tensors, self._binder.names
        # Sizes and addresses choose code: these are arguments as the launch will have them.
        made, arguments = [], dict(zip(self._inputs, inputs, strict=True))
        for index in self._made:
            declared = tensors[names[index]]
            shape = tuple(self._binder.extent(e, known) for e in declared.shape)
            arguments[index] = self._first_output(index, shape, kind, like)
            made.append((index, shape, declared.dtype))
        extents = tuple(known[s.name] for s in self.prim_func.symbols)
        slots = [*(arguments[i] for i in range(len(names))), *extents]
        compiled = self._warm_up(slots, device)
        grid = evaluate_grid(compiled.report, slots, self._binder.kernel)
        return Plan(self.prim_func[(grid,)], tuple(made), extents)

    def _first_output(self, index: int, shape: tuple[int, ...], kind: ArrayKind, like: Any) -> Any:
        """The array of an output whose shape no launch has had yet."""
        where, text = self._binder.where(index), shape_text(shape)
        if any(extent < 0 for extent in shape):
            raise ValueError(f"{where}: found shape {text}, expected no negative extent")
        try:
            return kind.empty(shape, self._binder.tensors[self._binder.names[index]].dtype, like)
        except (MemoryError, OverflowError, RuntimeError, ValueError) as error:
            raise KilnError(
                f"{where}: an output of shape {text} is not to be had: {error}"
            ) from None

    def _launch(
        self, plan: Plan, args: Sequence[Any], like: Any, kind: ArrayKind, device: str | None
    ) -> Any:
        values = list(args)
        for index, shape, element in plan.made:
            values.insert(index, kind.empty(shape, element, like))
        if device is None:
            plan.launch(*values, *plan.extents)
        else:
            plan.launch(*values, *plan.extents, device=device)
        return self._results(values)

    def _results(self, values: Sequence[Any]) -> Any:
        if len(self.out_idx) == 1:
            return values[self.out_idx[0]]
        return tuple(values[i] for i in self.out_idx) if self.out_idx else None

    @functools.cached_property
    def _whole(self) -> Kernel:
        """The same kernel without parameters that a call makes."""
        whole = Kernel(self.prim_func)
        whole._compiled = self._compiled
        return whole

    # What is there to look at

    def _warm_up(self, arguments: Sequence[Any], device: str | None) -> CompiledKernel:
        options = {} if device is None else {"device": device}
        compiled = self.prim_func.warmup(*arguments, **options)
        self._compiled[device or _native.current_device()] = compiled
        return compiled

    def compiled(self, device: str | None = None) -> CompiledKernel:
        """The variant of the last call on a device (the current one, unless named), or one for
        arguments of which nothing is known."""
        found = self._compiled.get(device or _native.current_device())
        if found is not None:
            return found
        arguments: list[Any] = []
        for name in self._binder.names:
            declared = self._binder.tensors.get(name)
            if declared is not None:
                arguments.append(lang.from_kiln_name(declared.dtype.kiln_name))
            else:
                arguments.append(2)
        return self._warm_up([*arguments, *(2 for _ in self.prim_func.symbols)], device)

    def get_kernel_source(self, kernel_only: bool = True) -> str:
        """The code for the current device: assembly, or the npu dialect of a simulated NPU."""
        stages = self.compiled().asm
        return stages["asm" if "asm" in stages else "npu"]

    @property
    def kernel_source(self) -> str:
        return self.get_kernel_source()

    @property
    def params(self) -> list[KernelParam]:
        rows = []
        for param in self.prim_func.params[: len(self._binder.names)]:
            declared = self._binder.tensors.get(param.name)
            if declared is None:
                rows.append(KernelParam(param.name, dtype(PUBLIC_NAMES[param.scalar_type]), ()))
            else:
                rows.append(KernelParam(param.name, declared.dtype, declared.shape))
        return rows

    def get_profiler(self, tensor_supply_type: Any = None) -> Any:
        """What times and checks this kernel (kiln.tilelang.profiler)."""
        from .profiler import Profiler

        return Profiler(self, tensor_supply_type)

    def __repr__(self) -> str:
        return f"<kernel {self.prim_func.fn.__name__} at {self.prim_func.place}>"
