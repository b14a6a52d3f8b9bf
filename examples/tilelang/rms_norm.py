"""RMS norm over the rows of a matrix: out = x / sqrt(mean(x * x) + eps) * weight.

kiln run examples/tilelang/rms_norm.py
"""

import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def rms_norm(rows, columns, eps, dtype="float32", block_rows=4):
    @T.prim_func
    def main(
        x: T.Tensor((rows, columns), dtype),
        weight: T.Tensor((columns,), dtype),
        out: T.Tensor((rows, columns), dtype),
    ):
        with T.Kernel(T.ceildiv(rows, block_rows), threads=2) as block:
            tile = T.alloc_shared((block_rows, columns), dtype)
            weights = T.alloc_shared((columns,), dtype)
            squares = T.alloc_fragment((block_rows, columns), "float32")
            total = T.alloc_fragment((block_rows,), "float32")
            # Rows outside the tensor are zeros here, and are not written at the end.
            T.copy(x[block * block_rows, 0], tile)
            T.copy(weight, weights)
            for i, j in T.Parallel(block_rows, columns):
                value = T.cast(tile[i, j], "float32")
                squares[i, j] = value * value
            T.reduce_sum(squares, total, dim=1)
            for i in T.Parallel(block_rows):
                total[i] = T.rsqrt(total[i] / columns + eps)
            for i, j in T.Parallel(block_rows, columns):
                tile[i, j] = T.cast(tile[i, j], "float32") * total[i] * weights[j]
            T.copy(tile, out[block * block_rows, 0])

    return main


def main():
    rng = np.random.default_rng(0)
    for rows, columns in ((1, 1), (7, 127), (33, 1000)):
        x = rng.standard_normal((rows, columns)).astype(np.float32)
        weight = rng.standard_normal(columns).astype(np.float32)
        out = rms_norm(rows, columns, 1e-5)(x, weight)
        wide = x.astype(np.float64)
        expected = wide / np.sqrt((wide * wide).mean(axis=1, keepdims=True) + 1e-5) * weight
        print(f"rms norm {rows:>3} x {columns:<5}: {np.abs(out - expected).max():.1e}")


if __name__ == "__main__":
    main()
