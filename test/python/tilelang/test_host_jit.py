"""`tilelang.jit`: which form a function has, and what the forms do before a launch."""

import numpy as np
import pytest

import kiln
import kiln.tilelang as tilelang
import kiln.tilelang.language as T


@tilelang.jit(out_idx=[-1])
def lazy(M, N=8, dtype="float32"):
    @T.prim_func
    def kernel(A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype)):
        with T.Kernel(M, threads=1) as row:
            T.copy(A[row, 0], B[row, 0])

    return kernel


@tilelang.jit
def eager(A, B, factor=2, dtype="float32"):
    M, N = T.const("M, N")
    assert N % 8 == 0
    m = T.dynamic("m")
    A: T.Tensor((M, N), dtype)
    B: T.Tensor[[m, N], dtype]
    C = T.empty((M, N), dtype)
    D = T.empty(m, N * factor, dtype=dtype)
    with T.Kernel(M, threads=1) as row:
        T.copy(A[row, 0], C[row, 0])
    return D, C


def ones(*shape, dtype=np.float32):
    return np.ones(shape, dtype)


def test_kernels_are_kept_by_arguments():
    assert lazy(4) is lazy(M=4, N=8)
    assert lazy(4) is not lazy(5)
    assert lazy(4, dtype=T.float32) is lazy(4, dtype=T.float32)
    assert lazy(T.symbolic("M")) is lazy(T.symbolic("M"))
    assert lazy(1) is not lazy(True)
    assert lazy(4).params[0] == ("A", "float32", (4, 8))


def test_the_cache_of_kernels():
    kept = lazy(4)
    tilelang.cache.clear_cache()
    assert lazy(4) is not kept
    tilelang.disable_cache()
    try:
        assert lazy(4) is not lazy(4)
    finally:
        tilelang.enable_cache()
    assert lazy(4) is lazy(4)


def test_wrong_outputs_are_found_when_the_kernel_is_made():
    function = tilelang.jit(lazy.fn, out_idx=[2])
    with pytest.raises(
        ValueError, match=r"test_host_jit.py:\d+: kernel 'kernel': out_idx: found 2"
    ):
        function(4)


def test_a_function_has_to_return_a_prim_func():
    @tilelang.jit
    def nothing(M):
        return M

    with pytest.raises(kiln.KilnError, match=r"'nothing' returned a int, expected a @T.prim_func"):
        nothing(3)


def test_prim_funcs_and_macros_are_not_called():
    with pytest.raises(RuntimeError, match="'kernel' .* was called like a function"):
        lazy.get_tir(4)(1, 2)

    @T.macro
    def helper(x):
        return x

    with pytest.raises(kiln.KilnError, match="macro 'helper' .* only inside a kernel"):
        helper(1)


def test_settings_of_passes_are_checked():
    with pytest.raises(ValueError, match=r"test_host_jit.py:\d+: .*'tl.ascend_auto_sync'"):
        tilelang.jit(lazy.fn, pass_configs={"tl.ascend_autosync": True})
    with pytest.raises(TypeError, match="found 'yes', expected True or False"):
        tilelang.compile(lazy.get_tir(4), pass_configs={"tl.ascend_auto_sync": "yes"})


def test_autotuning_is_not_there_yet():
    @tilelang.autotune(configs=[{"M": 4}])
    @tilelang.jit
    def tuned(M):
        return lazy.get_tir(M)

    with pytest.raises(kiln.NotThereYetError, match=r"test_host_jit.py:\d+: .*tilelang.autotune"):
        tuned(4)


# The eager form


def captured(kernel):
    return kernel.prim_func.capture.to_json()["functions"]["f0"]


def test_an_eager_kernel_is_captured_as_a_prim_func():
    kernel = eager.compile(ones(4, 8), ones(3, 8))
    function = captured(kernel)
    number = lambda n: {"t": "int", "v": str(n)}  # noqa: E731
    m = {"t": "symbol", "v": "m"}
    params = function["params"]
    assert [p["name"] for p in params] == ["A", "B", "C", "D", "m"]
    a = [number(4), number(8)]
    assert [p["tensor"]["shape"] for p in params[:4]] == [a, [m, number(8)], a, [m, number(16)]]
    assert params[2]["l"] == params[0]["l"] + 6  # where the output is made
    assert [s["k"] for s in function["body"]] == ["With"]
    assert function["env"] == {"M": number(4), "T": {"t": "lang", "v": "T"}}
    # As the function returns them.
    assert kernel.out_idx == [3, 2]


