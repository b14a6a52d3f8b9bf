# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ruff: noqa: SIM905
"""`triton.runtime.jit`."""

from __future__ import annotations

from typing import Any

from ...jit import ConstexprFunction, JITFunction, KernelInterface, constexpr_function, jit
from ...language import _names
from ...reinterpret import MockTensor, TensorWrapper, reinterpret

JITCallable = JITFunction

type_canonicalisation_dict = {
    name: name.replace("float", "fp").replace("uint", "u").replace("int", "i")
    for name in (
        "int1 int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()
    )
} | {"bool": "i1", "bfloat16": "bf16"}


def mangle_type(arg: Any, specialize: bool = False) -> str:
    """Triton's signature name of an argument's type, such as "*fp32" or "i32"."""
    if arg is None or isinstance(arg, str):
        return "constexpr"
    if isinstance(arg, bool):
        return "i1"
    if isinstance(arg, int):
        if -(2**31) <= arg < 2**31:
            return "i32"
        return "i64" if arg < 2**63 else "u64"
    if isinstance(arg, float):
        return "fp32"
    name = str(arg.dtype).rpartition(".")[2]
    name = _names.SIGNATURE_NAMES.get(name, name)
    return "*" + type_canonicalisation_dict.get(name, name)


__all__ = [
    "ConstexprFunction", "JITCallable", "JITFunction", "KernelInterface", "MockTensor",
    "TensorWrapper",
    "constexpr_function", "jit", "mangle_type", "reinterpret", "type_canonicalisation_dict",
]  # fmt: skip
