"""Fused softmax over the rows of a matrix: each row is read once and written once.

kiln run examples/triton/softmax.py
"""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(
    out_ptr, x_ptr, out_row_stride, x_row_stride, n_cols, ACC: tl.constexpr, BLOCK: tl.constexpr
):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    inside = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=inside, other=-float("inf")).to(ACC)
    # exp never overflows once the largest element is taken off.
    numerator = tl.exp(x - tl.max(x, axis=0))
    denominator = tl.sum(numerator, axis=0)
    out = numerator / denominator
    tl.store(out_ptr + row * out_row_stride + cols, out.to(out_ptr.dtype.element_ty), mask=inside)


def softmax(x, out=None):
    """Softmax over the last axis of a matrix with contiguous rows."""
    rows, cols = x.shape
    out = np.empty_like(x) if out is None else out
    softmax_kernel[(rows,)](
        out,
        x,
        out.strides[0] // out.itemsize,
        x.strides[0] // x.itemsize,
        cols,
        ACC=tl.float64 if x.dtype == np.float64 else tl.float32,
        BLOCK=triton.next_power_of_2(cols),
    )
    return out


def main():
    rng = np.random.default_rng(0)
    for shape in ((1, 1), (7, 127), (128, 1000), (33, 4097)):
        x = rng.standard_normal(shape).astype(np.float32)
        wide = np.exp(x.astype(np.float64))
        error = np.abs(softmax(x) - wide / wide.sum(axis=1, keepdims=True)).max()
        print(f"softmax {shape[0]:>4} x {shape[1]:<5}: largest error {error:.1e}")


if __name__ == "__main__":
    main()
