"""Vector addition: the smallest kernel that is worth launching.

kiln run examples/triton/vector_add.py
"""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def vector_add_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def vector_add(x, y, out=None, block_size=4096):
    """x + y for contiguous arrays of one shape and dtype."""
    out = np.empty_like(x) if out is None else out
    grid = (triton.cdiv(x.size, block_size),)
    vector_add_kernel[grid](x, y, out, x.size, BLOCK_SIZE=block_size)
    return out


def main():
    rng = np.random.default_rng(0)
    for size in (1, 1023, 4097, 1_000_003):
        x, y = rng.standard_normal((2, size)).astype(np.float32)
        error = np.abs(vector_add(x, y) - (x.astype(np.float64) + y)).max()
        print(f"vector_add {size:>9} elements: largest error {error:.1e}")


if __name__ == "__main__":
    main()
