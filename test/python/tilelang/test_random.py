# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random TileLang kernels against NumPy, on every device (see random_program.py).

pytest test/python/tilelang/test_random.py test/python/fuzz --fuzz-cases 500: more of them.
"""

import importlib.util

import numpy as np
import pytest
import random_program as programs


def pytest_generate_tests(metafunc):
    if "seed" in metafunc.fixturenames:
        count = metafunc.config.getoption("fuzz_cases", default=10)
        first = metafunc.config.getoption("fuzz_seed", default=0)
        metafunc.parametrize("seed", range(first, first + count))


@pytest.mark.parametrize("device", ["cpu", "ascend910b"])
def test_random_kernel(seed, device, tmp_path):
    program = programs.Program(seed)
    path = tmp_path / "kernel.py"
    path.write_text(program.tile_text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("kernel", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    names = {"np": np, "read": programs.read, "write": programs.write, "cut": programs.cut}
    exec(program.numpy_text, names)

    rng = np.random.default_rng(seed)
    inputs = [rng.integers(-8, 9, t.shape).astype(t.dtype) for t in program.inputs]
    # What no program writes stays as it was.
    expected = [np.full(t.shape, -77, np.int64) for t in program.outputs]
    outputs = [np.full(t.shape, -77, t.dtype) for t in program.outputs]
    names["reference"](*[x.astype(np.int64) for x in inputs], *expected)
    module.make()(*inputs, *outputs, device=device)
    for found, wanted in zip(outputs, expected, strict=True):
        np.testing.assert_array_equal(found, wanted, err_msg=program.tile_text)
