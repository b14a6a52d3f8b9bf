"""TileLang functions as the JSON that the compiler reads."""

import pytest

import kiln
import kiln.tilelang as tilelang
import kiln.tilelang.language as T
from kiln.tilelang.language import Tensor, alloc_shared, ceildiv, float16


def int_value(number):
    return {"t": "int", "v": str(number)}


def symbol(name):
    return {"t": "symbol", "v": name}


def functions(func):
    return func.capture.to_json()["functions"]


def make_copy(M, N, dtype="float16"):
    @T.prim_func
    def copy(A: T.Tensor((M, N), dtype), B: T.Tensor[[M, N], dtype], n: T.int32, s: "float32"):  # noqa: F821
        with T.Kernel(M, threads=1) as row:
            T.copy(A[row, 0], B[row, 0])

    return copy


def test_a_kernel_says_its_language_and_its_tensors():
    captured = functions(make_copy(64, 32))["f0"]
    assert captured["language"] == "tilelang"
    assert captured["pass_configs"] == {}
    a, b, n, s = captured["params"]
    shape = [int_value(64), int_value(32)]
    assert a["tensor"] == b["tensor"] == {"dtype": {"t": "dtype", "v": "f16"}, "shape": shape}
    assert a["annotation"] == "" and (n["annotation"], s["annotation"]) == ("i32", "f32")
    assert captured["env"] == {"M": int_value(64), "T": {"t": "lang", "v": "T"}}
    assert captured["body"][0]["k"] == "With"


def test_triton_functions_say_nothing_of_it():
    @kiln.jit
    def kernel(x):
        pass

    captured = functions(kernel)["f0"]
    assert "language" not in captured and "pass_configs" not in captured
    assert set(captured["params"][0]) == {"name", "kind", "annotation", "l", "c"}


def test_symbols_are_parameters_in_the_order_of_the_shapes():
    K, M = T.symbolic("K"), T.dynamic("M", "int64")

    @T.prim_func
    def kernel(A: T.Tensor((M, K * 2), "float"), B: T.Tensor((T.ceildiv(M, 4) + 1, 3), "float")):
        with T.Kernel(M // 2):
            T.copy(A, B)

    captured = functions(kernel)["f0"]
    assert captured["params"][0]["tensor"]["shape"] == [
        symbol("M"),
        {"t": "symbolic", "op": "*", "args": [symbol("K"), int_value(2)]},
    ]
    divided = {"t": "symbolic", "op": "ceildiv", "args": [symbol("M"), int_value(4)]}
    assert captured["params"][1]["tensor"]["shape"][0] == {
        "t": "symbolic",
        "op": "+",
        "args": [divided, int_value(1)],
    }
    hidden = [(p["name"], p["annotation"]) for p in captured["params"] if p.get("symbol")]
    assert hidden == [("M", "i64"), ("K", "i32")]
    assert captured["env"]["M"] == symbol("M")
    assert kernel.arg_names == ["A", "B", "M", "K"]


def test_a_symbol_that_no_shape_has_is_refused_with_its_place():
    K = T.symbolic("K")

    @T.prim_func
    def kernel(A: T.Tensor((4,), "float")):
        with T.Kernel(K):
            T.copy(A, A)

    with pytest.raises(kiln.KilnError) as error:
        _ = kernel.capture
    assert "test_host_capture.py:" in str(error.value)
    assert "'K'" in str(error.value) and "'kernel'" in str(error.value)


def test_values_of_a_closure():
    dtype, shape, M = T.bfloat16, (16, 32), T.symbolic("M")

    @T.macro
    def add(buffer, value=1.0):
        buffer[0] = buffer[0] + value

    @T.prim_func
    def kernel(A: Tensor((M,), dtype)):
        with T.Kernel(ceildiv(M, 16)) as (cid, vid):
            a = alloc_shared(shape, float16)
            b = T.alloc_ub(shape, dtype)
            add(a)
            T.copy(A, b)

    captured = functions(kernel)
    env = captured["f0"]["env"]
    assert env["dtype"] == {"t": "dtype", "v": "bf16"}
    assert env["float16"] == {"t": "dtype", "v": "f16"}
    assert env["shape"] == {"t": "tuple", "v": [int_value(16), int_value(32)]}
    assert env["alloc_shared"] == {"t": "lang", "v": "T.alloc_shared"}
    assert env["ceildiv"] == {"t": "lang", "v": "T.ceildiv"}
    assert env["add"] == {"t": "function", "v": "f1"}
    assert captured["f1"]["language"] == "tilelang"
    assert "pass_configs" not in captured["f1"]
    assert captured["f1"]["params"][1]["default"] == {"t": "float", "v": (1.0).hex()}


def test_pass_configs_are_part_of_the_kernel():
    key = tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC
    configs = {key: True, "tl.ascend_memory_planning": False, "tl.Simplify": True}
    kernel = tilelang.compile(make_copy(64, 32), pass_configs=configs)
    assert functions(kernel.prim_func)["f0"]["pass_configs"] == {
        "tl.ascend_auto_sync": {"t": "bool", "v": True},
        "tl.ascend_memory_planning": {"t": "bool", "v": False},
    }
    plain = tilelang.compile(make_copy(64, 32))
    assert plain.prim_func.cache_key != kernel.prim_func.cache_key


def test_annotations_that_are_texts_see_the_names_around_the_function():
    # As under `from __future__ import annotations`: M is no free variable of the kernel.
    def make(M):
        def kernel(A: "T.Tensor((M, 8), 'float32')", n: "T.int64"):  # noqa: F821
            with T.Kernel(1):
                pass

        return T.prim_func(kernel)

    func = make(24)
    assert func.tensors["A"].shape == (24, 8)
    assert func.params[1].scalar_type == "i64"


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        ("T.Tensor((Missing, 8), 'float32')", "cannot be evaluated: NameError"),
        ("list", "found <class 'list'>, expected T.Tensor(…) or an element type"),
        ("T.int4", "found int4, expected T.Tensor(…) or an element type"),
    ],
)
def test_other_annotations_are_refused(annotation, text):
    def kernel(A):
        pass

    kernel.__annotations__ = {"A": annotation}
    with pytest.raises(kiln.KilnError) as error:
        T.prim_func(kernel)
    assert "test_host_capture.py:" in str(error.value) and "parameter 'A'" in str(error.value)
    assert text in str(error.value)


