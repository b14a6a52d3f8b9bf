"""What Python tells the compiler about a function."""

import json
import math
from collections import namedtuple

import pytest

import kiln
import kiln.language as tl
import kiln.triton as triton
from kiln.capture import Capture

from . import helpers
from .helpers import twice

Pair = namedtuple("Pair", "a b")
BLOCK: tl.constexpr = 64
WIDTH = tl.constexpr(32)
RATIO = 0.1
PAIR = Pair(1, "two")
HUGE = 10**30
TABLE = {"a": 1}
ELEMENT = tl.float16


def plain(n):
    return n * 2


@triton.constexpr_function
def half(n):
    return n // 2


# fmt: off
@triton.jit(
    noinline=True,
)
def everything(x_ptr, n: tl.int64, *, N: tl.constexpr, flag=True, é="é"):
    # a comment, and ünïcode before a name
    s = "ü" + é; m = n  # noqa: E702, F841
    for i in range(0, N, BLOCK):
        m = m + twice(i) if flag and i < RATIO else -m
    tl.store(x_ptr + tl.math.exp(m), WIDTH, mask=PAIR.a == HUGE)
    return helpers.twice(helpers.LIMIT) + math.pi + half(N) + plain(N) + TABLE + ELEMENT + nowhere  # noqa: F821
# fmt: on


def function_of(kernel):
    capture = Capture(kernel).to_json()
    assert capture["schema"] == 1
    return capture["functions"][capture["kernel"]]


def walk(node):
    if isinstance(node, dict):
        if "k" in node:
            yield node
        for value in node.values():
            yield from walk(value)
    elif isinstance(node, list):
        for value in node:
            yield from walk(value)


def test_is_json_and_repeats():
    text = Capture(everything).text
    assert json.loads(text) == Capture(everything).to_json()
    assert Capture(everything).hash == Capture(everything).hash


def test_parameters():
    parameters = function_of(everything)["params"]
    assert [p["name"] for p in parameters] == ["x_ptr", "n", "N", "flag", "é"]
    assert [p["kind"] for p in parameters] == ["positional"] * 2 + ["kwonly"] * 3
    assert [p["annotation"] for p in parameters] == ["", "i64", "constexpr", "", ""]
    assert "default" not in parameters[0]
    assert parameters[3]["default"] == {"t": "bool", "v": True}
    assert parameters[4]["default"] == {"t": "str", "v": "é"}


def test_positions_are_those_of_the_file():
    function = function_of(everything)
    assert function["noinline"] is True
    lines = open(__file__, encoding="utf-8").read().split("\n")
    first = function["line"] - 1
    assert lines[first : first + len(function["source"])] == function["source"]
    assert function["source"][0] == "@triton.jit("
    names = [node for node in walk(function["body"]) if node["k"] == "Name"]
    assert len(names) > 20
    for node in names:
        # Columns count bytes of UTF-8.
        line = lines[node["l"] - 1].encode()
        assert line[node["c"] : node["ec"]].decode() == node["id"]


def test_nodes_keep_the_shape_of_ast():
    body = function_of(everything)["body"]
    assert [n["k"] for n in body] == ["Assign", "Assign", "For", "Expr", "Return"]
    loop = body[2]
    assert loop["iter"]["func"] == {**loop["iter"]["func"], "k": "Name", "id": "range"}
    assert "ctx" not in loop["iter"]["func"]
    choice = loop["body"][0]["value"]
    assert choice["k"] == "IfExp"
    assert choice["test"]["op"] == "And"
    assert choice["test"]["values"][1]["ops"] == ["Lt"]
    assert choice["orelse"]["op"] == "USub"
    assert choice["body"]["op"] == "Add"
    assert loop["iter"]["args"][0]["value"] == {"t": "int", "v": "0"}


def test_environment():
    env = function_of(everything)["env"]
    assert env["tl"] == {"t": "lang", "v": "tl"}
    assert env["BLOCK"] == {"t": "constexpr", "v": {"t": "int", "v": "64"}}
    assert env["WIDTH"] == {"t": "constexpr", "v": {"t": "int", "v": "32"}}
    assert env["RATIO"] == {"t": "float", "v": (0.1).hex()}
    assert env["PAIR"]["names"] == ["a", "b"]
    assert env["PAIR"]["v"][1] == {"t": "str", "v": "two"}
    assert env["HUGE"] == {"t": "int", "v": "1" + "0" * 30}
    assert env["TABLE"] == {"t": "opaque", "v": "dict"}
    assert env["ELEMENT"] == {"t": "dtype", "v": "f16"}
    assert env["range"] == {"t": "builtin", "v": "range"}
    assert env["half"]["t"] == env["plain"]["t"] == "host"
    assert env["half"]["v"] != env["plain"]["v"]
    assert "nowhere" not in env
    assert "m" not in env and "x_ptr" not in env
    assert env["math"] == {
        "t": "module",
        "v": "math",
        "attrs": {"pi": {"t": "float", "v": math.pi.hex()}},
    }


