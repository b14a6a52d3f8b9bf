"""Extents, element types and names on the host."""

import pickle

import numpy as np
import pytest

import kiln
import kiln.tilelang.language as T
from kiln.tilelang._symbols import OPERATORS, evaluate


def test_expressions_are_written_and_evaluated():
    M, N = T.symbolic("M, N")
    table = [
        (M + 1, "M + 1"),
        (2 * M - N, "(2 * M) - N"),
        (T.ceildiv(M, 4) // N, "ceildiv(M, 4) // N"),
        (-M % 7, "(0 - M) % 7"),
        (T.max(M, 3) + T.min(2, N), "max(M, 3) + min(2, N)"),
    ]
    for expression, text in table:
        assert str(expression) == text
    known = {"M": 10, "N": 3}
    found = [evaluate(expression, known) for expression, _ in table]
    assert found == [11, 17, 1, 4, 12]


@pytest.mark.parametrize("a", [-7, 0, 7])
@pytest.mark.parametrize("b", [-2, 3])
def test_division_floors(a, b):
    assert OPERATORS["//"](a, b) == np.floor_divide(a, b)
    assert OPERATORS["%"](a, b) == a - b * np.floor_divide(a, b)
    assert OPERATORS["ceildiv"](a, b) == int(np.ceil(a / b))
    assert T.ceildiv(a, b) == OPERATORS["ceildiv"](a, b)


def test_an_extent_is_no_number_before_the_launch():
    M = T.symbolic("M")
    for use in (
        lambda: bool(M),
        lambda: bool(M % 2 == 0),
        lambda: bool(M > 3),
        lambda: bool(M != 3),
        lambda: range(M),
        lambda: int(M + 1),
    ):
        with pytest.raises(kiln.KilnError, match="M.*before the launch"):
            use()
    with pytest.raises(kiln.KilnError, match="'M / 2' of a symbolic extent, expected '//'"):
        M / 2
    with pytest.raises(TypeError):
        M + 1.5


def test_equal_extents_are_equal():
    assert T.symbolic("M") == T.dynamic("M")
    assert T.symbolic("M") + 1 == T.dynamic("M") + 1
    assert hash(T.symbolic("M")) == hash(T.dyn("M"))
    assert T.symbolic("M") != "M"


def test_names_of_extents():
    assert [s.name for s in T.dynamic("m n, k")] == ["m", "n", "k"]
    for wrong in ("", "3m", "m-n"):
        with pytest.raises(ValueError, match="expected a name"):
            T.symbolic(wrong)
    with pytest.raises(ValueError, match="expected int32 or int64"):
        T.symbolic("M", "float32")


def test_element_types_are_their_names():
    assert T.float16 == "float16" and f"{T.bfloat16}" == "bfloat16"
    assert T.dtype("float") == T.float32 and T.dtype(np.int8) == "int8"
    assert (T.float16.bits, T.int64.itemsize, T.bool.itemsize) == (16, 8, 1)
    assert pickle.loads(pickle.dumps(T.float32)) == T.float32
    with pytest.raises(ValueError, match="unknown element type 'float17', expected one of: bool"):
        T.dtype("float17")
    with pytest.raises(kiln.KilnError, match="only inside a @T.prim_func"):
        T.float16(3)


def test_other_names_mean_something_only_in_kernels():
    for name in (T.copy, T.tile.add, T.tile.not_a_name, T.alloc_ub):
        with pytest.raises(kiln.KilnError, match="only inside a @T.prim_func"):
            name(1, 2)
    assert T.tile.add.kiln_name == "T.tile.add"
    assert pickle.loads(pickle.dumps(T.tile.add)).kiln_name == "T.tile.add"


def test_declarations():
    declared = T.Tensor((4, T.symbolic("N")), "float")
    assert repr(declared) == "T.Tensor((4, N), 'float32')"
    assert T.Buffer(3, "int8").shape == (3,)
    with pytest.raises(ValueError, match="found the extent -1"):
        T.Tensor((-1,), "float32")
    with pytest.raises(TypeError, match="found an extent of type float"):
        T.Tensor((1.5,), "float32")
    with pytest.raises(TypeError, match="expected a shape and a dtype"):
        T.Tensor[3]
