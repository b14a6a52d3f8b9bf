"""scripts/published.py on files of its own: every word that it says of a file."""

import importlib.util
import json
import subprocess
import sys
import time

import pytest

KERNEL = """
import numpy as np
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i) * 2)


@triton.jit
def broken(x_ptr):
    tl.store(x_ptr, no_such_name)


x = np.ones(16, dtype=np.float32)
double[(1,)](x, BLOCK=16)
"""

# What a file does, the word, and what else is in the line.
FILES = {
    "works": (KERNEL + "assert x[0] == 2", "works", ""),
    "idle": ("print('nothing to do')", "no kernel", ""),
    "wrong": (KERNEL + "assert x[0] == 3, 'three'", "wrong", "AssertionError: three"),
    "caught": (
        "try:\n    assert 1 == 2\nexcept AssertionError:\n    import traceback\n"
        "    traceback.print_exc()",
        "wrong",
        "AssertionError",
    ),
    "rejected": (KERNEL + "broken[(1,)](x)", "refused", "no_such_name"),
    "unknown": (
        KERNEL.replace("no_such_name", "tl.no_such_function()") + "broken[(1,)](x)",
        "refused",
        "unknown language name",
    ),
    "pending": (
        "import triton\n@triton.autotune(configs=[], key=[])\ndef f():\n    pass\nf[(1,)]()",
        "refused",
        "triton.autotune is not there yet",
    ),
    "absent": ("import triton\ntriton.no_such_name", "refused", "no_such_name"),
    "needs": ("import no_such_module_anywhere", "needs", "no_such_module_anywhere"),
    "arguments": (
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('x')\np.parse_args()",
        "needs",
        "x",
    ),
    "error": ("open('no such file')", "error", "FileNotFoundError"),
    "status": ("import sys\nprint('why')\nsys.exit(3)", "error", "exit status 3: why"),
    "ended": ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "crashed", "SIGSEGV"),
    "memory": ("x = bytearray(3 << 30)", "over budget", "memory"),
}


def published(checkout, *arguments, timeout=100):
    command = [sys.executable, str(checkout / "scripts" / "published.py"), *map(str, arguments)]
    command += ["--python", sys.executable]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout)


@pytest.fixture(scope="module", params=("forked", "fresh"))
def outcomes(checkout, tmp_path_factory, request):
    folder = tmp_path_factory.mktemp("published")
    for name, (text, _, _) in FILES.items():
        (folder / f"{name}.py").write_text(text)
    before = sorted(folder.rglob("*"))
    fresh = ["--fresh"] if request.param == "fresh" else []
    done = published(checkout, folder, "--json", "--jobs", 2, "--memory", 2, *fresh)
    assert sorted(folder.rglob("*")) == before, "nothing is written to the folder"
    assert done.returncode == 1, "one of them crashed"
    report = json.loads(done.stdout)
    assert sum(report["counts"].values()) == len(FILES)
    return {row["path"]: row for row in report["files"]}


@pytest.mark.parametrize("name", FILES)
def test_word(outcomes, name):
    _, status, reason = FILES[name]
    row = outcomes[f"{name}.py"]
    assert row["status"] == status, row
    assert reason in row["reason"], row


def test_place_and_missing_name(outcomes):
    lines = KERNEL.splitlines()
    line = next(i for i, text in enumerate(lines, 1) if "no_such_name" in text)
    assert outcomes["rejected.py"]["place"] == f"rejected.py:{line}"
    assert outcomes["pending.py"]["missing"] == "triton.autotune"
    assert outcomes["pending.py"]["place"] == "pending.py:5"
    assert outcomes["absent.py"]["missing"] == "triton.no_such_name"
    assert outcomes["unknown.py"]["missing"] == "tl.no_such_function"
    assert outcomes["wrong.py"]["place"] == f"wrong.py:{len(lines) + 1}"


def test_a_file_that_hangs_is_ended_with_all_that_it_started(checkout, tmp_path):
    mark = tmp_path / "alive"
    child = f"import time, pathlib\nwhile True: pathlib.Path({str(mark)!r}).touch(); time.sleep(.1)"
    (tmp_path / "hangs.py").write_text(
        "import signal, subprocess, sys, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"subprocess.Popen([sys.executable, '-c', {child!r}])\ntime.sleep(1000)\n"
    )
    done = published(checkout, tmp_path / "hangs.py", "--timeout", 5)
    assert done.returncode == 0, done
    assert done.stdout.startswith("over budget hangs.py"), done.stdout
    assert "hangs.py:4" in done.stdout, done.stdout
    mark.unlink(missing_ok=True)
    time.sleep(0.5)
    assert not mark.exists(), "a process of the file still runs"


