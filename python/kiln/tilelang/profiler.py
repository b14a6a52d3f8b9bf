# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Timing and checking kernels by wall clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import KilnError
from ..triton.testing import do_bench as _do_bench
from ._arrays import NUMPY
from ._symbols import Symbolic
from .utils.tensor import TensorSupplyType


def do_bench(
    fn: Callable[[], Any],
    warmup: float = 25,
    rep: float = 100,
    quantiles: Any = None,
    return_mode: str = "mean",
    **_: Any,
) -> Any:
    """The run time of `fn()` in milliseconds by wall clock; further settings choose nothing."""
    return _do_bench(fn, warmup, rep, None, quantiles, return_mode)


class Profiler:
    """Calls a kernel with arrays of its declared shapes, which have to be numbers."""

    def __init__(self, kernel: Any, supply_type: TensorSupplyType | None = None) -> None:
        self.kernel = kernel
        self.supply_type = supply_type or TensorSupplyType.Auto

    def inputs(self, seed: int = 0) -> list[Any]:
        """Arguments of the kernel, as the supply type says; `Auto` is small integers for integers
        and normal numbers for the others."""
        import numpy as np

        random = np.random.default_rng(seed)
        made = {*self.kernel.out_idx, *self.kernel.workspace_idx}
        result: list[Any] = []
        for index, param in enumerate(self.kernel.params):
            if index in made:
                continue
            if not param.shape or any(isinstance(extent, Symbolic) for extent in param.shape):
                raise KilnError(
                    f"{self.kernel}: no array can be made for parameter '{param.name}': its shape "
                    "is no list of numbers; call the kernel with arrays instead"
                )
            array = NUMPY.empty(param.shape, param.dtype, None)
            array[...] = self._contents(random, param)
            result.append(array)
        return result

    def _contents(self, random: Any, param: Any) -> Any:
        kinds = TensorSupplyType
        kind, is_integer = self.supply_type, param.dtype.kiln_name[0] in "iu"
        if kind in (kinds.Zero, kinds.One):
            return int(kind is kinds.One)
        if is_integer or kind is kinds.Integer:
            return random.integers(0, 2 if param.dtype == "bool" else 8, param.shape)
        if kind is kinds.Uniform:
            return random.uniform(-1.0, 1.0, param.shape)
        return random.standard_normal(param.shape)

    def run_once(self, func: Callable[..., Any] | None = None) -> Any:
        return (func or self.kernel)(*self.inputs())

    def do_bench(
        self,
        func: Callable[..., Any] | None = None,
        warmup: float = 25,
        rep: float = 100,
        *_: Any,
        input_tensors: list[Any] | None = None,
        return_mode: str = "mean",
        quantiles: Any = None,
        **__: Any,
    ) -> Any:
        """The run time of the kernel, or of `func` on the same arguments, in milliseconds."""
        arguments = self.inputs() if input_tensors is None else input_tensors
        called = func or self.kernel
        return do_bench(lambda: called(*arguments), warmup, rep, quantiles, return_mode)

    def assert_allclose(
        self,
        reference_program: Callable[..., Any],
        input_tensors: list[Any] | None = None,
        atol: float = 1e-2,
        rtol: float = 1e-2,
        **_: Any,
    ) -> None:
        """AssertionError unless the kernel and the reference agree on random arguments."""
        import numpy as np

        arguments = self.inputs() if input_tensors is None else input_tensors
        found, expected = self.kernel(*arguments), reference_program(*arguments)
        found = found if isinstance(found, (tuple, list)) else [found]
        expected = expected if isinstance(expected, (tuple, list)) else [expected]
        for left, right in zip(found, expected, strict=True):
            np.testing.assert_allclose(
                np.asarray(left, np.float64), np.asarray(right, np.float64), rtol=rtol, atol=atol
            )
