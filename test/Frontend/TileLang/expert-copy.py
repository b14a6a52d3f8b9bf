# Where the author orders the instructions, a copy is the transfer that it names: cut at the bounds of the tensor,
# and a load that sticks out fills its tile first.
# RUN: %kiln compile %s --kernel double_buffered --device ascend910b --emit tile | FileCheck %s --check-prefix BUFFERS
# RUN: %kiln compile %s --kernel rows --device ascend910b --emit tile | FileCheck %s --check-prefix ROWS
# RUN: %kiln compile %s --kernel on_chip --device ascend910b --emit tile | FileCheck %s --check-prefix CHIP
import tilelang
import tilelang.language as T


@T.prim_func
def double_buffered(x: T.Tensor((1000,), "float32"), out: T.Tensor((1000,), "float32")):
    with T.Kernel(4) as block:
        a = T.alloc_ub((2, 64), "float32")
        with T.Scope("V"):
            T.set_flag("mte3", "mte2", 0)
            T.set_flag("MTE3", "PIPE_MTE2", 1)
            for k in T.serial(4):
                at = (block * 4 + k) * 64
                T.wait_flag("mte3", "mte2", k % 2)
                T.copy(x[at], a[k % 2, :], pad_value=2.0)
                T.set_flag("mte2", "mte3", k % 2)
                T.wait_flag("mte2", "mte3", k % 2)
                T.copy(a[k % 2, :], out[at])
                T.set_flag("mte3", "mte2", k % 2)
            T.wait_flag("mte3", "mte2", 0)
            T.wait_flag("mte3", "mte2", 1)


# BUFFERS:      attributes {npu.author_sync, tile.asynchronous,
# BUFFERS-DAG:  %[[PAD:.*]] = arith.constant 2.000000e+00 : f32
# BUFFERS-DAG:  %[[SEVEN:.*]] = arith.constant 7 : index
# BUFFERS:      %[[A:.*]] = tile.local_alloc {{.*}}in "ub" : <2x64xf32>
# BUFFERS:      %[[UB:.*]] = npu.local %[[A]] : <2x64xf32> -> memref<2x64xf32, #npu.mem<ub>>
# BUFFERS:      npu.set <mte3> to <mte2>[%c0]
# BUFFERS-NEXT: npu.set <mte3> to <mte2>[%c1]
# BUFFERS:      scf.for
# BUFFERS:        npu.wait <mte3> to <mte2>[%[[SLOT:.*]]]
# BUFFERS:        %[[INSIDE:.*]] = arith.minsi
# BUFFERS:        %[[PARTIAL:.*]] = arith.cmpi slt, %[[INSIDE]], %c64
# BUFFERS:        scf.if %[[PARTIAL]] {
# BUFFERS-NEXT:     npu.set <mte2> to <v>[%[[SEVEN]]]
# BUFFERS-NEXT:     npu.wait <mte2> to <v>[%[[SEVEN]]]
# BUFFERS-NEXT:     %[[TILE:.*]] = npu.window %[[UB]][0 + %{{.*}}] : memref<2x64xf32, {{.*}} -> memref<64xf32,
# BUFFERS-NEXT:     npu.vdup %[[PAD]], %[[TILE]]
# BUFFERS-NEXT:     npu.set <v> to <mte2>[%[[SEVEN]]]
# BUFFERS-NEXT:     npu.wait <v> to <mte2>[%[[SEVEN]]]
# BUFFERS-NEXT:     npu.load %arg0[%{{.*}}] sizes [%[[INSIDE]]] strides [1], %[[TILE]]
# BUFFERS:        } else {
# BUFFERS:          npu.load %arg0[%{{.*}}] sizes [64] strides [1],
# BUFFERS:        npu.set <mte2> to <mte3>[%[[SLOT]]]
# BUFFERS-NEXT:   npu.wait <mte2> to <mte3>[%[[SLOT]]]
# BUFFERS:        npu.store {{.*}} sizes [%[[INSIDE]]]
# BUFFERS-NEXT:   npu.set <mte3> to <mte2>[%[[SLOT]]]


@T.prim_func
def rows(
    x: T.Tensor((4, 32, 6, 48), "float16"),
    y: T.Tensor((4, 48), "float32"),
    out: T.Tensor((64, 40), "float32"),
):
    with T.Kernel(4) as block:
        a = T.alloc_ub((32, 48), "float16")
        b = T.alloc_ub((4, 8), "float32")
        c = T.alloc_ub((16, 64), "float32")
        T.copy(x[block, 0:32, 2, :], a)
        T.copy(y[:, 3:7], b[:, 0:4])
        T.copy(c[0:16, 0:40], out[block * 16 : block * 16 + 16, 0:40])
        T.copy(c[2, :], out[block, 0:64])
        T.barrier_all()


# All of the tensor's dimensions that are walked have their strides: here that of sequence, over the heads.
# ROWS-LABEL: func.func @rows(
# ROWS:       npu.load %arg0[%{{.*}}] sizes [32, 48] strides [288, 1],
# Rows of 16 bytes go one by one.
# ROWS:       scf.for %[[ROW:.*]] = %c0 to %c4
# ROWS:         npu.window %{{.*}}[0 + %{{.*}}] : memref<4x8xf32, {{.*}}> -> memref<4xf32,
# ROWS:         npu.load %arg1[%{{.*}}] sizes [4] strides [1],
# No row sticks out: blocks are below 4.
# ROWS:       %[[C:.*]] = npu.window %{{.*}}[0] : memref<16x64xf32, {{.*}}> -> memref<16x40xf32, strided<[64, 1]>,
# ROWS-NEXT:  npu.store %[[C]], %arg2[%{{.*}}] sizes [16, 40] strides [40, 1] :
# A row longer than the tensor's is cut.
# ROWS:       npu.store %{{.*}}, %arg2[%{{.*}}] sizes [40] strides [1] : memref<64xf32,
# ROWS:       npu.barrier{{ *$}}


@T.prim_func
def on_chip(x: T.Tensor((64,), "float32")):
    with T.Kernel(1) as block:
        a = T.alloc_ub((4, 16), "float32")
        b = T.alloc_ub((4, 32), "float32")
        half = T.alloc_ub((64,), "float16")
        whole = T.alloc_ub((64,), "int32")
        T.copy(a, b[:, 0:16])
        T.copy(a, half)
        T.copy(half, a)
        T.copy(half, whole)
        T.pipe_barrier("v")


# CHIP:      %[[B:.*]] = npu.window %{{.*}}[0] : memref<4x32xf32, {{.*}}> -> memref<4x16xf32, strided<[32, 1]>,
# CHIP-NEXT: npu.copy %{{.*}}, %[[B]] : memref<4x16xf32,
# CHIP:      npu.vcast <rint> %{{.*}} : memref<64xf32, {{.*}}>, memref<64xf16
# CHIP:      npu.vcast <none> %{{.*}} : memref<64xf16, {{.*}}>, memref<64xf32
# CHIP:      npu.vcast <rint> %{{.*}} : memref<64xf16, {{.*}}>, memref<64xi32
# CHIP-NEXT: npu.barrier <v>
