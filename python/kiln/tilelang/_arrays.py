# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of a launch as arrays: shape, element type, order, and how to make another one.

NumPy arrays, PyTorch tensors and `kiln.Tensor` are read as they are; what else speaks DLPack or
the buffer protocol goes through NumPy.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from .. import hostmap
from ..tensor import Tensor, _numpy_dtype
from ..tensor import empty as kiln_empty
from ._dtypes import PUBLIC_NAMES, dtype


class ArrayKind(NamedTuple):
    """How arrays of one Python type are handled."""

    is_dense: Callable[[Any], bool]
    empty: Callable[[tuple[int, ...], dtype, Any], Any]  # the last argument is an array of the kind


def _numpy_empty(shape: tuple[int, ...], element: dtype, _: Any) -> Any:
    import numpy as np

    return np.empty(shape, _numpy_dtype(element.kiln_name))


def _torch_empty(shape: tuple[int, ...], element: dtype, like: Any) -> Any:
    import torch

    device = "cpu" if like is None else like.device
    return torch.empty(shape, dtype=element.as_torch(), device=device)


def _kiln_empty(shape: tuple[int, ...], element: dtype, like: Any) -> Any:
    from ..language import _types as lang

    return kiln_empty(shape, lang.from_kiln_name(element.kiln_name), like.device)


NUMPY = ArrayKind(lambda array: array.flags.c_contiguous, _numpy_empty)
_TORCH = ArrayKind(lambda tensor: tensor.is_contiguous(), _torch_empty)
_KILN = ArrayKind(lambda tensor: True, _kiln_empty)

_kinds: dict[type, ArrayKind | None] = {}


def kind_of(value: Any) -> ArrayKind | None:
    """The kind of an array; None where `as_array` has to make one of it first."""
    type_ = type(value)
    if type_ not in _kinds:
        _kinds[type_] = _find_kind(type_)
    return _kinds[type_]


def _find_kind(type_: type) -> ArrayKind | None:
    packages = {(base.__module__.partition(".")[0], base.__name__) for base in type_.__mro__}
    if ("numpy", "ndarray") in packages:
        return NUMPY
    if ("torch", "Tensor") in packages:
        return _TORCH
    return _KILN if issubclass(type_, Tensor) else None


def default_kind() -> ArrayKind:
    """What a call makes without an array among its arguments: PyTorch's tensors where the host code
    of a file runs on them in a device's stead, else NumPy's arrays."""
    return _TORCH if "torch" in sys.modules and hostmap.installed() else NUMPY


def as_array(value: Any) -> Any:
    """An array of a known kind on the same memory; None for what is no array."""
    if kind_of(value) is not None:
        return value
    import numpy as np

    if hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    if isinstance(value, (bytearray, memoryview)) or type(value).__module__ == "array":
        return np.asarray(value)
    return None


def dtype_name(array: Any) -> str:
    """TileLang's name of an array's element type."""
    found = array.dtype
    kiln_name = getattr(found, "kiln_name", None)
    if kiln_name is not None:
        return PUBLIC_NAMES.get(kiln_name, str(found))
    text = str(found).removeprefix("torch.")
    try:
        return str(dtype(text))
    except ValueError:
        return text
