"""Rotary embedding: the two halves of each head are rotated by the angle of their position.

kiln run examples/tilelang/rotary.py
"""

import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def rotary(tokens, heads, dim, dtype="float32"):
    half = dim // 2

    @T.prim_func
    def main(
        x: T.Tensor((tokens, heads, dim), dtype),
        cosine: T.Tensor((tokens, half), "float32"),
        sine: T.Tensor((tokens, half), "float32"),
        out: T.Tensor((tokens, heads, dim), dtype),
    ):
        with T.Kernel(tokens) as token:
            first = T.alloc_shared((heads, half), dtype)
            second = T.alloc_shared((heads, half), dtype)
            turned = T.alloc_shared((heads, half), dtype)
            c = T.alloc_shared((half,), "float32")
            s = T.alloc_shared((half,), "float32")
            T.copy(x[token, :, 0:half], first)
            T.copy(x[token, :, half:dim], second)
            T.copy(cosine[token, :], c)
            T.copy(sine[token, :], s)
            for h, j in T.Parallel(heads, half):
                turned[h, j] = first[h, j] * c[j] - second[h, j] * s[j]
            T.copy(turned, out[token, :, 0:half])
            for h, j in T.Parallel(heads, half):
                turned[h, j] = second[h, j] * c[j] + first[h, j] * s[j]
            T.copy(turned, out[token, :, half:dim])

    return main


def main():
    rng = np.random.default_rng(0)
    for tokens, heads, dim in ((1, 1, 2), (5, 3, 64), (9, 8, 126)):
        x = rng.standard_normal((tokens, heads, dim)).astype(np.float32)
        angle = rng.standard_normal((tokens, dim // 2))
        cosine, sine = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
        out = rotary(tokens, heads, dim)(x, cosine, sine)
        a, b = np.split(x.astype(np.float64), 2, axis=2)
        c, s = cosine[:, None], sine[:, None]
        expected = np.concatenate([a * c - b * s, b * c + a * s], axis=2)
        error = np.abs(out - expected).max()
        print(f"rotary {tokens:>2} x {heads} x {dim:<4}: {error:.1e}")


if __name__ == "__main__":
    main()
