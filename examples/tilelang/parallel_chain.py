"""A chain of elementwise work in one pass: out = clip(x * scale + bias, 0, limit) + residual.

kiln run examples/tilelang/parallel_chain.py
"""

import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def parallel_chain(rows, columns, limit, dtype="float32", block_rows=8, block_columns=512):
    @T.prim_func
    def main(
        x: T.Tensor((rows, columns), dtype),
        scale: T.Tensor((columns,), dtype),
        bias: T.Tensor((columns,), dtype),
        residual: T.Tensor((rows, columns), dtype),
        out: T.Tensor((rows, columns), dtype),
    ):
        with T.Kernel(T.ceildiv(rows, block_rows) * T.ceildiv(columns, block_columns)) as block:
            row = block // T.ceildiv(columns, block_columns) * block_rows
            column = block % T.ceildiv(columns, block_columns) * block_columns
            tile = T.alloc_shared((block_rows, block_columns), dtype)
            added = T.alloc_shared((block_rows, block_columns), dtype)
            scales = T.alloc_shared((block_columns,), dtype)
            biases = T.alloc_shared((block_columns,), dtype)
            T.copy(x[row, column], tile)
            T.copy(residual[row, column], added)
            T.copy(scale[column], scales)
            T.copy(bias[column], biases)
            for i, j in T.Parallel(block_rows, block_columns):
                value = T.cast(tile[i, j], "float32") * scales[j] + biases[j]
                value = T.if_then_else(value > limit, limit, T.max(value, 0.0))
                tile[i, j] = value + added[i, j]
            # Rows and columns outside the tensor are not written.
            T.copy(tile, out[row, column])

    return main


def main():
    rng = np.random.default_rng(0)
    for rows, columns in ((1, 1), (7, 127), (65, 1000)):
        x, residual = rng.standard_normal((2, rows, columns)).astype(np.float32)
        scale, bias = rng.standard_normal((2, columns)).astype(np.float32)
        out = parallel_chain(rows, columns, 1.5)(x, scale, bias, residual)
        expected = np.clip(x.astype(np.float64) * scale + bias, 0, 1.5) + residual
        print(f"parallel chain {rows:>3} x {columns:<5}: {np.abs(out - expected).max():.1e}")


if __name__ == "__main__":
    main()
