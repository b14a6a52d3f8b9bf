"""RMS normalisation over the rows of a matrix: x / sqrt(mean(x^2) + eps) * weight.

kiln run examples/triton/rms_norm.py
"""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def rms_norm_kernel(
    x_ptr, weight_ptr, out_ptr, row_stride, n_cols, eps, ACC: tl.constexpr, BLOCK: tl.constexpr
):
    x_ptr += tl.program_id(0) * row_stride
    out_ptr += tl.program_id(0) * row_stride
    cols = tl.arange(0, BLOCK)
    inside = cols < n_cols
    x = tl.load(x_ptr + cols, mask=inside, other=0.0).to(ACC)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / n_cols + eps)
    weight = tl.load(weight_ptr + cols, mask=inside).to(ACC)
    tl.store(out_ptr + cols, (x * scale * weight).to(out_ptr.dtype.element_ty), mask=inside)


def rms_norm(x, weight, eps=1e-6, out=None):
    """RMS norm over the last axis of a contiguous matrix."""
    rows, cols = x.shape
    out = np.empty_like(x) if out is None else out
    rms_norm_kernel[(rows,)](
        x,
        weight,
        out,
        cols,
        cols,
        eps,
        ACC=tl.float64 if x.dtype == np.float64 else tl.float32,
        BLOCK=triton.next_power_of_2(cols),
    )
    return out


def main():
    rng = np.random.default_rng(0)
    for shape in ((1, 1), (7, 127), (128, 1000), (33, 4097)):
        x = rng.standard_normal(shape).astype(np.float32)
        weight = rng.standard_normal(shape[1]).astype(np.float32)
        wide = x.astype(np.float64)
        expected = wide / np.sqrt((wide * wide).mean(axis=1, keepdims=True) + 1e-6) * weight
        error = np.abs(rms_norm(x, weight) - expected).max()
        print(f"rms_norm {shape[0]:>4} x {shape[1]:<5}: largest error {error:.1e}")


if __name__ == "__main__":
    main()
