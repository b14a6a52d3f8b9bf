# Operations on whole tiles: a region is read, computed on, and written as one.
# RUN: %kiln compile %s --kernel arithmetic --emit tile | FileCheck %s --check-prefix ARITH
# RUN: %kiln compile %s --kernel regions --emit tile | FileCheck %s --check-prefix REGION
# RUN: %kiln compile %s --kernel masks --emit tile | FileCheck %s --check-prefix MASK
# RUN: %kiln compile %s --kernel casts --emit tile | FileCheck %s --check-prefix CAST
# RUN: %kiln compile %s --kernel shapes --emit tile | FileCheck %s --check-prefix SHAPE
import tilelang.language as T

f16, f32, i32 = "float16", "float32", "int32"


@T.prim_func
def arithmetic(out: T.Tensor((4, 8), f16), s: T.float32):
    with T.Kernel(1, threads=1) as _:
        a = T.alloc_shared((4, 8), f16)
        b = T.alloc_shared((32,), f16)
        T.tile.add(a, a, b)
        T.tile.mul(a, a, 0.5)
        T.tile.max(a, a, s)
        T.tile.sub(a, a, b[3])
        T.tile.exp(a, a)
        T.tile.axpy(a, b, 2)
        T.copy(a, out)


# ARITH-LABEL: func.func @arithmetic
# Another shape with as many elements is taken in the destination's.
# ARITH:        %[[B:.*]] = tile.local_load %[[BUF:.*]] [0] : <32xf16> -> tensor<32xf16>
# ARITH:        tensor.expand_shape %[[B]] {{.*}} into tensor<4x8xf16>
# ARITH:        arith.addf {{.*}} : tensor<4x8xf16>
# ARITH:        arith.mulf {{.*}} : tensor<4x8xf16>
# A scalar is rounded to the element type.
# ARITH:        arith.truncf %{{.*}} : f32 to f16
# ARITH:        arith.maxnumf {{.*}} : tensor<4x8xf16>
# ARITH:        tile.local_get
# ARITH:        arith.subf {{.*}} : tensor<4x8xf16>
# Functions of narrow floats are computed in f32 and rounded once.
# ARITH:        %[[WIDE:.*]] = arith.extf {{.*}} to tensor<4x8xf32>
# ARITH:        %[[EXP:.*]] = math.exp %[[WIDE]]
# ARITH:        arith.truncf %[[EXP]]
# ARITH:        arith.mulf
# ARITH:        arith.addf


@T.prim_func
def regions(out: T.Tensor((4, 8), f32), row: T.int32):
    with T.Kernel(1, threads=1) as _:
        a = T.alloc_shared((4, 8), f32)
        T.tile.fill(a[row, 0:4], 1.0)
        T.tile.relu(a[1:3, :], a[2:4, :])
        T.tile.clamp(a, a, 0.0, 6.0, 24)
        T.tile.clamp_min(a, a, 0.5, 5)
        T.clear(a)
        T.copy(a, out)


# REGION-LABEL: func.func @regions
# REGION:        tile.local_store %{{.*}}, %[[A:.*]] [%{{.*}}, 0] : tensor<1x4xf32>
# REGION:        tile.local_load %[[A]] [2, 0] : <4x8xf32> -> tensor<2x8xf32>
# REGION:        tile.local_store %{{.*}}, %[[A]] [1, 0] : tensor<2x8xf32>
# The first 24 elements are three rows, the first 5 a part of one.
# REGION:        tile.local_store %{{.*}}, %[[A]] [0, 0] : tensor<3x8xf32>
# REGION:        tile.local_store %{{.*}}, %[[A]] [0, 0] : tensor<1x5xf32>
# REGION:        tile.local_store %{{.*}}, %[[A]] [0, 0] : tensor<4x8xf32>


@T.prim_func
def masks(out: T.Tensor((2, 4, 64), f32)):
    with T.Kernel(1, threads=1) as _:
        a = T.alloc_shared((4, 64), f32)
        m = T.alloc_shared((4, 8), "uint8")
        T.tile.compare(m, a, 0.0, "GT")
        T.tile.select(a, m, a, -1.0, "VSEL_TENSOR_SCALAR_MODE")
        T.copy(a, out[0, :, :])
        T.tile.select(a, m, a, 1.0, "VSEL_CMPMASK_SPR")
        T.copy(a, out[1, :, :])


