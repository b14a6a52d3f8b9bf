"""`kiln compile`, `kiln sim` and `kiln run` for a simulated NPU."""

import json
import subprocess
import sys

import numpy as np
import pytest

from .table_on_device import CHIP, check

VECTOR_ADD = check.__file__.rpartition("/test/")[0] + "/examples/triton/vector_add.py"
SIGNATURE = "*f32:16,*f32:16,*f32:16,i32"


def kiln(*arguments):
    command = [sys.executable, "-m", "kiln", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def compile_for(device, *arguments):
    return kiln(
        *("compile", VECTOR_ADD, "--sig", SIGNATURE, "--const", "BLOCK_SIZE=1024"),
        *("--device", device, *arguments),
    )


@pytest.mark.parametrize(
    ("stage", "has"), [("tile", "tile.load"), ("npu", "npu.load"), ("asm", "vadd UB[")]
)
def test_stages(stage, has):
    done = compile_for(CHIP, "--emit", stage)
    assert done.returncode == 0, done.stderr
    assert has in done.stdout


def test_image_runs_without_the_compiler(tmp_path):
    image = tmp_path / "add.npo"
    done = compile_for(CHIP, "--emit", "npo", "-o", image)
    assert done.returncode == 0, done.stderr
    x = np.arange(2500, dtype=np.float32)
    np.save(tmp_path / "x.npy", x)
    done = kiln(
        *("sim", image, "--arg", tmp_path / "x.npy", "--arg", tmp_path / "x.npy"),
        *("--arg", f"zeros:f32:{x.size}", "--arg", x.size, "--grid", 3, "--json"),
        *("--out", f"2={tmp_path / 'out.npy'}"),
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["chip"] == CHIP and report["kernel_cycles"] > 0 and not report["findings"]
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), x + x)


def test_findings_are_an_exit_status(tmp_path):
    image = tmp_path / "add.npo"
    assert compile_for(CHIP, "--emit", "npo", "-o", image).returncode == 0
    arguments = ["--arg", "zeros:f32:8"] * 3
    done = kiln("sim", image, *arguments, "--arg", 100)
    assert done.returncode == 1
    assert "out of bounds" in done.stderr and "vector_add.py" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "has"),
    [
        ((CHIP, "--emit", "npo"), "expected -o"),
        ((CHIP, "--emit", "llvm"), "expected one of tile, npu, npo, asm on ascend910b"),
        (("cpu", "--emit", "npu"), "expected one of tile, linalg, llvm, asm on cpu"),
        ((CHIP, "--cpu", "skylake"), "--cpu"),
        (("ascend999", "--emit", "npu"), "ascend999"),
        (("/no/such/chip.json", "--emit", "npu"), "/no/such/chip.json"),
    ],
)
def test_wrong_usage(arguments, has):
    done = compile_for(*arguments)
    assert done.returncode in (1, 2)
    assert has in done.stderr and "Traceback" not in done.stderr


def test_sim_without_an_image(tmp_path):
    done = kiln("sim", tmp_path / "none.npo")
    assert done.returncode == 2 and "none.npo" in done.stderr
    (tmp_path / "bad.npo").write_bytes(b"not an image")
    done = kiln("sim", tmp_path / "bad.npo")
    assert done.returncode == 2 and "bad.npo" in done.stderr


def test_run(tmp_path):
    file = tmp_path / "double.py"
    file.write_text(
        "import numpy as np, triton, triton.language as tl\n"
        "@triton.jit\n"
        "def double(x, n: tl.constexpr):\n"
        "    i = tl.arange(0, n)\n"
        "    tl.store(x + i, tl.load(x + i) * 2)\n"
        "x = np.arange(64, dtype=np.float32)\n"
        "double[(1,)](x, 64)\n"
        "import kiln\n"
        "assert (x == 2 * np.arange(64)).all()\n"
        "print(kiln.launch_report()['chip'])\n"
    )
    done = kiln("run", "--device", CHIP, file)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{CHIP}\n"


def test_version_lists_the_chips():
    done = kiln("--version")
    assert done.returncode == 0
    assert f"device {CHIP}: " in done.stdout and "(simulated)" in done.stdout
