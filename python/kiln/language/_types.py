# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ruff: noqa: SIM905
"""What the language has outside kernels: element types, `constexpr`, and names as markers.

Inside a kernel nothing of this runs: the compiler reads the names.
"""

from __future__ import annotations

import operator
from typing import Any, Generic, TypeVar

from ..errors import KilnError

T = TypeVar("T")


class Name:
    """A name of the language, such as `tl.load`; the compiler knows it by `kiln_name`."""

    __slots__ = ("__name__", "kiln_name")

    def __init__(self, kiln_name: str) -> None:
        self.kiln_name = kiln_name
        self.__name__ = kiln_name.rpartition(".")[2]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise KilnError(f"{self.kiln_name} can be used only inside a @triton.jit function")

    def __repr__(self) -> str:
        return f"<language name {self.kiln_name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Name, (self.kiln_name,))


# Public name (as Triton prints it), Kiln's name, bits, mantissa bits of floats.
_ELEMENT_TYPES = [
    ("int1", "i1", 1, 0), ("int8", "i8", 8, 0), ("int16", "i16", 16, 0), ("int32", "i32", 32, 0),
    ("int64", "i64", 64, 0), ("uint8", "u8", 8, 0), ("uint16", "u16", 16, 0),
    ("uint32", "u32", 32, 0), ("uint64", "u64", 64, 0), ("fp8e5", "f8e5", 8, 2),
    ("fp8e5b16", "f8e5b16", 8, 2), ("fp8e4nv", "f8e4nv", 8, 3), ("fp8e4b8", "f8e4b8", 8, 3),
    ("fp8e4b15", "f8e4b15", 8, 3), ("fp16", "f16", 16, 10), ("bf16", "bf16", 16, 7),
    ("fp32", "f32", 32, 23), ("fp64", "f64", 64, 52), ("void", "void", 0, 0),
]  # fmt: skip
_BY_NAME = {row[0]: row for row in _ELEMENT_TYPES}
_BY_KILN_NAME = {row[1]: row[0] for row in _ELEMENT_TYPES}


class dtype:  # noqa: N801 - the public name
    """An element type. `name` is "fp32", "int8", …; equal names are equal types."""

    SINT_TYPES = ["int8", "int16", "int32", "int64"]
    UINT_TYPES = ["int1", "uint8", "uint16", "uint32", "uint64"]
    FP_TYPES = ["fp8e4b15", "fp8e4nv", "fp8e4b8", "fp8e5", "fp8e5b16", "fp16", "bf16", "fp32",
                "fp64"]  # fmt: skip
    STANDARD_FP_TYPES = ["fp16", "bf16", "fp32", "fp64"]
    OTHER_TYPES = ["void"]

    def __init__(self, name: Any) -> None:
        name = getattr(name, "value", name)
        row = _BY_NAME.get(name)
        if row is None:
            known = " ".join(_BY_NAME)
            raise ValueError(f"unknown element type {name!r}, expected one of: {known}")
        self.name: str = name
        self.kiln_name: str = row[1]
        self.primitive_bitwidth: int = row[2]
        self.itemsize: int = row[2] // 8
        self.fp_mantissa_width: int = row[3]
        self.int_bitwidth: int = row[2]

    @property
    def scalar(self) -> dtype:
        return self

    @property
    def type(self) -> dtype:
        return self

    def is_floating(self) -> bool:
        return self.name in dtype.FP_TYPES

    def is_standard_floating(self) -> bool:
        return self.name in dtype.STANDARD_FP_TYPES

    def is_fp8(self) -> bool:
        return self.name.startswith("fp8")

    def is_int(self) -> bool:
        return self.is_int_signed() or self.is_int_unsigned()

    def is_int_signed(self) -> bool:
        return self.name in dtype.SINT_TYPES

    def is_int_unsigned(self) -> bool:
        return self.name in dtype.UINT_TYPES

    def is_bool(self) -> bool:
        return self.name == "int1"

    def is_void(self) -> bool:
        return self.name == "void"

    def is_ptr(self) -> bool:
        return False

    def is_block(self) -> bool:
        return False

    def to_json(self) -> dict[str, str]:
        return {"t": "dtype", "v": self.kiln_name}

    def __getattr__(self, name: str) -> Any:
        # is_fp32(), is_int8(), … one per element type.
        if name.startswith("is_") and name[3:] in _BY_NAME:
            return lambda: self.name == name[3:]
        raise AttributeError(f"element type {self.__dict__.get('name')} has no attribute {name!r}")

    def __eq__(self, other: object) -> bool:
        other = getattr(other, "value", other)
        return type(other) is type(self) and other.name == self.name  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.name))

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"triton.language.{self.name}"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise KilnError(f"tl.{self.name}(…) can be used only inside a @triton.jit function")

    def __reduce__(self) -> tuple[Any, ...]:
        return (dtype, (self.name,))


