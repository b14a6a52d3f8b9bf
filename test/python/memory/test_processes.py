"""Several processes, one cache; processes that are interrupted."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

WORKER = Path(__file__).with_name("worker.py")


def start(mode, cache):
    environment = os.environ | {"KILN_CACHE_DIR": str(cache)}
    return subprocess.Popen(
        [sys.executable, str(WORKER), mode],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(cache):
    process = start("run", cache)
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def finish_well(cache):
    code, out, err = run(cache)
    assert code == 0, err
    return out


def files(cache):
    return sorted(path for path in cache.rglob("*") if path.is_file())


def test_warm_cache_loads_no_compiler(tmp_path):
    assert "libkiln_compiler" in finish_well(tmp_path)
    assert finish_well(tmp_path).split() == ["mapped:"]


def test_processes_share_a_cache(tmp_path):
    workers = [start("run", tmp_path) for _ in range(4)]
    for worker in workers:
        _, err = worker.communicate(timeout=300)
        assert worker.returncode == 0, err
    assert finish_well(tmp_path).split() == ["mapped:"]


def test_ctrl_c_stops_a_long_compile(tmp_path):
    worker = start("long", tmp_path)
    assert worker.stdout.readline() == "compiling\n"
    time.sleep(2)
    assert worker.poll() is None, worker.stderr.read()
    worker.send_signal(signal.SIGINT)
    _, err = worker.communicate(timeout=60)
    assert "KeyboardInterrupt" in err
    assert worker.returncode != 0
    assert not files(tmp_path)


def test_killed_process_leaves_no_half_entry(tmp_path):
    """Killed at any moment: what it left is complete or not looked at."""
    began = time.monotonic()
    finish_well(tmp_path / "measure")
    whole = time.monotonic() - began
    cache = tmp_path / "cache"
    for share in (0.5, 0.7, 0.8, 0.85, 0.9, 0.95):
        worker = start("run", cache)
        time.sleep(whole * share)
        worker.kill()
        worker.communicate()
    finish_well(cache)
    assert finish_well(cache).split() == ["mapped:"]


@pytest.mark.parametrize("damage", ("truncate", "flip", "empty", "append"))
def test_damaged_entry(tmp_path, damage):
    """A damaged file is refused or made anew, with its reason; it is never run."""
    finish_well(tmp_path)
    for path in files(tmp_path):
        data = bytearray(path.read_bytes())
        if damage == "truncate":
            del data[len(data) // 2 :]
        elif damage == "flip":
            for at in range(0, len(data), max(len(data) // 16, 1)):
                data[at] ^= 0x55
        elif damage == "empty":
            data.clear()
        else:
            data += b"more"
        path.write_bytes(bytes(data))
    code, _, err = run(tmp_path)
    assert code == 0, err
    assert "kernel cache" in err, "not reported"