def test_parameters_have_to_be_plain():
    def no_annotation(A):
        pass

    def with_default(n: T.int32 = 3):
        pass

    def starred(*A: T.int32):
        pass

    for function, found in (
        (no_annotation, "found no annotation"),
        (with_default, "found a default value"),
        (starred, "found '*A"),
    ):
        with pytest.raises(kiln.KilnError, match=found.replace("*", r"\*")):
            T.prim_func(function)


def fill_rows(buffer, value):
    for i in T.serial(4):
        clear(buffer[i, 0], value)


def clear(buffer, value):
    T.tile.fill(buffer, value)


def indirectly(buffer):
    fill_rows(buffer, 0.0)


def recursive(n):
    return T.min(n, 1) if n == 0 else recursive(n - 1)


def doubled(number):
    return 2 * number


def element_type(wide):
    return T.float32 if wide else T.float16


def test_a_plain_function_that_names_the_language_is_code_of_the_kernel():
    scale = 3.0

    def helper(buffer, value=1.0):
        T.tile.mul(buffer, buffer, scale * value)

    def through_a_module(buffer):
        tilelang.language.tile.exp(buffer, buffer)

    @T.prim_func
    def kernel(A: T.Tensor((4, 8), "float32")):
        with T.Kernel(1):
            a = T.alloc_ub((4, 8), element_type(True))
            helper(a)
            helper(a, 2.0)
            indirectly(a)
            through_a_module(a)
            T.tile.fill(a, doubled(recursive(3)))

    captured = functions(kernel)
    env = captured["f0"]["env"]
    kinds = {name: env[name]["t"] for name in env if name != "T"}
    assert kinds == {
        "doubled": "host",
        "element_type": "host",
        "helper": "function",
        "indirectly": "function",
        "recursive": "function",
        "through_a_module": "function",
    }
    helper_form = captured[env["helper"]["v"]]
    assert helper_form["language"] == "tilelang"
    assert helper_form["env"]["scale"] == {"t": "float", "v": (3.0).hex()}
    assert helper_form["params"][1]["default"] == {"t": "float", "v": (1.0).hex()}
    called = captured[env["indirectly"]["v"]]["env"]["fill_rows"]
    inner = captured[called["v"]]["env"]
    assert captured[inner["clear"]["v"]]["name"] == "clear"


def test_a_change_of_what_a_plain_function_does_is_another_kernel():
    def make(text):
        # Texts that differ and one name: what counts is the captured body.
        def first(buffer):
            T.tile.exp(buffer, buffer)

        def second(buffer):
            T.tile.ln(buffer, buffer)

        helper = first if text == "first" else second

        @T.prim_func
        def kernel(A: T.Tensor((4,), "float32")):
            with T.Kernel(1):
                helper(A)

        return kernel

    assert make("first").cache_key != make("second").cache_key
    assert make("first").cache_key == make("first").cache_key


def test_a_plain_function_stays_the_hosts_in_a_triton_kernel():
    @kiln.jit
    def kernel(x):
        clear(x, 0.0)

    assert functions(kernel)["f0"]["env"]["clear"]["t"] == "host"