class pointer_type(dtype):  # noqa: N801
    """The type of a pointer to `element_ty`."""

    def __init__(self, element_ty: Any, address_space: Any = "global", const: bool = False) -> None:
        element_ty = getattr(element_ty, "value", element_ty)
        if not isinstance(element_ty, dtype):
            found = type(element_ty).__name__
            raise TypeError(f"pointer_type: element_ty is a {found}, expected an element type")
        self.element_ty, self.address_space, self.const = element_ty, address_space, const
        self.name = f"pointer<{element_ty.name}>"
        self.kiln_name = "*" + element_ty.kiln_name
        self.primitive_bitwidth, self.itemsize = 64, 8
        self.fp_mantissa_width, self.int_bitwidth = 0, 64

    def is_ptr(self) -> bool:
        return True

    def is_const(self) -> bool:
        return self.const

    def to_json(self) -> dict[str, str]:
        return {"t": "type", "v": self.kiln_name}

    def __reduce__(self) -> tuple[Any, ...]:
        return (pointer_type, (self.element_ty, self.address_space, self.const))


def from_kiln_name(name: str) -> dtype:
    """The type that the compiler calls `name` ("f32", "*bf16"); ValueError if there is none."""
    if name.startswith("*"):
        return pointer_type(from_kiln_name(name[1:]))
    if name not in _BY_KILN_NAME:
        raise ValueError(f"unknown type '{name}'")
    return dtype(_BY_KILN_NAME[name])


def unwrap(value: Any) -> Any:
    """`value`, or what it wraps if it is a constexpr."""
    return value.value if isinstance(value, constexpr) else value


class constexpr(Generic[T]):  # noqa: N801
    """A compile-time constant. On the host it computes like the value it wraps."""

    __kiln_name__ = "tl.constexpr"
    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = unwrap(value)

    @property
    def type(self) -> Any:
        return Name("tl.constexpr_type")

    def __repr__(self) -> str:
        return f"constexpr[{self.value!r}]"

    def __hash__(self) -> int:
        return hash((constexpr, self.value))

    def __bool__(self) -> bool:
        return bool(self.value)

    def __index__(self) -> int:
        return operator.index(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __call__(self, *args: Any, **kwargs: Any) -> constexpr:
        return constexpr(
            self.value(*map(unwrap, args), **{k: unwrap(v) for k, v in kwargs.items()})
        )

    def __getitem__(self, *args: Any) -> Any:
        return self.value.__getitem__(*map(unwrap, args))

    def __reduce__(self) -> tuple[Any, ...]:
        return (constexpr, (self.value,))


def _add_operators() -> None:
    def binary(function: Any) -> Any:
        return lambda self, other: constexpr(function(self.value, unwrap(other)))

    def reflected(function: Any) -> Any:
        return lambda self, other: constexpr(function(unwrap(other), self.value))

    def unary(function: Any) -> Any:
        return lambda self: constexpr(function(self.value))

    for name in "add sub mul truediv floordiv mod pow lshift rshift and or xor".split():
        function = getattr(operator, name + "_" if name in ("and", "or") else name)
        setattr(constexpr, f"__{name}__", binary(function))
        setattr(constexpr, f"__r{name}__", reflected(function))
    for name in "eq ne lt le gt ge".split():
        setattr(constexpr, f"__{name}__", binary(getattr(operator, name)))
    for name in "neg pos invert".split():
        setattr(constexpr, f"__{name}__", unary(getattr(operator, name)))


_add_operators()
