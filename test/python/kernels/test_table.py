"""Every demo kernel on every dtype of the table, for shapes that are multiples of nothing."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from check import LENGTHS, inputs_of, judge, run
from table import table

CASES = [
    pytest.param(kernel, dtype, length, id=f"{kernel.name}-{dtype}-{length}")
    for kernel in table()
    for dtype in kernel.dtypes
    for length in LENGTHS
]


@pytest.mark.parametrize(("kernel", "dtype", "length"), CASES)
def test_kernel(kernel, dtype, length, observe):
    inputs = inputs_of(kernel, dtype, length)
    c = judge(kernel, inputs, run(kernel, dtype, inputs))
    if c is not None:
        observe(kernel.name, dtype, c)
