"""Prints which example kernels are tested on which dtypes and devices, as Markdown.

kernel_table.py           the kernel x dtype table of test/python/kernels/table.py
kernel_table.py tilelang  the examples of test/python/tilelang/test_examples.py
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "test" / "python"
sys.path[:0] = [str(ROOT / "python"), str(TESTS / "kernels"), str(TESTS / "tilelang")]


def of_triton():
    from accuracy import DTYPES
    from table import table

    yield "kernel", list(DTYPES)
    for kernel in table():
        yield f"`{kernel.name}`", [dtype in kernel.dtypes for dtype in DTYPES]


def of_tilelang():
    from test_examples import BOTH, EXAMPLES

    columns = list(dict.fromkeys(dtype for dtypes, _ in EXAMPLES.values() for dtype in dtypes))
    yield "kernel", [*columns, *BOTH]
    for make, (dtypes, devices) in EXAMPLES.items():
        yield f"`{make.__name__}`", [c in dtypes for c in columns] + [d in devices for d in BOTH]


for name, cells in of_tilelang() if sys.argv[1:] == ["tilelang"] else of_triton():
    texts = [cell if isinstance(cell, str) else "yes" if cell else "" for cell in cells]
    print("| " + " | ".join([name, *texts]) + " |")
    if name == "kernel":
        print("| --- |" + " --- |" * len(texts))