ISOLATED = """
import os, sys
from pathlib import Path
assert Path.cwd() == Path(__file__).parent, Path.cwd()
assert sys.argv == [__file__] and sys.path[0] == str(Path.cwd())
assert os.getpid() == os.getsid(0) == os.getpgid(0)
assert not list(Path(os.environ["KILN_CACHE_DIR"]).glob("*"))
assert "PUBLISHED_TEST" not in os.environ and not hasattr(sys, "published_test")
assert sys.stdin.read() == "" and not os.isatty(1)
numbers = {int(n) for n in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{n}")}
assert numbers == {0, 1, 2}, numbers
os.environ["PUBLISHED_TEST"] = sys.published_test = "left behind"
import queue
print(queue.__file__)
"""


def test_each_file_has_a_process_of_its_own(checkout, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.py").write_text(ISOLATED)
    done = published(checkout, tmp_path)
    assert "    2  no kernel" in done.stdout, done.stdout


def test_a_module_of_the_folder_is_not_one_that_is_loaded_already(checkout, tmp_path):
    (tmp_path / "tokenize.py").write_text("own = 1")
    (tmp_path / "a.py").write_text("import tokenize\nassert tokenize.own")
    lines = [published(checkout, tmp_path, *mode).stdout for mode in ((), ("--fresh",))]
    words = [[line.split("  ")[:2] for line in text.splitlines()[:2]] for text in lines]
    assert words[0] == words[1]


def test_a_file_that_ends_what_forked_it(checkout, tmp_path):
    (tmp_path / "a.py").write_text(
        "import os, pathlib, signal, sys, time\nparent = os.getppid()\n"
        "if 'preloaded' in pathlib.Path(f'/proc/{parent}/cmdline').read_text():\n"
        "    os.kill(parent, signal.SIGKILL)\n    time.sleep(100)\n"
        "sys.exit('alone')\n"
    )
    (tmp_path / "b.py").write_text("print(1)")
    done = published(checkout, tmp_path)
    assert done.stdout.startswith("error       a.py"), done.stdout
    assert "exit status 1: alone" in done.stdout and "no kernel   b.py" in done.stdout


STASH = """
import sys
sys.path[:0] = [{scripts!r}, {folder!r}]
import preloaded
preloaded.PACKAGE = "package"
import package.part
first, spec = package, package.__spec__
preloaded.Stash()
assert not [name for name in sys.modules if name.startswith("package")]
import package.part as part
import package
assert package is first and package.part is part and package.loads == 1
assert package.__spec__ is spec and type(sys.meta_path[0]).__name__ != "Stash"
"""


def test_the_package_is_hidden_until_it_is_imported(checkout, tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("loads = globals().get('loads', 0) + 1")
    (tmp_path / "package" / "part.py").write_text("")
    program = STASH.format(scripts=str(checkout / "scripts"), folder=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_counts(checkout, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.py").write_text("print(1)")
    (tmp_path / "__init__.py").write_text("raise ValueError")
    done = published(checkout, tmp_path)
    assert done.returncode == 0, done
    assert done.stdout.startswith("no kernel   sub/a.py"), done.stdout
    assert "    1  no kernel" in done.stdout and "    0  crashed" in done.stdout


@pytest.mark.parametrize("arguments", (["no such folder"], ["--timeout", "0", "."]))
def test_wrong_usage(checkout, arguments):
    assert published(checkout, *arguments).returncode == 2


@pytest.fixture(scope="module")
def script(checkout):
    name = "published_outcome"
    spec = importlib.util.spec_from_file_location(name, checkout / f"scripts/{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "code, text, status",
    (
        (0, "T.sort is not there yet", "refused"),
        (1, "kiln.errors.DeviceCheckError: race", "wrong"),
        (
            0,
            "caught: kernel 'k': failed on the simulated NPU\nnote: /x/a.py:3:4: race: it",
            "wrong",
        ),
        (1, "kiln.errors.OutOfResources: out of resource: ub", "refused"),
        (0, "failed: /x/a.py:3:4: error: found a buffer, expected a number", "refused"),
        (1, "ModuleNotFoundError: No module named 'tilelang.quantize'", "refused"),
        (1, "ImportError: cannot import name 'tvm' from 'kiln.tilelang' (x.py)", "refused"),
        (1, "Fatal Python error: Segmentation fault", "crashed"),
        (0, "Fatal Python error: Aborted", "crashed"),
        (1, '  File "{kiln}/jit.py", line 7, in f\nKeyError: 3', "crashed"),
        (1, '  File "{kiln}/jit.py", line 7, in f\nTypeError: found 3', "refused"),
        (1, '  File "/x/a.py", line 7, in f\nKeyError: 3', "error"),
        (1, "E   AssertionError: Tensor-likes are not close!", "wrong"),
        (-9, "", "over budget"),
        (-6, "terminate called: std::bad_alloc", "over budget"),
        (-6, "LLVM ERROR: no", "crashed"),
    ),
)
def test_rules(script, checkout, tmp_path, code, text, status):
    text = text.replace("{kiln}", str(checkout / "python" / "kiln"))
    ended = script.Ended(code, False, 0.0, "", text, True)
    outcome = script.Outcome("a.py")
    script.Reader(ended, tmp_path, 1.0).read(outcome)
    assert outcome.status == status, outcome
