# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy as the rival: the same results into preallocated arrays, no temporaries."""

from collections.abc import Callable

import numpy as np


def vector_add(out: np.ndarray, x: np.ndarray, y: np.ndarray) -> Callable[[], object]:
    return lambda: np.add(x, y, out=out)


def softmax(out: np.ndarray, x: np.ndarray) -> Callable[[], object]:
    row = np.empty((x.shape[0], 1), x.dtype)

    def run() -> None:
        np.max(x, axis=1, keepdims=True, out=row)
        np.subtract(x, row, out=out)
        np.exp(out, out=out)
        np.sum(out, axis=1, keepdims=True, out=row)
        np.divide(out, row, out=out)

    return run


def layer_norm(
    out: np.ndarray, x: np.ndarray, weight: np.ndarray, bias: np.ndarray, eps: float
) -> Callable[[], object]:
    row = np.empty((x.shape[0], 1), x.dtype)
    squares = np.empty_like(x)

    def run() -> None:
        np.mean(x, axis=1, keepdims=True, out=row)
        np.subtract(x, row, out=out)
        np.multiply(out, out, out=squares)
        np.mean(squares, axis=1, keepdims=True, out=row)
        np.add(row, eps, out=row)
        np.sqrt(row, out=row)
        np.divide(out, row, out=out)
        np.multiply(out, weight, out=out)
        np.add(out, bias, out=out)

    return run


def rms_norm(out: np.ndarray, x: np.ndarray, weight: np.ndarray, eps: float) -> Callable:
    row = np.empty((x.shape[0], 1), x.dtype)

    def run() -> None:
        np.multiply(x, x, out=out)
        np.mean(out, axis=1, keepdims=True, out=row)
        np.add(row, eps, out=row)
        np.sqrt(row, out=row)
        np.divide(x, row, out=out)
        np.multiply(out, weight, out=out)

    return run
