"""Arguments against declarations, indices of outputs, and the grid of a report."""

import numpy as np
import pytest

import kiln
import kiln.tilelang as tilelang
import kiln.tilelang.language as T
from kiln.tilelang._binding import Binder
from kiln.tilelang._grid import evaluate_grid

M, N = T.symbolic("M, N")
LABEL = "file.py:3: kernel 'k'"


def bind(tensors, *args, numbers=()):
    binder = Binder(LABEL, [*tensors, *numbers], tensors)
    return binder.bind(list(enumerate(args)))


def test_extents_are_solved_from_whole_extents():
    tensors = {"A": T.Tensor((M + N, 4), "float32"), "B": T.Tensor((N, M), "int8")}
    arrays, known = bind(tensors, np.ones((5, 4), np.float32), np.ones((3, 2), np.int8))
    assert known == {"N": 3, "M": 2}
    assert [a.shape for a in arrays] == [(5, 4), (3, 2)]


@pytest.mark.parametrize(
    ("array", "error", "text"),
    [
        (3, TypeError, "found a int, expected T.Tensor((4, M), 'float32')"),
        ([1.0], TypeError, "found a list, expected T.Tensor"),
        (np.ones((4, 2)), TypeError, "found element type float64, expected float32"),
        (np.ones(8, np.float32), ValueError, "found shape (8,), expected (4, M)"),
        (np.ones((5, 2), np.float32), ValueError, "found shape (5, 2), expected (4, M) with M = 2"),
        (np.ones((2, 4), np.float32).T, ValueError, "found strides (1, 4) for shape (4, 2)"),
        (np.ones((4, 4), np.float32)[:, ::2], ValueError, "expected a contiguous array"),
    ],
)
def test_what_does_not_fit_names_the_argument(array, error, text):
    with pytest.raises(error) as caught:
        bind({"A": T.Tensor((4, M), "float32")}, array)
    assert str(caught.value).startswith(f"{LABEL}: argument 'A' (index 0): ")
    assert text in str(caught.value)


def test_conflicting_extents_name_both_arguments():
    tensors = {"A": T.Tensor((M, 4), "float32"), "B": T.Tensor((2, M), "float32")}
    with pytest.raises(ValueError) as caught:
        bind(tensors, np.ones((8, 4), np.float32), np.ones((2, 9), np.float32))
    assert str(caught.value) == (
        f"{LABEL}: argument 'B' (index 1): found 9 along axis 1, expected M = 8, the extent of "
        "argument 'A' along axis 0"
    )


def test_an_expression_is_checked_and_does_not_determine():
    tensors = {"A": T.Tensor((M * 2,), "float32")}
    with pytest.raises(ValueError, match="do not determine the extent 'M'"):
        bind(tensors, np.ones(8, np.float32))
    tensors["B"] = T.Tensor((M,), "float32")
    assert bind(tensors, np.ones(8, np.float32), np.ones(4, np.float32))[1] == {"M": 4}
    with pytest.raises(ValueError, match=r"found shape \(8,\), expected \(M \* 2,\) with M = 3"):
        bind(tensors, np.ones(8, np.float32), np.ones(3, np.float32))


def test_numbers():
    values, _ = bind({}, 3, np.float32(0.5), True, numbers=("n", "s", "b"))
    assert values == [3, 0.5, True] and type(values[1]) is float
    with pytest.raises(
        TypeError, match=r"argument 'n' \(index 0\): found a str, expected a number"
    ):
        bind({}, "3", numbers=("n",))


def test_other_arrays():
    tensors = {"A": T.Tensor((M,), "float32"), "B": T.Tensor((M,), "bool")}
    on_device = kiln.zeros((4,), kiln.language.float32)
    _, known = bind(tensors, on_device, np.zeros(4, bool))
    assert known == {"M": 4}
    arrays, _ = bind({"A": T.Tensor((M,), "uint8")}, bytearray(5))
    assert arrays[0].shape == (5,)


@pytest.mark.torch
def test_tensors_of_pytorch():
    import torch

    tensors = {"A": T.Tensor((M, 4), "bfloat16")}
    _, known = bind(tensors, torch.zeros(3, 4, dtype=torch.bfloat16))
    assert known == {"M": 3}
    with pytest.raises(ValueError, match="expected a contiguous array"):
        bind(tensors, torch.zeros(4, 3, dtype=torch.bfloat16).T)


@T.prim_func
def three(A: T.Tensor((M, 4), "float32"), n: T.int32, C: T.Tensor((M, 4), "float32")):
    with T.Kernel(M):
        T.copy(A, C)


def test_indices_of_outputs():
    assert tilelang.compile(three).out_idx == []
    assert tilelang.compile(three, out_idx=-1).out_idx == [2]
    assert tilelang.compile(three, [-1]).params[2].shape == (M, 4)
    kernel = tilelang.compile(three, workspace_idx=[2])
    assert (kernel.out_idx, kernel.workspace_idx) == ([], [2])


@pytest.mark.parametrize(
    ("out_idx", "error", "text"),
    [
        (3, ValueError, "out_idx: found 3, expected -3 to 2: the kernel has 3 parameters"),
        ([0, -3], ValueError, "out_idx: parameter 'A' (index 0) occurs twice"),
        ([1], ValueError, "out_idx: parameter 'n' (index 1) is a number, expected a tensor"),
        ("C", TypeError, "out_idx: found 'C', expected an index of a parameter"),
        ([1.0], TypeError, "out_idx: found 1.0, expected an index of a parameter"),
        ([0, 2], kiln.KilnError, "the arguments do not determine the extent 'M'"),
    ],
)
def test_wrong_indices_are_located_when_the_kernel_is_made(out_idx, error, text):
    with pytest.raises(error) as caught:
        tilelang.compile(three, out_idx=out_idx)
    assert text in str(caught.value)
    assert "test_host_binding.py:" in str(caught.value) and "kernel 'three'" in str(caught.value)


def test_outputs_and_workspaces_are_different_parameters():
    with pytest.raises(ValueError, match="workspace_idx: parameter 'C' .* occurs twice"):
        tilelang.compile(three, out_idx=[2], workspace_idx=[-1])


def test_a_call_counts_its_arguments():
    kernel = tilelang.compile(three, out_idx=-1)
    with pytest.raises(TypeError, match=r"kernel 'three' takes 2 arguments \(A, n\), found 3"):
        kernel(1, 2, 3)


def test_grids():
    def grid(expression):
        return evaluate_grid({"grid": expression}, [None, 10, 3], LABEL)

    arg = {"arg": 1}
    assert grid(7) == 7
    assert grid({"op": "*", "args": [{"op": "ceildiv", "args": [arg, {"arg": 2}]}, 2]}) == 8
    assert grid({"op": "max", "args": [{"op": "-", "args": [2, arg]}, 1]}) == 1
    with pytest.raises(ValueError, match="kernel 'k': the number of blocks divides by zero"):
        grid({"op": "//", "args": [arg, 0]})
    with pytest.raises(ValueError, match="found -8 blocks"):
        grid({"op": "-", "args": [2, arg]})
    with pytest.raises(kiln.KilnError, match="how many programs"):
        evaluate_grid({}, [], LABEL)
