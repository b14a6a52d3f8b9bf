# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libkiln_bench.so: the copies and hand-written kernels that bound the suite `cpu`."""

import ctypes
from functools import cache
from pathlib import Path

import numpy as np

CHECKOUT = Path(__file__).resolve().parents[3]
_POINTER, _SIZE, _INT, _FLOAT = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_int, ctypes.c_float
_SIGNATURES = {
    "kilnBenchMemcpy": (_POINTER, _POINTER, _SIZE, _INT),
    "kilnBenchStreamCopy": (_POINTER, _POINTER, _SIZE, _INT),
    "kilnBenchVectorAdd": (_POINTER, _POINTER, _POINTER, _SIZE, _INT),
    "kilnBenchSoftmax": (_POINTER, _POINTER, _SIZE, _SIZE, _INT),
    "kilnBenchLayerNorm": (_POINTER, _POINTER, _POINTER, _POINTER, _SIZE, _SIZE, _FLOAT, _INT),
}


class BenchmarkError(RuntimeError):
    """A benchmark cannot run here; the message says what is missing."""


def build_file(name: str) -> Path:
    """The newest file `name` (relative to a build folder) of this checkout's builds."""
    found = [preset / name for preset in (CHECKOUT / "build").glob("*") if (preset / name).exists()]
    if not found:
        raise BenchmarkError(f"found no build/*/{name}: benchmarks run from a built checkout")
    return max(found, key=lambda path: path.stat().st_mtime)


@cache
def library() -> ctypes.CDLL:
    lib = ctypes.CDLL(str(build_file("lib/libkiln_bench.so")))
    for name, arguments in _SIGNATURES.items():
        function = getattr(lib, name)
        function.argtypes, function.restype = arguments, None
    lib.kilnBenchReferenceLevel.restype = ctypes.c_char_p
    return lib


def reference_level() -> str:
    return library().kilnBenchReferenceLevel().decode()


def _address(array: np.ndarray) -> int:
    return array.ctypes.data


def memcpy(out: np.ndarray, x: np.ndarray, threads: int) -> None:
    library().kilnBenchMemcpy(_address(out), _address(x), x.nbytes, threads)


def stream_copy(out: np.ndarray, x: np.ndarray, threads: int) -> None:
    library().kilnBenchStreamCopy(_address(out), _address(x), x.nbytes, threads)


def vector_add(out: np.ndarray, x: np.ndarray, y: np.ndarray, threads: int) -> None:
    library().kilnBenchVectorAdd(_address(out), _address(x), _address(y), x.size, threads)


def softmax(out: np.ndarray, x: np.ndarray, threads: int) -> None:
    library().kilnBenchSoftmax(_address(out), _address(x), *x.shape, threads)


def layer_norm(
    out: np.ndarray,
    x: np.ndarray,
    weight: np.ndarray,
    bias: np.ndarray,
    eps: float,
    threads: int,
) -> None:
    addresses = (_address(array) for array in (out, x, weight, bias))
    library().kilnBenchLayerNorm(*addresses, *x.shape, eps, threads)
