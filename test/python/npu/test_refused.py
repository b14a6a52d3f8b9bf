# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an image of the NPU cannot hold is refused where it stands, not told as Kiln's mistake."""

import re
import runpy

import numpy as np
import pytest

import kiln
import kiln.language as tl
import kiln.triton as triton

CHIP = "ascend910b"


@triton.jit
def prints(x, n: tl.constexpr):
    value = tl.load(x + tl.arange(0, n))
    tl.device_print("value", value)
    tl.store(x + tl.arange(0, n), value)


def nested(depth, folder):
    """A kernel of so many branches in one another."""
    lines = [f"{'    ' * (i + 1)}if n > {i}:" for i in range(depth)]
    head = (
        "import kiln.language as tl\nimport kiln.triton as triton\n\n@triton.jit\ndef nests(x, n):"
    )
    file = folder / f"nested_{depth}.py"
    file.write_text("\n".join([head, *lines, f"{'    ' * (depth + 1)}tl.store(x, n)", ""]))
    return runpy.run_path(str(file))["nests"]


def refusal(launch):
    with pytest.raises(kiln.CompilationError) as caught:
        launch()
    assert "internal" not in str(caught.value)
    return re.search(r"(\w+\.py):\d+:\d+: error: (.*)", str(caught.value)).groups()


def test_printing():
    found = refusal(lambda: prints[(1,)](np.zeros(8, np.float32), 8, device=CHIP))
    assert found == ("test_refused.py", "printing on the NPU is not there yet")


def test_nesting(tmp_path):
    x = np.zeros(1, np.int32)
    nested(40, tmp_path)[(1,)](x, 100, device=CHIP)
    assert x[0] == 100
    place, message = refusal(lambda: nested(80, tmp_path)[(1,)](x, 100, device=CHIP))
    assert place == "nested_80.py"
    assert message == "loops and branches nest more than 64 deep, which is the most of this device"
