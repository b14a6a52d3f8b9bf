# Public names without a lowering say why, with their place.
# RUN: not %kiln compile %s --kernel main 2>&1 | FileCheck %s
import tilelang.language as T


@T.prim_func
def main(x: T.Tensor((16,), "float32")):
    with T.Kernel(1, threads=1) as _:
        a = T.alloc_L1((16, 16), "float16")
        T.gemm_v0(a, a, a)
        T.tile.topk(x, x, 1, 1)
        T.tile.atomic_add(x, x)
        T.sync_threads()
        T.simd.vadd(x, x, x)
        T.symbolic("M")
        T.atomic_add(x[0], 1.0)


# CHECK: not-yet.py:[[#@LINE-10]]:{{[0-9]+}}: error: T.alloc_L1 is not there yet
# CHECK: error: T.gemm_v0 is not there yet
# CHECK: error: T.tile.topk is not there yet
# CHECK: error: T.tile.atomic_add is not there yet in a kernel without flags or barriers
# CHECK: error: T.sync_threads exists on GPUs only: Kiln's targets are 'cpu' and 'npu'
# CHECK: error: T.simd.vadd belongs to the dialect of Ascend 950, which is not there yet
# CHECK: error: T.symbolic has a meaning outside of the bodies of kernels only
# CHECK: error: T.atomic_add is not there yet
