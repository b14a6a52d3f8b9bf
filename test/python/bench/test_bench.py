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


def test_launch_row(capsys):
    (row,) = rows(capsys, "launch", "--case", "python_launch")
    assert set(row) >= FIELDS
    assert row["unit"] == "us"


@pytest.mark.parametrize(
    ("arguments", "message"),
    (
        (("npu",), "not there yet"),
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
