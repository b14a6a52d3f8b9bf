"""The simulated NPU as a device: views, masks, long integers, refusals, chips."""

import json

import numpy as np
import pytest

import kiln
import kiln.language as tl
import kiln.triton as triton

from .table_on_device import CHIP, KERNELS, REFUSED, check, run

CHIPS = check.__file__.rpartition("/test/")[0] + "/machine/chips"


@pytest.fixture(autouse=True)
def on_the_chip():
    with kiln.device(CHIP):
        yield


@triton.jit
def scale(x_ptr, out_ptr, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, x * FACTOR, mask=i < n)


@triton.jit
def where(x_ptr, mask_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    keep = tl.load(mask_ptr + i) != 0
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=keep, other=-1.0), mask=i % 3 != 1)


@triton.jit
def shift(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x_ptr + 1 + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def one_past(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i))


@triton.jit
def forever(x_ptr, n):
    while n > 0:
        tl.store(x_ptr + tl.arange(0, 64), tl.arange(0, 64))


@pytest.mark.parametrize("name", [kernel.name for kernel in KERNELS.values()])
def test_64_bit_floats_are_refused(name):
    inputs = check.inputs_of(KERNELS[name], REFUSED, 127)
    with pytest.raises(kiln.CompilationError, match=f"f64 does not run on {CHIP}"):
        run(name, REFUSED, inputs)


def test_long_integers_are_a_reported_slow_path():
    x = np.arange(200, dtype=np.int64) << 33
    out = np.zeros_like(x)
    compiled = scale[(2,)](x, out, x.size, FACTOR=3, BLOCK=100)
    np.testing.assert_array_equal(out, x * 3)
    remarks = " ".join(remark["message"] for remark in compiled.report["remarks"])
    assert "64-bit integers run element by element on the scalar unit" in remarks
    assert kiln.launch_report()["busiest"].startswith("S of AIV")


def test_in_place():
    x = np.arange(5000, dtype=np.float32)
    scale[(5,)](x, x, x.size, FACTOR=2, BLOCK=1024)
    np.testing.assert_array_equal(x, 2 * np.arange(5000))


def test_views_that_overlap():
    """One program reads all of its tile before it stores any of it."""
    x = np.arange(1001, dtype=np.float32)
    shift[(1,)](x, 1000, BLOCK=1024)
    np.testing.assert_array_equal(x, np.concatenate([[0], np.arange(1000)]))


def test_views_within_one_array():
    base = np.arange(300, dtype=np.float32)
    scale[(1,)](base[100:200], base[200:], 100, FACTOR=3, BLOCK=128)
    expected = np.arange(300, dtype=np.float32)
    expected[200:] = 3 * expected[100:200]
    np.testing.assert_array_equal(base, expected)


def test_masks_from_memory():
    rng = np.random.default_rng(3)
    x = rng.standard_normal(777).astype(np.float32)
    keep = rng.integers(0, 2, 777, dtype=np.int8)
    out = np.full(777, 9, np.float32)
    where[(1,)](x, keep, out, BLOCK=777)
    expected = np.where(np.arange(777) % 3 != 1, np.where(keep != 0, x, -1), 9)
    np.testing.assert_array_equal(out, expected)


def test_out_of_bounds_is_found():
    x, out = np.zeros(63, np.float32), np.zeros(64, np.float32)
    with pytest.raises(kiln.DeviceCheckError, match="out of bounds") as caught:
        one_past[(1,)](x, out, BLOCK=64)
    assert "test_device.py" in str(caught.value)


def test_a_runaway_ends():
    x = np.zeros(64, np.int32)
    with kiln.simulation(cycle_limit=20000), pytest.raises(kiln.DeviceCheckError, match="20000"):
        forever[(1,)](x, 2)


@pytest.mark.parametrize(
    ("settings", "has"),
    [
        ({"speed": 3}, "speed"),
        ({"mode": "fast"}, "functional_timed"),
        ({"order": -1}, "order"),
        ({"order": 1}, "needs the mode"),
        ({"check": 1}, "true or false"),
        ({"cycle_limit": 0}, "at least 1"),
    ],
)
def test_wrong_settings(settings, has):
    with pytest.raises(ValueError, match=has):
        kiln.configure_device(CHIP, **settings)


def modelled_microseconds(device, rows=96):
    """Of a softmax with rows of 1000; the values are checked too."""
    kernel = KERNELS["softmax"]
    inputs = kernel.inputs(np.random.default_rng(1), (rows, 1000), "f32")
    check.judge(kernel, inputs, run(kernel.name, "f32", inputs, device))
    return kiln.launch_report(device)["kernel_microseconds"]


def test_two_chips():
    """The smaller chip has fewer cores and a slower clock: the same work takes longer."""
    assert modelled_microseconds("ascend910b3") > modelled_microseconds(CHIP)


def edited_chip(tmp_path, name, change):
    """A chip file with what `change` makes of the stock one."""
    with open(f"{CHIPS}/{CHIP}.json") as file:
        chip = json.load(file)
    change(chip)
    chip["name"] = name
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps(chip))
    return str(path)


def find(chip, name):
    """The members of that name, wherever they stand."""
    found = [chip[name]] if name in chip else []
    for member in chip.values():
        if isinstance(member, dict):
            found += find(member, name)
    return found


def test_a_rate_of_the_chip_file_moves_times(tmp_path):
    def slower(chip):
        for rate in ("hbm_bytes_per_second", "hbm_bytes_per_cycle_per_core"):
            (entry,) = find(chip, rate)
            entry["value"] /= 8
            entry.pop("range", None)

    path = edited_chip(tmp_path, "slowmemory", slower)
    assert modelled_microseconds(path) > 1.5 * modelled_microseconds(CHIP)


def test_ub_of_the_chip_file_moves_what_fits(tmp_path):
    def smaller(chip):
        for member in ("bytes", "usable_bytes"):
            chip["memories"]["UB"][member]["value"] = 32768

    path = edited_chip(tmp_path, "smallub", smaller)
    x = np.ones(24000, np.float32)
    with kiln.device(CHIP):
        out = np.zeros_like(x)
        one_past[(1,)](x, out, BLOCK=x.size)
        np.testing.assert_array_equal(out, x)
        whole = kiln.launch_report()["cores"]["AIV"]["pipes"]["MTE2"]["instructions"]
    with kiln.device(path):
        # 96 KB in 32 KB: cut in pieces, or refused with what does not fit.
        out = np.zeros_like(x)
        try:
            one_past[(1,)](x, out, BLOCK=x.size)
        except kiln.CompilationError as error:
            assert "32768" in str(error) or "UB" in str(error)
        else:
            np.testing.assert_array_equal(out, x)
            pieces = kiln.launch_report()["cores"]["AIV"]["pipes"]["MTE2"]["instructions"]
            assert pieces > whole


@pytest.mark.parametrize(
    ("change", "has"),
    [
        (lambda chip: chip.update(bogus=1), "bogus"),
        (lambda chip: chip["memories"]["UB"].pop("bytes"), "bytes"),
        (lambda chip: chip["chip"]["clock_ghz"].update(value=-1), "clock_ghz"),
    ],
)
def test_wrong_chip_files(tmp_path, change, has):
    path = edited_chip(tmp_path, "wrong", change)
    with pytest.raises((kiln.KilnError, ValueError), match=has):
        kiln.set_device(path)
