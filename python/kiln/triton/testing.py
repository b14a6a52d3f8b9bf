# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.testing`: timing and comparison."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from . import _pending

__kiln_name__ = "triton.testing"

_MODES: dict[str, Callable[[list[float]], Any]] = {
    "min": min,
    "max": max,
    "mean": statistics.fmean,
    "median": statistics.median,
    "all": list,
}


def do_bench(
    fn: Callable[[], Any],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Sequence[Any] | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
) -> Any:
    """The run time of `fn()` in milliseconds.

    `warmup` and `rep` are the milliseconds to spend; `quantiles` returns those of the measured
    times instead; `return_mode` is "min", "max", "mean", "median" or "all", ValueError otherwise.
    """
    if return_mode not in _MODES:
        modes = ", ".join(_MODES)
        raise ValueError(f"do_bench: found return_mode {return_mode!r}, expected one of {modes}")
    estimate = max(_time(fn, 3) / 3, 1e-6)
    for _ in range(max(1, int(warmup / estimate))):
        fn()
    times = []
    for _ in range(max(1, int(rep / estimate))):
        for tensor in grad_to_none or ():
            tensor.grad = None
        times.append(_time(fn, 1))
    if quantiles is not None:
        values = [_quantile(sorted(times), q) for q in quantiles]
        return values[0] if len(values) == 1 else values
    return _MODES[return_mode](times)


def _time(fn: Callable[[], Any], count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        fn()
    return (time.perf_counter() - start) * 1e3


def _quantile(ordered: list[float], q: float) -> float:
    place = q * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def assert_close(
    x: Any, y: Any, atol: float | None = None, rtol: float | None = None, err_msg: str = ""
) -> None:
    """AssertionError unless |x - y| <= atol + rtol * |y| everywhere; NaNs are equal."""
    import numpy as np

    def host(value: Any) -> Any:
        if hasattr(value, "detach"):
            value = value.detach().cpu().float()
        return np.asarray(value.numpy() if hasattr(value, "numpy") else value, dtype=np.float64)

    atol = 1e-2 if atol is None else atol
    rtol = 0.0 if rtol is None else rtol
    np.testing.assert_allclose(host(x), host(y), rtol=rtol, atol=atol, err_msg=err_msg)


__getattr__ = _pending.module_getattr(
    "triton.testing",
    "do_bench_cudagraph do_bench_proton do_bench_cudagraph_proton cuda_graph_without_gc cublas "
    "Benchmark Mark perf_report get_dram_gbps get_max_tensorcore_tflops get_max_simd_tflops",
)
