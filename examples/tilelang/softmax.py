"""Softmax over the rows of a matrix; a program does a row.

kiln run examples/tilelang/softmax.py
"""

import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def softmax(columns, block, dtype="float32"):
    """Any number of rows; `block` is at least `columns`."""
    rows = T.symbolic("rows")

    @T.prim_func
    def main(x: T.Tensor((rows, columns), dtype), out: T.Tensor((rows, columns), dtype)):
        with T.Kernel(rows) as row:
            line = T.alloc_shared((block,), dtype)
            work = T.alloc_fragment((block,), "float32")
            peak = T.alloc_fragment((1,), "float32")
            total = T.alloc_fragment((1,), "float32")
            # What lies behind the row must not win the maximum.
            T.copy(x[row, 0], line, pad_value=-T.infinity(dtype))
            T.copy(line, work)
            T.reduce_max(work, peak, dim=0)
            for j in T.Parallel(block):
                work[j] = T.exp(work[j] - peak[0])
            T.reduce_sum(work, total, dim=0)
            for j in T.Parallel(block):
                line[j] = work[j] / total[0]
            T.copy(line, out[row, 0])

    return main


def main():
    rng = np.random.default_rng(0)
    for rows, columns in ((1, 1), (7, 127), (33, 1000), (5, 4097)):
        x = rng.standard_normal((rows, columns)).astype(np.float32)
        out = softmax(columns, 1 << (columns - 1).bit_length())(x)
        wide = np.exp(x.astype(np.float64))
        error = np.abs(out - wide / wide.sum(axis=1, keepdims=True)).max()
        print(f"softmax {rows:>3} x {columns:<5}: {error:.1e}")


if __name__ == "__main__":
    main()
