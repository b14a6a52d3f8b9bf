"""Layer normalisation over the rows of a matrix, with weight and bias.

kiln run examples/triton/layer_norm.py
"""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    out_ptr,
    row_stride,
    n_cols,
    eps,
    ACC: tl.constexpr,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    inside = cols < n_cols
    x = tl.load(x_ptr + row * row_stride + cols, mask=inside, other=0.0).to(ACC)
    mean = tl.sum(x, axis=0) / n_cols
    # Lanes past the row must not count, and 0 - mean is not 0.
    centred = tl.where(inside, x - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / n_cols
    rstd = 1.0 / tl.sqrt(variance + eps)
    weight = tl.load(weight_ptr + cols, mask=inside).to(ACC)
    bias = tl.load(bias_ptr + cols, mask=inside).to(ACC)
    out = centred * rstd * weight + bias
    tl.store(out_ptr + row * row_stride + cols, out.to(out_ptr.dtype.element_ty), mask=inside)


def layer_norm(x, weight, bias, eps=1e-5, out=None):
    """Layer norm over the last axis of a contiguous matrix."""
    rows, cols = x.shape
    out = np.empty_like(x) if out is None else out
    layer_norm_kernel[(rows,)](
        x,
        weight,
        bias,
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
    for shape in ((1, 7), (7, 127), (128, 1000), (33, 4097)):
        x = rng.standard_normal(shape).astype(np.float32)
        weight, bias = rng.standard_normal((2, shape[1])).astype(np.float32)
        wide = x.astype(np.float64)
        centred = wide - wide.mean(axis=1, keepdims=True)
        expected = centred / np.sqrt(wide.var(axis=1, keepdims=True) + 1e-5) * weight + bias
        error = np.abs(layer_norm(x, weight, bias) - expected).max()
        print(f"layer_norm {shape[0]:>4} x {shape[1]:<5}: largest error {error:.1e}")


if __name__ == "__main__":
    main()
