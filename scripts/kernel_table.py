"""Prints the kernel x dtype table of test/python/kernels/table.py as Markdown."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "test" / "python" / "kernels")]

from accuracy import DTYPES  # noqa: E402
from table import table  # noqa: E402

print("| kernel | " + " | ".join(DTYPES) + " |")
print("| --- |" + " --- |" * len(DTYPES))
for kernel in table():
    cells = ("yes" if dtype in kernel.dtypes else "" for dtype in DTYPES)
    print(f"| `{kernel.name}` | " + " | ".join(cells) + " |")
