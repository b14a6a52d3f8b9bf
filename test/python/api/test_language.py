"""The language on the host: markers, element types, constexpr."""

import pickle

import pytest

import kiln
import kiln.language as tl
import kiln.triton as triton
from kiln.values import canonical_name, decode, encode


@pytest.mark.parametrize("name", ["load", "arange", "cdiv", "dot", "philox_impl"])
def test_names_are_for_kernels(name):
    with pytest.raises(kiln.KilnError, match=f"tl.{name} can be used only inside"):
        getattr(tl, name)(1)


def test_every_public_name_exists():
    missing = [name for name in tl.__all__ if not hasattr(tl, name)]
    assert not missing


def test_canonical_names():
    assert canonical_name(tl.load) == "tl.load"
    assert canonical_name(tl.core.load) == "tl.load"
    assert canonical_name(tl.math.exp) == "tl.math.exp"
    assert canonical_name(tl.math) == "tl.math"
    assert canonical_name(tl.extra.libdevice.tanh) == "tl.extra.libdevice.tanh"
    assert canonical_name(tl.extra.cuda.libdevice.tanh) == "tl.extra.libdevice.tanh"
    assert canonical_name(tl.constexpr) == "tl.constexpr"
    assert canonical_name(tl.tensor) == "tl.tensor"
    assert canonical_name(triton) == "triton"
    assert canonical_name(tl.constexpr(1)) is None


def test_element_types():
    assert tl.float32 == tl.dtype("fp32") != tl.float16
    assert str(tl.int8) == "int8" and tl.int8.primitive_bitwidth == 8
    assert tl.float16.fp_mantissa_width == 10
    assert tl.bfloat16.is_floating() and not tl.bfloat16.is_int()
    assert tl.uint8.is_int_unsigned() and tl.int1.is_bool() and tl.float32.is_fp32()
    assert tl.pointer_type(tl.float32) == tl.pointer_type(tl.float32) != tl.float32
    assert tl.str_to_ty("*fp16") == tl.pointer_type(tl.float16)
    assert pickle.loads(pickle.dumps(tl.float8e5)) == tl.float8e5
    with pytest.raises(ValueError, match="unknown element type 'fp12'"):
        tl.dtype("fp12")


def test_constexpr_computes_on_the_host():
    four = tl.constexpr(4)
    assert (four + 1).value == 5 and (1 - four).value == -3 and (four // 3).value == 1
    assert four == 4 and not four != 4 and four > 3 and list(range(four)) == [0, 1, 2, 3]
    assert tl.constexpr(four).value == 4 and int(four) == 4 and float(four) == 4.0
    assert (-four).value == -4 and (four << 1).value == 8 and bool(tl.constexpr(0)) is False


@pytest.mark.parametrize(
    "value", [None, True, 3, -(10**25), 0.1, "text", (1, (2.0, "x")), [1, None], tl.float16]
)
def test_values_survive_the_way_to_the_compiler_and_back(value):
    assert decode(encode(value, None)) == value


@pytest.mark.parametrize("value", [float("inf"), float("-inf")])
def test_infinities(value):
    assert decode(encode(value, None)) == value


def test_nan():
    value = decode(encode(float("nan"), None))
    assert value != value


def test_host_helpers():
    assert triton.cdiv(7, 2) == 4 and triton.next_power_of_2(17) == 32
    assert triton.cdiv(tl.constexpr(8), 2) == 4
    assert triton.next_power_of_2(1) == 1
    config = triton.Config({"BLOCK": 64}, num_warps=8)
    assert config.all_kwargs() == {"BLOCK": 64, "num_warps": 8, "num_stages": 3, "num_ctas": 1}
    times = triton.testing.do_bench(lambda: None, warmup=0.1, rep=0.5, return_mode="all")
    assert len(times) > 1 and min(times) >= 0
    with pytest.raises(ValueError, match="return_mode"):
        triton.testing.do_bench(lambda: None, return_mode="average")


def test_names_that_are_not_there_yet():
    @triton.autotune(configs=[], key=[])
    @triton.jit
    def kernel(x):
        pass

    with pytest.raises(kiln.NotThereYetError, match="triton.autotune is not there yet"):
        kernel[1](None)
    with pytest.raises(kiln.NotThereYetError, match="triton.testing.cublas"):
        triton.testing.cublas()
