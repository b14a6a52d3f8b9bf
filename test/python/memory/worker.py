"""What the process tests run: worker.py MODE, with KILN_CACHE_DIR set by the test.

run    launches a few kernels, checks them, prints whether the compiler library is mapped
long   compiles a kernel that takes long
"""

import signal
import sys

import numpy as np

import kiln.language as tl
import kiln.triton as triton


@triton.jit
def scale_add(out_ptr, x_ptr, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, x * FACTOR + 1, mask=i < n)


@triton.jit
def endless(out_ptr, BLOCK: tl.constexpr):
    x = tl.arange(0, BLOCK).to(tl.float32)
    for step in tl.static_range(0, 60_000):
        x = x * 1.5 + step
    tl.store(out_ptr + tl.arange(0, BLOCK), x)


def run():
    x = np.arange(1000, dtype=np.float32)
    for factor in (2, 3, 4):
        out = np.empty_like(x)
        scale_add[(1,)](out, x, 1000, FACTOR=factor, BLOCK=1024)
        np.testing.assert_array_equal(out, x * factor + 1)
    with open("/proc/self/maps", encoding="utf-8") as maps:
        mapped = maps.read()
    names = [
        name for name in ("libkiln_compiler", "libkiln_ir", "libLLVM", "libMLIR") if name in mapped
    ]
    print("mapped:", *names)


def long():
    # A process that a shell started in the background ignores interrupts until it says otherwise.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print("compiling", flush=True)
    endless[(1,)](np.zeros(64, np.float32), BLOCK=64)


if __name__ == "__main__":
    {"run": run, "long": long}[sys.argv[1]]()
