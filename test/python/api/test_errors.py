"""Errors of kernels as Python exceptions; threads; Ctrl-C."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import kiln
import kiln.language as tl
import kiln.triton as triton

from .kernels import copy


def line_of(text):
    lines = open(__file__, encoding="utf-8").read().split("\n")
    return next(i for i, line in enumerate(lines, 1) if text in line)


@triton.jit
def undefined(out_ptr):
    tl.store(out_ptr, nowhere)  # noqa: F821


@triton.jit
def asserting(out_ptr, n):
    tl.device_assert(n < 4, "n is too large")
    tl.store(out_ptr, n)


@triton.jit
def static(out_ptr, N: tl.constexpr):
    tl.static_assert(N == 1, "N must be one")
    tl.store(out_ptr, N)


def host_error(n):
    raise ValueError(f"no {n}")


@triton.jit
def calls_host(out_ptr, N: tl.constexpr):
    tl.store(out_ptr, host_error(N))


@triton.jit
def printing(out_ptr, N: tl.constexpr):
    tl.static_print("N is", N)
    tl.store(out_ptr, N)


OUT = np.zeros(1, np.float32)


def test_compilation_errors():
    with pytest.raises(kiln.CompilationError) as caught:
        undefined[1](OUT)
    error = caught.value
    assert isinstance(error, kiln.KilnError) and error is not None
    first = error.diagnostics[0]
    assert first["file"] == __file__ and first["severity"] == "error"
    assert first["line"] == line_of("tl.store(out_ptr, nowhere)")
    assert "nowhere" in str(error) and "tl.store(out_ptr, nowhere)" in str(error)
    assert "^" in str(error)


@triton.jit
def carried(out_ptr):
    total = 0
    for _ in range(3):
        total = total + 0.5
    tl.store(out_ptr, total)


def test_notes_stand_once():
    with pytest.raises(triton.CompilationError) as caught:
        carried[1](OUT)
    assert str(caught.value).count("its first value comes from here") == 1


def test_a_failure_is_not_remembered():
    for _ in range(2):
        with pytest.raises(triton.CompilationError):
            undefined[1](OUT)


def test_static_assertions():
    with pytest.raises(triton.compiler.errors.CompileTimeAssertionFailure, match="N must be one"):
        static[1](OUT, 2)
    static[1](OUT, 1)


def test_device_assertions():
    asserting[1](OUT, 7)  # nothing is checked without debug
    with pytest.raises(kiln.DeviceAssertionError, match="n is too large"):
        asserting[1](OUT, 7, debug=True)
    asserting[1](OUT, 3, debug=True)
    assert OUT[0] == 3.0


def test_host_functions_that_fail():
    with pytest.raises(kiln.CompilationError, match="ValueError: no 3"):
        calls_host[1](OUT, 3)


def test_static_print(capsys):
    printing[1](OUT, 5)
    assert "N is 5" in capsys.readouterr().out


def test_threads():
    x = np.arange(1000, dtype=np.float32)
    results = [np.zeros_like(x) for _ in range(8)]

    @triton.jit
    def double(out_ptr, x_ptr, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)

    def work(out):
        for _ in range(20):
            double[(8,)](out, x, 1000, BLOCK=128)

    threads = [threading.Thread(target=work, args=(out,)) for out in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((out == 2 * x).all() for out in results)
    assert len(double._variants()) == 1


def test_the_device_of_a_thread_is_its_own():
    x, out = np.ones(4, np.float32), np.zeros(4, np.float32)

    def work():
        copy[1](out, x, 4, BLOCK=4)

    with kiln.device("null"):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert out.all()


def test_interrupt_stops_a_compilation():
    body = "\n".join(f"    x = tl.where(x > {i}, x * {i}.5, x + {i})" for i in range(3000))

    @triton.jit
    def long(out_ptr):
        x = tl.load(out_ptr + tl.arange(0, 64))
        STATEMENTS  # noqa: B018, F821
        tl.store(out_ptr + tl.arange(0, 64), x)

    long.src = long.src.replace("    STATEMENTS  # noqa: B018, F821", body)
    # A shell starts programs in the background with the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            long[1](np.zeros(64, np.float32))
            time.sleep(60)
        assert time.monotonic() - start < 30
    finally:
        signal.signal(signal.SIGINT, before)
    assert not long._variants()