def test_a_tensor_may_be_declared_where_the_parameter_is():
    M = T.dynamic("M")

    @tilelang.jit
    def kernel(factor, A: T.Tensor((M, 4), "float32")):
        B = T.empty((M, 4 * factor), "float32")
        with T.Kernel(M, threads=1) as i:
            T.copy(A[i, 0], B[i, 0])
        return B

    function = captured(kernel.compile(2, ones(5, 4)))
    assert [p["name"] for p in function["params"]] == ["A", "B", "M"]
    assert kernel.compile(2, ones(6, 4)) is kernel.compile(2, ones(5, 4))


def test_a_name_that_the_block_binds_anew_starts_from_its_value():
    @tilelang.jit
    def kernel(A):
        M = T.const("M")
        A: T.Tensor((M,), "float32")
        total, unit = 0, M // 2
        with T.Kernel(M, threads=1) as i:
            total = total + unit
            A[i] = A[i] + total

    body = captured(kernel.compile(ones(4)))["body"]
    assert [s["k"] for s in body] == ["Assign", "With"]
    assert body[0]["targets"][0]["id"] == "total"
    assert body[0]["value"]["value"] == {"t": "int", "v": "0"}


def test_each_set_of_extents_is_a_kernel():
    kernel = eager.compile(ones(4, 8), ones(3, 8))
    assert eager.compile(ones(4, 8), ones(5, 8)) is kernel  # m stays open
    assert eager.compile(ones(5, 8), ones(3, 8)) is not kernel
    assert eager.compile(ones(4, 8), ones(3, 8), factor=3) is not kernel


@pytest.mark.parametrize(
    ("args", "error", "text"),
    [
        (
            (ones(4, 8), 3),
            TypeError,
            "argument 'B' (index 1): found a int, expected T.Tensor((m, N)",
        ),
        ((ones(4, 8), ones(3, 9)), ValueError, "found 9 along axis 1, expected N = 8"),
        ((ones(4, 8), ones(3, 8, dtype=np.int8)), TypeError, "found element type int8"),
        ((ones(4, 9), ones(3, 9)), kiln.KilnError, "kernel 'eager': AssertionError"),
        (
            (ones(4, 8), ones(3, 8), ones(1)),
            TypeError,
            "argument 'factor' (index 2): found an array",
        ),
    ],
)
def test_arguments_of_an_eager_kernel_are_checked(args, error, text):
    with pytest.raises(error) as caught:
        eager(*args)
    assert text in str(caught.value) and "test_host_jit.py:" in str(caught.value)


def test_an_eager_kernel_has_no_out_idx():
    with pytest.raises(kiln.KilnError, match=r"'eager': found out_idx=\[-1\], expected none"):
        tilelang.jit(eager.fn, out_idx=[-1])


def test_wrong_declarations_are_located():
    @tilelang.jit
    def undetermined(A):
        M, K = T.const("M K")
        A: T.Tensor((M,), "float32")
        with T.Kernel(M) as i:
            T.copy(A[i], A[i])

    @tilelang.jit
    def not_returned(A):
        M = T.const("M")
        A: T.Tensor((M,), "float32")
        B = T.empty((M,), "float32")
        with T.Kernel(M) as i:
            T.copy(A[i], B[i])

    @tilelang.jit
    def other_result(A):
        M = T.const("M")
        A: T.Tensor((M,), "float32")
        with T.Kernel(M) as i:
            T.copy(A[i], A[i])
        return A

    @tilelang.jit
    def nameless(A):
        M = T.const("M")
        A: T.Tensor((M,), "float32")
        outputs = [T.empty((M,), "float32")]
        with T.Kernel(M) as i:
            T.copy(A[i], outputs[0][i])
        return outputs

    @tilelang.jit
    def no_parameter(A):
        A: T.Tensor((4,), "float32")
        B: T.Tensor((4,), "float32")  # noqa: F842
        with T.Kernel(4) as i:
            T.copy(A[i], A[i])

    for kernel, text in (
        (undetermined, "do not determine the extent 'K'"),
        (not_returned, r"1 T.empty\(…\), but 0 returned"),
        (other_result, "expected each output"),
        (nameless, "has no name of its own"),
        (no_parameter, "found 'B: T.Tensor.*expected a parameter"),
    ):
        with pytest.raises((kiln.KilnError, ValueError), match=rf"test_host_jit.py:\d+: .*{text}"):
            kernel.compile(ones(4))


def test_extents_exist_only_in_declarations():
    with pytest.raises(kiln.KilnError, match="belong before the 'with T.Kernel"):
        T.const("M")


def test_the_target_that_the_author_named():
    @tilelang.jit(target="pto")
    def named(M):
        return lazy.get_tir(M)

    assert named.__jit_impl__.target == named.target == "pto"
    assert lazy.__jit_impl__.target == "auto"
