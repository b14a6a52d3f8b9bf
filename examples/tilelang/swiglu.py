"""SwiGLU: out = gate * sigmoid(gate) * up, gate and up being the halves of each row.

kiln run examples/tilelang/swiglu.py
"""

import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit
def swiglu(both, block_rows=8, block_columns=256):
    """The eager form: extents come from the array, the result is returned."""
    rows, width = T.const("rows, width")
    both: T.Tensor((rows, width), "float32")
    columns = width // 2
    out = T.empty((rows, columns), "float32")
    with T.Kernel(T.ceildiv(rows, block_rows), T.ceildiv(columns, block_columns)) as (by, bx):
        gate = T.alloc_shared((block_rows, block_columns), "float32")
        up = T.alloc_shared((block_rows, block_columns), "float32")
        first, left = by * block_rows, bx * block_columns
        T.copy(both[first, left], gate)
        T.copy(both[first, columns + left], up)
        for i, j in T.Parallel(block_rows, block_columns):
            up[i, j] = gate[i, j] / (1.0 + T.exp(-gate[i, j])) * up[i, j]
        T.copy(up, out[first, left])
    return out


def main():
    rng = np.random.default_rng(0)
    for rows, columns in ((1, 1), (7, 127), (33, 1000)):
        both = rng.standard_normal((rows, 2 * columns)).astype(np.float32)
        gate, up = np.split(both.astype(np.float64), 2, axis=1)
        expected = gate / (1 + np.exp(-gate)) * up
        print(f"swiglu {rows:>3} x {columns:<5}: {np.abs(swiglu(both) - expected).max():.1e}")


if __name__ == "__main__":
    main()
