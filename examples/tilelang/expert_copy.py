"""Copy, compute, copy by hand: two buffers in turn, so that loads, work and stores overlap.

kiln run --device ascend910b examples/tilelang/expert_copy.py
"""

import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def expert_copy(size, piece, pieces, dtype="float32"):
    """Each program does `pieces` pieces of `piece` elements; the last may be shorter."""

    @T.prim_func
    def main(x: T.Tensor((size,), dtype), out: T.Tensor((size,), dtype)):
        with T.Kernel(T.ceildiv(size, 2 * piece * pieces)) as (cid, vid):
            taken = T.alloc_ub((2, piece), dtype)
            made = T.alloc_ub((2, piece), dtype)
            begin = (cid * 2 + vid) * piece * pieces
            with T.Scope("V"):
                # Both halves of both buffers are free.
                T.set_flag("v", "mte2", 0)
                T.set_flag("v", "mte2", 1)
                T.set_flag("mte3", "v", 0)
                T.set_flag("mte3", "v", 1)
                for k in T.serial(pieces):
                    half = k % 2
                    T.wait_flag("v", "mte2", half)
                    T.copy(x[begin + k * piece], taken[half, :])
                    T.set_flag("mte2", "v", half)
                    T.wait_flag("mte2", "v", half)
                    T.wait_flag("mte3", "v", half)
                    T.tile.exp(made[half, :], taken[half, :])
                    T.set_flag("v", "mte2", half)
                    T.pipe_barrier("v")
                    T.tile.add(made[half, :], made[half, :], 1.0)
                    T.set_flag("v", "mte3", half)
                    T.wait_flag("v", "mte3", half)
                    T.copy(made[half, :], out[begin + k * piece])
                    T.set_flag("mte3", "v", half)
                T.wait_flag("v", "mte2", 0)
                T.wait_flag("v", "mte2", 1)
                T.wait_flag("mte3", "v", 0)
                T.wait_flag("mte3", "v", 1)

    return main


def main():
    rng = np.random.default_rng(0)
    for size in (1, 1000, 100_003):
        x = rng.standard_normal(size).astype(np.float32)
        out = expert_copy(size, 1024, 8)(x)
        error = np.abs(out - (np.exp(x.astype(np.float64)) + 1)).max()
        print(f"copy of {size:>6}: {error:.1e}")


if __name__ == "__main__":
    main()
