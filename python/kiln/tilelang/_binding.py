# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments of a launch against the declarations: types, shapes, and the extents they solve."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

from ._arrays import as_array, dtype_name, kind_of
from ._symbols import Symbol, Symbolic, evaluate, symbols_of
from ._tensors import TensorType, shape_text


def _shape_of(array: Any, declared: TensorType) -> tuple[int, ...]:
    """The array's shape. One dimension with all elements of a tensor whose extents are numbers has
    the tensor's: published host code computes tables so."""
    shape, wanted = tuple(array.shape), tuple(declared.shape)
    is_flat = len(shape) == 1 and len(wanted) > 1
    if is_flat and all(type(extent) is int for extent in wanted) and math.prod(wanted) == shape[0]:
        return wanted
    return shape


class Binder:
    """Checks arguments against the parameters of one kernel.

    `tensors` maps the names of tensor parameters to their declarations; every other one of `names`
    is a number. `kernel` names the kernel and its place in errors.
    """

    def __init__(self, kernel: str, names: Sequence[str], tensors: dict[str, TensorType]) -> None:
        self.kernel, self.names, self.tensors = kernel, names, tensors

    def bind(self, arguments: Sequence[tuple[int, Any]]) -> tuple[list[Any], dict[str, int]]:
        """The arguments as arrays and numbers, and the extents they determine.

        `arguments` are pairs of a parameter's index and its argument. TypeError for a wrong type or
        element type, ValueError for a wrong shape.
        """
        result, shapes = [], []
        for index, value in arguments:
            declared = self.tensors.get(self.names[index])
            if declared is None:
                result.append(self._number(index, value))
            else:
                array = self._array(index, value, declared)
                shapes.append((index, declared, _shape_of(array, declared)))
                result.append(array)
        return result, self._solve(shapes)

    def where(self, index: int) -> str:
        return f"{self.kernel}: argument '{self.names[index]}' (index {index})"

    def _number(self, index: int, value: Any) -> Any:
        if isinstance(value, (bool, int, float)):
            return value
        if getattr(value, "shape", None) == () and hasattr(value, "item"):
            return value.item()  # scalars of NumPy and PyTorch
        try:
            return operator.index(value)
        except TypeError:
            found = type(value).__name__
            raise TypeError(f"{self.where(index)}: found a {found}, expected a number") from None

    def _array(self, index: int, value: Any, declared: TensorType) -> Any:
        array = as_array(value)
        if array is None:
            found = type(value).__name__
            raise TypeError(f"{self.where(index)}: found a {found}, expected {declared}")
        element = dtype_name(array)
        if element != declared.dtype:
            raise TypeError(
                f"{self.where(index)}: found element type {element}, expected {declared.dtype}"
            )
        if len(_shape_of(array, declared)) != len(declared.shape):
            raise ValueError(self._shape_error(index, declared, tuple(array.shape)))
        kind = kind_of(array)
        assert kind is not None
        if not kind.is_dense(array):
            raise ValueError(
                f"{self.where(index)}: found strides {_strides(array)} for shape "
                f"{shape_text(tuple(array.shape))}, expected a contiguous array"
            )
        return array

    def _solve(self, shapes: list[tuple[int, TensorType, tuple[int, ...]]]) -> dict[str, int]:
        known: dict[str, int] = {}
        found_in: dict[str, tuple[int, int]] = {}
        for index, declared, shape in shapes:
            for axis, (extent, found) in enumerate(zip(declared.shape, shape, strict=True)):
                if not isinstance(extent, Symbol):
                    continue
                value = known.setdefault(extent.name, found)
                first, first_axis = found_in.setdefault(extent.name, (index, axis))
                if value != found:
                    raise ValueError(
                        f"{self.where(index)}: found {found} along axis {axis}, expected "
                        f"{extent.name} = {value}, the extent of argument '{self.names[first]}' "
                        f"along axis {first_axis}"
                    )
        for index, declared, shape in shapes:
            if shape != tuple(self.extent(e, known) for e in declared.shape):
                raise ValueError(self._shape_error(index, declared, shape, known))
        return known

    def extent(self, extent: Any, known: dict[str, int]) -> int:
        """An extent as a number. ValueError names a symbol that no argument determines."""
        if not isinstance(extent, Symbolic):
            return extent
        try:
            return evaluate(extent, known)
        except KeyError as error:
            raise ValueError(self.undetermined(error.args[0])) from None
        except ZeroDivisionError:
            raise ValueError(f"{self.kernel}: the extent '{extent}' divides by zero") from None

    def undetermined(self, name: str) -> str:
        return (
            f"{self.kernel}: the arguments do not determine the extent '{name}': it is not a whole "
            "extent of an argument"
        )

    def _shape_error(
        self,
        index: int,
        declared: TensorType,
        found: tuple[int, ...],
        known: dict[str, int] | None = None,
    ) -> str:
        expected = shape_text(declared.shape)
        names = dict.fromkeys(s.name for e in declared.shape for s in symbols_of(e))
        if known and names:
            expected += " with " + ", ".join(f"{n} = {known[n]}" for n in names)
        return f"{self.where(index)}: found shape {shape_text(found)}, expected {expected}"


def _strides(array: Any) -> tuple[int, ...]:
    """Strides in elements."""
    if callable(getattr(array, "stride", None)):
        return tuple(array.stride())
    return tuple(s // array.itemsize for s in array.strides)
