"""A chain of elementwise steps in one pass over memory: bias, GELU, dropout mask, residual.

out = residual + keep / (1 - p) * gelu(x + bias)

kiln run examples/triton/fused_elementwise.py
"""

import math

import numpy as np
import triton
import triton.language as tl

INV_SQRT2 = tl.constexpr(0.7071067811865476)
SQRT_2_OVER_PI = tl.constexpr(0.7978845608028654)


@triton.jit
def gelu_erf(x):
    return 0.5 * x * (1.0 + tl.erf(x * INV_SQRT2))


@triton.jit
def gelu_tanh(x):
    # 0.5 * (1 + tanh(u)) is the logistic function of 2 u.
    u = SQRT_2_OVER_PI * (x + 0.044715 * x * x * x)
    return x * tl.sigmoid(2.0 * u)


@triton.jit
def fused_elementwise_kernel(
    x_ptr,
    bias_ptr,
    keep_ptr,
    residual_ptr,
    out_ptr,
    n_cols,
    scale,
    APPROXIMATE: tl.constexpr,
    ACC: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
):
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    offsets = row * n_cols + cols
    v = tl.load(x_ptr + offsets, mask=mask).to(ACC) + tl.load(bias_ptr + cols, mask=mask).to(ACC)
    if APPROXIMATE == "tanh":
        v = gelu_tanh(v)
    else:
        v = gelu_erf(v)
    keep = tl.load(keep_ptr + offsets, mask=mask) != 0
    v = tl.where(keep, v * scale, 0.0)
    v += tl.load(residual_ptr + offsets, mask=mask).to(ACC)
    tl.store(out_ptr + offsets, v.to(out_ptr.dtype.element_ty), mask=mask)


def fused_elementwise(
    x, bias, keep, residual, p=0.1, approximate="none", out=None, block_size=1024
):
    """`x`, `residual`: contiguous matrices; `bias`: one row; `keep`: int8, nonzero where kept."""
    rows, cols = x.shape
    out = np.empty_like(x) if out is None else out
    block_size = min(block_size, triton.next_power_of_2(cols))
    grid = (rows, triton.cdiv(cols, block_size))
    fused_elementwise_kernel[grid](
        x,
        bias,
        keep,
        residual,
        out,
        cols,
        1.0 / (1.0 - p),
        APPROXIMATE=approximate,
        ACC=tl.float64 if x.dtype == np.float64 else tl.float32,
        BLOCK_SIZE=block_size,
    )
    return out


def main():
    rng = np.random.default_rng(0)
    erf = np.vectorize(math.erf)
    for shape in ((1, 1), (7, 127), (128, 1000)):
        x, residual = rng.standard_normal((2, *shape)).astype(np.float32)
        bias = rng.standard_normal(shape[1]).astype(np.float32)
        keep = (rng.random(shape) > 0.1).astype(np.int8)
        v = x.astype(np.float64) + bias
        tanh = np.tanh(SQRT_2_OVER_PI.value * (v + 0.044715 * v**3))
        forms = {"none": 0.5 * v * (1 + erf(v / math.sqrt(2))), "tanh": 0.5 * v * (1 + tanh)}
        for form, gelu in forms.items():
            expected = np.where(keep != 0, gelu / 0.9, 0) + residual
            error = np.abs(fused_elementwise(x, bias, keep, residual, 0.1, form) - expected).max()
            print(f"gelu {form} {shape[0]:>4} x {shape[1]:<5}: largest error {error:.1e}")


if __name__ == "__main__":
    main()
