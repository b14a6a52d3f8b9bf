"""Automatic code around a buffer that its author placed: a row is centred and scaled.

kiln run --device ascend910b examples/tilelang/mixed.py
"""

import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[-1],
    pass_configs={
        tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True,
        tilelang.PassConfigKey.TL_ASCEND_MEMORY_PLANNING: True,
    },
)
def centre(rows, columns, block):
    @T.prim_func
    def main(x: T.Tensor((rows, columns), "float32"), out: T.Tensor((rows, columns), "float32")):
        with T.Kernel(rows) as row:
            line = T.alloc_ub((block,), "float32")
            # This one lies where its author says; the compiler finds places for the others.
            held = T.alloc_ub((block,), "float32")
            total = T.alloc_shared((1,), "float32")
            T.annotate_address({held: 65536})
            T.copy(x[row, 0], line)
            T.reduce_sum(line, total, dim=0)
            for j in T.Parallel(block):
                line[j] = T.if_then_else(j < columns, line[j] - total[0] / columns, 0.0)
            T.tile.mul(held, line, line)
            T.reduce_sum(held, total, dim=0)
            T.tile.mul(held, line, T.rsqrt(total[0] / columns + 1e-5))
            T.copy(held, out[row, 0])

    return main


def main():
    rng = np.random.default_rng(0)
    for rows, columns in ((1, 1), (7, 127), (33, 1000)):
        x = rng.standard_normal((rows, columns)).astype(np.float32)
        out = centre(rows, columns, -(-columns // 64) * 64)(x)
        wide = x - x.astype(np.float64).mean(axis=1, keepdims=True)
        expected = wide / np.sqrt((wide * wide).mean(axis=1, keepdims=True) + 1e-5)
        print(f"centre {rows:>3} x {columns:<5}: {np.abs(out - expected).max():.1e}")


if __name__ == "__main__":
    main()
