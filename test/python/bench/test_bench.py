"""`kiln bench`: the rows, not the speeds."""

import json

import pytest

from kiln.bench import main
from kiln.bench.native import BenchmarkError, build_file

FIELDS = {
    "suite", "case", "device", "dtype", "shape", "value", "unit", "bound", "bound_share",
    "rival", "rival_value", "ratio", "modelled",
}  # fmt: skip


def rows(capsys, *arguments):
    assert main([*arguments, "--json", "--quick"]) == 0
    return json.loads(capsys.readouterr().out)


def has_native():
    try:
        build_file("lib/libkiln_bench.so")
    except BenchmarkError:
        return False
    return True


@pytest.mark.skipif(not has_native(), reason="built without KILN_BUILD_BENCHMARKS")
def test_cpu_row(capsys):
    (row,) = rows(capsys, "cpu", "--case", "^softmax_f32_1MiB_rows1024_threads1$")
    assert set(row) >= FIELDS
    assert row["suite"] == "cpu"
    assert row["rival"] == "numpy"
    assert row["modelled"] is False
    assert row["value"] > 0
    assert row["bound_share"] == pytest.approx(row["value"] / row["bound"])
    assert row["ratio"] == pytest.approx(row["value"] / row["rival_value"])


def test_cpu_case_names():
    from kiln.bench import cpu

    names = [name for name, *_ in cpu.cases()]
    assert len(names) == len(set(names))
    assert "vector_add_f32_64MiB_threads1" in names
    assert "softmax_f32_64MiB_rows1024_threads2" in names
    assert "layer_norm_f32_1MiB_rows4096_threads1" in names


def test_compile_row(capsys):
    (row,) = rows(capsys, "compile", "--case", "^vector_add_cpu$")
    assert set(row) >= FIELDS
    assert row["unit"] == "ms"
    assert row["bound"] is None
    assert "frontend" in row["passes"]


def test_compile_row_of_an_image(capsys):
    (row,) = rows(capsys, "compile", "--case", "^vector_add_npu$")
    assert row["device"] == "ascend910b"
    assert row["value"] > 0 and row["first_ms"] > row["value"]
    assert "kiln-npu-insert-sync" in row["passes"] and "assemble" in row["passes"]


def test_npu_row(capsys):
    (row,) = rows(capsys, "npu", "--case", "^softmax_f32_64MiB_rows4096$")
    assert set(row) >= FIELDS
    assert row["modelled"] is True
    assert 0 < row["bound_share"] <= 1
    assert row["bound_share"] == pytest.approx(row["value"] / row["bound"])
    assert row["hbm_bytes"] >= row["moved_bytes"] == 2 * 64 << 20
    assert row["write_back_cycles"] > 0
    assert "%" in row["binding"] and "dirty" in row["time_includes"]
    assert rows(capsys, "npu", "--case", "^softmax_f32_64MiB_rows4096$") == [row]


def test_sim_row(capsys):
    (row,) = rows(capsys, "sim", "--case", "^timing_only")
    assert set(row) >= FIELDS
    assert row["case"] == "timing_only_vector_add_64MiB"
    assert row["value"] == pytest.approx(row["chip_cycles"] / row["seconds"])


def test_npu_case_names():
    from kiln.bench import npu

    names = [name for name, _ in npu.cases()]
    assert len(names) == len(set(names))
    assert {"vector_add_f32_64MiB", "softmax_f32_64MiB_rows1024"} < set(names)


def test_launch_row(capsys):
    (row,) = rows(capsys, "launch", "--case", "python_launch")
    assert set(row) >= FIELDS
    assert row["unit"] == "us"


@pytest.mark.parametrize(
    ("arguments", "message"),
    (
        (("tune",), "not there yet"),
        (("nothing",), "unknown suite"),
        (("cpu", "--case", "("), "regular expression"),
        (("cpu", "--case", "^no_such_case$"), "no case"),
    ),
)
def test_wrong_use(arguments, message, capsys):
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    assert end.value.code == 2
    assert message in capsys.readouterr().err
