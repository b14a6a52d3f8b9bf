"""Softmax over the rows of a matrix by hand; a program does a group of rows.

kiln run --device ascend910b examples/tilelang/expert_softmax.py
"""

import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def expert_softmax(columns, block, dtype="float32"):
    """Any number of rows; `block` is at least `columns`."""
    rows = T.symbolic("rows")
    # Two tiles lie on the chip at a time.
    group = max(1, min(8, 16384 // block))

    @T.prim_func
    def main(x: T.Tensor((rows, columns), dtype), out: T.Tensor((rows, columns), dtype)):
        with T.Kernel(T.ceildiv(rows, 2 * group)) as (cid, vid):
            tile = T.alloc_ub((group, block), dtype)
            wide = T.alloc_ub((group, block), dtype)
            each = T.alloc_ub((group, 1), dtype)
            first = (cid * 2 + vid) * group
            with T.Scope("V"):
                # What lies behind a row must not win the maximum.
                T.copy(x[first, 0], tile, pad_value=-T.infinity(dtype))
                T.set_flag("mte2", "v", 0)
                T.wait_flag("mte2", "v", 0)
                T.reduce_max(tile, each, dim=-1)
                T.pipe_barrier("v")
                T.tile.broadcast(wide, each)
                T.pipe_barrier("v")
                T.tile.sub(tile, tile, wide)
                T.pipe_barrier("v")
                T.tile.exp(tile, tile)
                T.pipe_barrier("v")
                T.reduce_sum(tile, each, dim=-1)
                T.pipe_barrier("v")
                T.tile.broadcast(wide, each)
                T.pipe_barrier("v")
                T.tile.div(tile, tile, wide)
                T.set_flag("v", "mte3", 0)
                T.wait_flag("v", "mte3", 0)
                T.copy(tile, out[first, 0])

    return main


def main():
    rng = np.random.default_rng(0)
    for rows, columns in ((1, 1), (7, 127), (33, 1000)):
        x = rng.standard_normal((rows, columns)).astype(np.float32)
        out = expert_softmax(columns, -(-columns // 64) * 64)(x)
        wide = np.exp(x.astype(np.float64))
        error = np.abs(out - wide / wide.sum(axis=1, keepdims=True)).max()
        print(f"softmax {rows:>3} x {columns:<5}: {error:.1e}")


if __name__ == "__main__":
    main()