def test_called_functions_come_along_once():
    capture = Capture(everything).to_json()
    assert set(capture["functions"]) == {"f0", "f1"}
    env = capture["functions"]["f0"]["env"]
    assert env["twice"] == {"t": "function", "v": "f1"}
    assert env["helpers"]["attrs"]["twice"] == env["twice"]
    assert env["helpers"]["attrs"]["LIMIT"] == {"t": "int", "v": "7"}
    assert capture["functions"]["f1"]["name"] == "twice"
    assert capture["functions"]["f1"]["file"] == helpers.__file__


def test_recursion_ends():
    @triton.jit
    def again(n):
        again(n)

    assert list(Capture(again).to_json()["functions"]) == ["f0"]


def test_closures_and_shadowing():
    size = 3
    loop = "not a kernel value"

    @triton.jit
    def inner(x):
        for loop in range(size):
            x = x + loop

    function = function_of(inner)
    assert function["env"]["size"] == {"t": "int", "v": "3"}
    assert "loop" not in function["env"]
    assert function["body"][0]["c"] == 8
    assert loop


def test_trailing_code_that_compiles_to_nothing():
    @triton.jit
    def kernel(x):
        tl.store(x, 1.0)
        if 0:
            tl.store(
                x,
                missing,  # noqa: F821
            )
        # a comment

    assert [n["k"] for n in function_of(kernel)["body"]] == ["Expr", "If"]


def test_hash_sees_values_and_text():
    def make(value, replace=None):
        @triton.jit
        def kernel(x):
            tl.store(x, value)

        if replace:
            kernel._unsafe_update_src(kernel.src.replace(*replace))
        return Capture(kernel).hash

    assert make(1) == make(1)
    assert len({make(1), make(1.0), make(2), make(True), make(1, ("value", "value + 1"))}) == 5


def test_hash_sees_the_code_of_host_functions():
    def make(text, helper="n"):
        namespace = {}
        exec(f"def helper(n): return {helper}", namespace)
        exec(f"def host(n): return {text}", namespace)
        host = namespace["host"]

        @triton.jit
        def kernel(x, N: tl.constexpr):
            tl.store(x, host(N))

        return Capture(kernel).hash

    assert make("n + 1") == make("n + 1")
    assert make("n + 1") != make("n + 2")
    assert make("helper(n)", "n + 1") != make("helper(n)", "n + 2")


def test_source_can_be_replaced():
    @triton.jit
    def kernel(x, N: tl.constexpr):
        REPLACE  # noqa: B018, F821

    assert kernel.src.startswith("def kernel(x, N: tl.constexpr):\n    REPLACE")
    kernel._unsafe_update_src(kernel.src.replace("REPLACE", "tl.store(x, N)"))
    function = function_of(kernel)
    assert function["source"][1].startswith("    tl.store(x, N)")
    node = function["body"][0]
    line = function["source"][node["l"] - function["line"]]
    assert line[node["c"] : node["ec"]] == "tl.store(x, N)"
    kernel.src = kernel.src.replace("N)", "2)")
    assert "tl.store(x, 2)" in kernel.src


def test_replaced_source_reaches_the_callers():
    @triton.jit
    def callee(x):
        return x + 1

    @triton.jit
    def caller(x):
        tl.store(x, callee(1))

    before = caller.capture.hash
    callee.src = callee.src.replace("+ 1", "+ 2")
    assert caller.capture.hash != before


def test_host_functions_are_called_with_values():
    capture = Capture(everything)
    number = capture.to_json()["functions"]["f0"]["env"]["half"]["v"]
    answer = capture.call_host({"function": number, "args": [{"t": "int", "v": "9"}], "kwargs": {}})
    assert answer == {"value": {"t": "int", "v": "4"}}
    answer = capture.call_host({"function": number, "args": [{"t": "str", "v": "9"}]})
    assert "TypeError" in answer["error"]


def test_only_a_docstring():
    @triton.jit
    def kernel(
        x,
        N: tl.constexpr,
    ):
        """Does nothing."""

    assert function_of(kernel)["source"][-1].strip() == '"""Does nothing."""'


def test_without_source():
    namespace = {"triton": triton}
    exec("@triton.jit\ndef kernel(x): pass", namespace)
    with pytest.raises(kiln.KilnError, match="source of 'kernel' is not available"):
        Capture(namespace["kernel"])


def test_lambdas_are_refused():
    kernel = triton.jit(lambda x: x)
    with pytest.raises(kiln.KilnError, match="test_capture.py:[0-9]+: a kernel must be a `def`"):
        Capture(kernel)


def test_only_functions_are_kernels():
    with pytest.raises(TypeError, match="found a int, expected a function"):
        triton.jit(3)
