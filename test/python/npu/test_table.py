"""Every demo kernel on every dtype of the CPU's table on the simulated NPU: same references and
tolerances, all checks on."""

import pytest

from .table_on_device import CHIP, KERNELS, REFUSED, check, run

CASES = [
    pytest.param(kernel.name, dtype, length, id=f"{kernel.name}-{dtype}-{length}")
    for kernel in KERNELS.values()
    for dtype in kernel.dtypes
    if dtype != REFUSED
    for length in check.LENGTHS
]


@pytest.mark.parametrize(("name", "dtype", "length"), CASES)
def test_kernel(name, dtype, length, observe):
    inputs = check.inputs_of(KERNELS[name], dtype, length)
    c = check.judge(KERNELS[name], inputs, run(name, dtype, inputs))
    if c is not None:
        observe(name, dtype, c, CHIP)
