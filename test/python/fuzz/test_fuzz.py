"""Random kernels against NumPy on float64 (see program.py)."""

import importlib.util

import numpy as np
import program as programs

# Errors grow by a small factor per operation (program.py), from half a unit in the last place.
TOLERANCE = {"float16": 8e-3, "float32": 2e-4, "float64": 1e-10}


def _import(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _pad(array, block, value):
    widths = [(0, to - size) for size, to in zip(array.shape, block, strict=True)]
    return np.pad(array, widths, constant_values=value)


def test_random_kernel(fuzz_seed, tmp_path):
    program = programs.make(fuzz_seed)
    kernel_file = tmp_path / "kernel.py"
    kernel_file.write_text(programs.kernel_source(program), encoding="utf-8")
    numpy_file = tmp_path / "reference.py"
    numpy_file.write_text(programs.numpy_source(program), encoding="utf-8")
    kernel = _import(kernel_file, "kernel").kernel
    reference = _import(numpy_file, "reference").reference

    rng = np.random.default_rng(fuzz_seed)
    shape, block = program.shape, program.block
    dtype = programs.DTYPES[program.dtype]
    x = [rng.standard_normal(shape).astype(dtype) for _ in range(2)]
    n = rng.integers(-20, 20, shape).astype(np.int32)
    out = np.zeros((program.outputs, *shape), dtype)
    iout = np.zeros((program.int_outputs, *shape), np.int32)
    room = np.zeros(block, np.int32)
    trips = int(rng.integers(0, 4))
    kernel[(1,)](out, iout, x[0], x[1], n, room, 0, trips)

    inside = _pad(np.ones(shape, bool), block, False)
    wide = [_pad(array.astype(np.float64), block, i + 0.5) for i, array in enumerate(x)]
    with np.errstate(over="ignore"):
        floats, ints = reference(*wide, _pad(n, block, -7), inside, trips)
    here = tuple(slice(0, size) for size in shape)
    source = kernel_file.read_text(encoding="utf-8")
    for got, want in zip(iout, ints, strict=True):
        want = np.broadcast_to(want, block)[here]
        np.testing.assert_array_equal(got, want, err_msg=source)
    for got, want in zip(out, floats, strict=True):
        want = np.broadcast_to(want, block)[here]
        error = np.abs(got.astype(np.float64) - want).max()
        assert error <= TOLERANCE[program.dtype], f"error {error} in\n{source}"
