"""Runs kernels of examples/triton and examples/tilelang: how right and how fast are they?

    python examples/demo.py [--device D] [--rows N] [--columns N] [--dtype f32|f64|f16]

Per kernel: shape, largest error against float64 NumPy, and on the CPU the time, the bandwidth
(bytes that must be read and written) and the speed relative to NumPy writing into preallocated
arrays. On a simulated NPU, such as ascend910b or the path of a chip file: the modelled cycles and
microseconds with dirty lines written back, and the busiest resource, all checks on.
"""

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import kiln
import kiln.tilelang as tilelang
from kiln.bench import rivals
from kiln.bench.examples import example
from kiln.bench.measure import medians

DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16}
EPS = 2.0**-17
KEEP = 0.5
LIMIT = 1.5


@dataclass
class Demo:
    name: str
    moved: int
    kernel: Callable[[], object]
    rival: Callable[[], object]
    out: np.ndarray
    expected: Callable[[np.ndarray], np.ndarray]  # of some rows, in float64
    inputs: tuple[np.ndarray, ...]


def fused_rival(out, x, bias, keep, residual):
    """NumPy's way of the tanh form, without temporaries."""
    u = np.empty_like(x)

    def run():
        np.add(x, bias, out=out)
        np.multiply(out, out, out=u)
        np.multiply(u, 0.044715, out=u)
        np.add(u, 1, out=u)
        np.multiply(u, out, out=u)
        np.multiply(u, math.sqrt(2 / math.pi), out=u)
        np.tanh(u, out=u)
        np.add(u, 1, out=u)
        np.multiply(u, 0.5 / KEEP, out=u)
        np.multiply(out, u, out=out)
        np.multiply(out, keep, out=out)
        np.add(out, residual, out=out)

    return run


def chain_rival(out, x, scale, bias, residual):
    def run():
        np.multiply(x, scale, out=out)
        np.add(out, bias, out=out)
        np.clip(out, 0, LIMIT, out=out)
        np.add(out, residual, out=out)

    return run


def softmax_expected(x):
    numerator = np.exp(x - x.max(axis=1, keepdims=True))
    return numerator / numerator.sum(axis=1, keepdims=True)


def triton_demos(rows, columns, dtype):
    rng = np.random.default_rng(0)
    x, y, out, other = (rng.standard_normal((rows, columns)).astype(dtype) for _ in range(4))
    weight, bias = rng.standard_normal((2, columns)).astype(dtype)
    keep = (rng.random((rows, columns)) < KEEP).astype(np.int8)
    w64, b64 = weight.astype(np.float64), bias.astype(np.float64)

    def layer_norm(x):
        centred = x - x.mean(axis=1, keepdims=True)
        return centred / np.sqrt(x.var(axis=1, keepdims=True) + EPS) * w64 + b64

    def rms_norm(x):
        return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + EPS) * w64

    def fused(x, keep, residual):
        v = x + b64
        gelu = 0.5 * v * (1 + np.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))
        return gelu * keep / KEEP + residual

    kernels = {
        name: getattr(example(name), name)
        for name in ("vector_add", "softmax", "layer_norm", "rms_norm", "fused_elementwise")
    }
    n = x.nbytes
    return [
        Demo(
            "vector_add",
            3 * n,
            lambda: kernels["vector_add"](x, y, out),
            rivals.vector_add(other, x, y),
            out,
            lambda x, y: x + y,
            (x, y),
        ),
        Demo(
            "softmax",
            2 * n,
            lambda: kernels["softmax"](x, out),
            rivals.softmax(other, x),
            out,
            softmax_expected,
            (x,),
        ),
        Demo(
            "layer_norm",
            2 * n,
            lambda: kernels["layer_norm"](x, weight, bias, EPS, out),
            rivals.layer_norm(other, x, weight, bias, EPS),
            out,
            layer_norm,
            (x,),
        ),
        Demo(
            "rms_norm",
            2 * n,
            lambda: kernels["rms_norm"](x, weight, EPS, out),
            rivals.rms_norm(other, x, weight, EPS),
            out,
            rms_norm,
            (x,),
        ),
        Demo(
            "fused_elementwise",
            3 * n + keep.nbytes,
            lambda: kernels["fused_elementwise"](x, bias, keep, y, 1 - KEEP, "tanh", out),
            fused_rival(other, x, bias, keep, y),
            out,
            fused,
            (x, keep, y),
        ),
    ]


def of_tilelang(name, *extents, dtype):
    """A kernel of examples/tilelang that writes into an array of its caller's."""
    make = getattr(example(name, "tilelang"), name)
    return tilelang.compile(make(*extents, dtype=np.dtype(dtype).name).prim_func)


