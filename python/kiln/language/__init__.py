# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.language`: the names that kernels use.

Element types and `constexpr` work on the host too; every other name is a marker that the compiler
resolves and that raises when called outside a kernel. A name that the compiler does not have yet is
refused by the compiler, with its place.
"""

from __future__ import annotations

from . import _names
from ._types import Name, constexpr, dtype, pointer_type  # noqa: F401

__kiln_name__ = "tl"

void = dtype("void")
int1, int8, int16, int32, int64 = (dtype(f"int{n}") for n in (1, 8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (dtype(f"uint{n}") for n in (8, 16, 32, 64))
float16, bfloat16, float32, float64 = (dtype(n) for n in ("fp16", "bf16", "fp32", "fp64"))
float8e5, float8e5b16 = dtype("fp8e5"), dtype("fp8e5b16")
float8e4nv, float8e4b8, float8e4b15 = (dtype(n) for n in ("fp8e4nv", "fp8e4b8", "fp8e4b15"))
pi32_t = pointer_type(int32)
TRITON_MAX_TENSOR_NUMEL = 1048576

globals().update({name: Name(f"tl.{name}") for name in _names.FUNCTIONS})


class tensor:  # noqa: N801
    """A block of values inside a kernel; on the host only a name for annotations."""

    __kiln_name__ = "tl.tensor"


class block_type:  # noqa: N801
    """The type of a block; known inside kernels only."""

    __kiln_name__ = "tl.block_type"


class tuple_type:  # noqa: N801
    """The type of a tuple of values; known inside kernels only."""

    __kiln_name__ = "tl.tuple_type"


class constexpr_type:  # noqa: N801
    """The type of a compile-time constant; known inside kernels only."""

    __kiln_name__ = "tl.constexpr_type"


class tensor_descriptor:  # noqa: N801
    """A tensor descriptor inside a kernel."""

    __kiln_name__ = "tl.tensor_descriptor"


class tensor_descriptor_type:  # noqa: N801
    """The type of a tensor descriptor."""

    __kiln_name__ = "tl.tensor_descriptor_type"


class const:
    """An annotation: the pointer is only read."""

    __kiln_name__ = "tl.const"


class PropagateNan:
    """What `maximum`, `minimum` and `clamp` do with a NaN."""

    __kiln_name__ = "tl.PropagateNan"
    NONE = Name("tl.PropagateNan.NONE")
    ALL = Name("tl.PropagateNan.ALL")


def str_to_ty(name: str, _constants: object = None) -> dtype:
    """The element or pointer type with Triton's signature name, such as "*fp32" or "i32"."""
    if name.startswith("*"):
        return pointer_type(str_to_ty(name[1:]))
    return dtype(_names.SIGNATURE_NAMES.get(name, name))


from . import core, extra, math, random, standard, target_info  # noqa: E402, F401

__all__ = [*_names.FUNCTIONS, *_names.VALUES]
