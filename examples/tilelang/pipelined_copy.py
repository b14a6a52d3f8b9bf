"""Copy, compute, copy over a long array in pieces: loads run ahead of the work by `stages`.

kiln run examples/tilelang/pipelined_copy.py
"""

import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def pipelined_copy(size, piece, pieces, stages, dtype="float32"):
    """Each program does `pieces` pieces of `piece` elements; the last may be shorter."""

    @T.prim_func
    def main(x: T.Tensor((size,), dtype), out: T.Tensor((size,), dtype)):
        with T.Kernel(T.ceildiv(size, piece * pieces)) as block:
            held = T.alloc_shared((piece,), dtype)
            begin = block * piece * pieces
            count = T.min(pieces, T.ceildiv(size - begin, piece))
            for k in T.Pipelined(count, num_stages=stages):
                T.copy(x[begin + k * piece], held)
                for i in T.Parallel(piece):
                    held[i] = T.exp(held[i]) + 1
                T.copy(held, out[begin + k * piece])

    return main


def main():
    rng = np.random.default_rng(0)
    for size in (1, 1000, 100_003):
        x = rng.standard_normal(size).astype(np.float32)
        out = pipelined_copy(size, 1024, 8, 2)(x)
        error = np.abs(out - (np.exp(x.astype(np.float64)) + 1)).max()
        print(f"pipelined copy of {size:>6}: {error:.1e}")


if __name__ == "__main__":
    main()