def tilelang_demos(rows, columns, dtype):
    rng = np.random.default_rng(1)
    x, residual, out, other = (rng.standard_normal((rows, columns)).astype(dtype) for _ in range(4))
    scale, bias = rng.standard_normal((2, columns)).astype(dtype)
    s64, b64 = scale.astype(np.float64), bias.astype(np.float64)
    softmax = of_tilelang("softmax", columns, 1 << (columns - 1).bit_length(), dtype=dtype)
    chain = of_tilelang("parallel_chain", rows, columns, LIMIT, dtype=dtype)
    n = x.nbytes
    return [
        Demo(
            "softmax (TileLang)",
            2 * n,
            lambda: softmax(x, out),
            rivals.softmax(other, x),
            out,
            softmax_expected,
            (x,),
        ),
        Demo(
            "parallel_chain (TileLang)",
            3 * n,
            lambda: chain(x, scale, bias, residual, out),
            chain_rival(other, x, scale, bias, residual),
            out,
            lambda x, residual: np.clip(x * s64 + b64, 0, LIMIT) + residual,
            (x, residual),
        ),
    ]


def all_demos(rows, columns, dtype):
    yield from triton_demos(rows, columns, dtype)
    # These compute in float32.
    if dtype != np.float64:
        yield from tilelang_demos(rows, columns, dtype)


def largest_error(demo):
    """Over all rows, some at a time: float64 copies of everything would not fit a small machine."""
    largest = 0.0
    for begin in range(0, len(demo.out), 1024):
        rows = slice(begin, begin + 1024)
        expected = demo.expected(*(array[rows].astype(np.float64) for array in demo.inputs))
        largest = max(largest, float(np.abs(demo.out[rows].astype(np.float64) - expected).max()))
    return largest


def check(demo, dtype):
    """The largest error of what the kernel wrote; too large a one ends the program."""
    error = largest_error(demo)
    limit = 64 * np.finfo(dtype).eps * max(1.0, float(np.abs(demo.out[:64]).max()))
    if not error <= limit:
        raise SystemExit(f"{demo.name}: error {error:.1e}, expected at most {limit:.1e}")
    return error


def start_of_line(demo, error):
    return f"{demo.name:<26}{'x'.join(map(str, demo.out.shape)):>14}{error:>12.1e}"


def run_on_cpu(demos, dtype):
    print(
        f"{'kernel':<26}{'shape':>14}{'max error':>12}{'time':>11}{'bandwidth':>13}{'x NumPy':>9}"
    )
    for demo in demos:
        demo.out.fill(np.nan)
        demo.kernel()
        error = check(demo, dtype)
        seconds = medians({"kernel": demo.kernel, "rival": demo.rival}, 7)
        time = seconds["kernel"]
        print(
            f"{start_of_line(demo, error)}{time * 1e3:>8.2f} ms"
            f"{demo.moved / time / 1e9:>8.1f} GB/s{seconds['rival'] / time:>9.2f}",
            flush=True,
        )


def run_simulated(demos, dtype):
    print(f"{'kernel':<26}{'shape':>14}{'max error':>12}{'cycles':>10}{'time':>12}  busiest")
    for demo in demos:
        demo.out.fill(np.nan)
        demo.kernel()
        report = kiln.launch_report()
        cycles = report["kernel_cycles"] + report["write_back_cycles"]
        microseconds = cycles / (report["clock_ghz"] * 1e3)
        print(
            f"{start_of_line(demo, check(demo, dtype))}{cycles:>10.0f}{microseconds:>9.1f} us"
            f"  {report['busiest']}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu", metavar="D")
    parser.add_argument("--rows", type=int, help="default: 16384; simulated 512")
    parser.add_argument("--columns", type=int, default=1024)
    parser.add_argument("--dtype", choices=DTYPES, default="f32")
    arguments = parser.parse_args()
    dtype = DTYPES[arguments.dtype]

    simulated = arguments.device != "cpu"
    rows = arguments.rows or (512 if simulated else 16384)
    try:
        kiln.set_device(arguments.device)
    except (ValueError, kiln.KilnError) as error:
        parser.error(str(error))
    if arguments.device == "null":
        parser.error("device 'null' computes nothing: found no values to compare")

    times = "modelled times" if simulated else "measured times"
    print(f"Kiln {kiln.__version__}, device {arguments.device}, {arguments.dtype}, {times}")
    run = run_simulated if simulated else run_on_cpu
    run(all_demos(rows, arguments.columns, dtype), dtype)


if __name__ == "__main__":
    main()
