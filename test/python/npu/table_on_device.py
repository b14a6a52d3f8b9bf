"""The kernel table of test/python/kernels on the simulated NPU."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernels"))
import check
from table import example, table

import kiln

CHIP = "ascend910b"
KERNELS = {kernel.name: kernel for kernel in table()}
# The parameter is what no unit of the chip has: test_refused.py.
REFUSED = "f64"


def run(name, dtype, inputs, device=CHIP, **settings):
    """What a kernel writes, on a device with settings; findings of the checker are exceptions."""
    with kiln.device(device), kiln.simulation(device, **settings):
        return check.run(KERNELS[name], dtype, inputs)


__all__ = ["CHIP", "KERNELS", "REFUSED", "check", "example", "run"]