# The bytes get a twin with a bool for each bit.
# MASK-LABEL:  func.func @masks
# MASK:         %[[TWIN:.*]] = tile.local_alloc : <4x64xi8>
# MASK:         arith.cmpf ogt, {{.*}} : tensor<4x64xf32>
# MASK:         tile.local_store %{{.*}}, %[[TWIN]] [0, 0] : tensor<4x64xi8>
# MASK:         arith.select {{.*}} : tensor<4x64xi1>, tensor<4x64xf32>
# The same bits for each vector of 256 bytes.
# MASK:         tile.local_load %[[TWIN]] [0, 0] : <4x64xi8> -> tensor<1x64xi8>
# MASK:         linalg.broadcast
# MASK:         arith.select {{.*}} : tensor<4x64xi1>, tensor<4x64xf32>


@T.prim_func
def casts(x: T.Tensor((8,), f32), ints: T.Tensor((3, 8), i32), halves: T.Tensor((2, 8), f16)):
    with T.Kernel(1, threads=1) as _:
        f = T.alloc_shared((8,), f32)
        h = T.alloc_shared((8,), f16)
        i = T.alloc_shared((8,), i32)
        T.copy(x, f)
        T.tile.cast(i, f, "CAST_RINT", 8)
        T.copy(i, ints[0, :])
        T.tile.cast(i, f, "CAST_FLOOR", 8)
        T.copy(i, ints[1, :])
        T.tile.cast(i, f, "CAST_TRUNC", 8)
        T.copy(i, ints[2, :])
        T.tile.cast(h, f, "CAST_RINT", 8)
        T.copy(h, halves[0, :])
        T.tile.cast(h, f, "CAST_FLOOR", 8)
        T.copy(h, halves[1, :])


# CAST-LABEL: func.func @casts
# CAST:        %[[EVEN:.*]] = math.roundeven
# CAST-NEXT:   arith.fptosi %[[EVEN]]
# CAST:        %[[DOWN:.*]] = math.floor
# CAST-NEXT:   arith.fptosi %[[DOWN]]
# CAST-NOT:    math.
# CAST:        arith.fptosi
# CAST:        arith.truncf {{.*}} : tensor<8xf32> to tensor<8xf16>
# Rounding down is rounding to nearest, and one step back where that was above.
# CAST:        %[[ABOVE:.*]] = arith.cmpf ogt
# CAST:        arith.addi {{.*}} : tensor<8xi16>
# CAST:        arith.select %[[ABOVE]]


@T.prim_func
def shapes(x: T.Tensor((4, 8), f32), out: T.Tensor((5, 4, 8), f32), flipped: T.Tensor((8, 4), f32)):
    with T.Kernel(1, threads=1) as _:
        a = T.alloc_shared((4, 8), f32)
        b = T.alloc_shared((8, 4), f32)
        column = T.alloc_shared((4, 1), f32)
        line = T.alloc_shared((8,), f32)
        T.copy(x[:, 0:1], column)
        T.copy(x[0, :], line)
        T.tile.broadcast(a, column)
        T.copy(a, out[0, :, :])
        T.tile.broadcast(a, line)
        T.copy(a, out[1, :, :])
        T.tile.broadcast(a, line, axis=0)
        T.copy(a, out[2, :, :])
        T.copy(x, a)
        T.tile.transpose(b, a)
        T.copy(b, flipped)
        T.tile.row_expand_mul(a, a, column, None)
        T.copy(a, out[3, :, :])
        T.tile.createvecindex(a, 5)
        T.copy(a, out[4, :, :])


# SHAPE-LABEL: func.func @shapes
# SHAPE:        linalg.broadcast {{.*}} dimensions = [1]
# The axis that the lengths tell, and the same one by number.
# SHAPE:        %[[ROWS:.*]] = linalg.broadcast {{.*}} dimensions = [0]
# SHAPE:        tile.store %[[ROWS]]
# SHAPE:        tile.store %[[ROWS]]
# SHAPE:        linalg.transpose {{.*}} permutation = [1, 0]
# SHAPE:        arith.mulf {{.*}} : tensor<4x8xf32>
# SHAPE:        tile.iota 0 : tensor<32xi32>
# SHAPE:        arith.sitofp {{.*}} : tensor<4x8xi32> to tensor<4x8xf32>
# SHAPE:        arith.addf
