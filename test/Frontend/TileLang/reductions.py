# Reductions of tiles and slices are Triton's operations; narrow elements are widened and rounded once.
# RUN: %kiln compile %s --kernel whole --emit tile | FileCheck %s --check-prefix WHOLE
# RUN: %kiln compile %s --kernel parts --emit tile | FileCheck %s --check-prefix PART
# RUN: not %kiln compile %s --kernel errors 2>&1 | FileCheck %s --check-prefix ERROR
import tilelang.language as T

f16, f32, i32 = "float16", "float32", "int32"


@T.prim_func
def whole(out: T.Tensor((2, 4), f16), line_out: T.Tensor((1, 8), f16)):
    with T.Kernel(1, threads=1) as _:
        a = T.alloc_shared((4, 8), f16)
        column = T.alloc_shared((4,), f16)
        line = T.alloc_shared((1, 8), f16)
        T.reduce_sum(a, column)
        T.copy(column, out[0, :])
        T.reduce_max(a, line, dim=0, clear=False)
        T.copy(line, line_out)
        T.reduce(a, column, "absmax", 1, True)
        T.copy(column, out[1, :])


# WHOLE-LABEL: func.func @whole
# WHOLE:        %[[WIDE:.*]] = arith.extf {{.*}} : tensor<4x8xf16> to tensor<4x8xf32>
# WHOLE:        tile.reduce(%[[WIDE]]) axis 1 {
# WHOLE:          arith.addf
# WHOLE:        } : (tensor<4x8xf32>) -> tensor<4xf32>
# WHOLE:        arith.truncf {{.*}} : tensor<4xf32> to tensor<4xf16>
# WHOLE:        tile.reduce({{.*}}) axis 0 {
# WHOLE:          arith.maxnumf
# What the output held counts before rounding.
# WHOLE:        arith.maxnumf {{.*}} : tensor<1x8xf32>
# WHOLE:        arith.truncf
# WHOLE:        math.absf {{.*}} : tensor<4x8xf32>
# WHOLE:        tile.reduce({{.*}}) axis 1 {


@T.prim_func
def parts(out: T.Tensor((2, 4), f32), single: T.Tensor((1,), f32)):
    with T.Kernel(1, threads=1) as _:
        a = T.alloc_shared((2, 4, 8), f32)
        sums = T.alloc_shared((2, 4), f32)
        one = T.alloc_shared((1,), f32)
        T.reduce_sum(a[1, :, :], sums[1, :], dim=-1)
        T.reduce_sum(a[0, 2, 0:5], one)
        T.reduce_min(a[0, :, :], sums[0, :], dim=1, real_shape=[3, 6])
        T.reduce_sum(a[0, 0, :], sums[0, 1])
        T.copy(sums, out)
        T.copy(one, single)


# A slice is reduced as the slice.
# PART-LABEL: func.func @parts
# PART:        tile.local_load {{.*}} [1, 0, 0] : <2x4x8xf32> -> tensor<1x4x8xf32>
# PART:        tile.reduce({{.*}}) axis 1
# PART:        } : (tensor<4x8xf32>) -> tensor<4xf32>
# PART:        tile.local_store {{.*}} [1, 0] : tensor<1x4xf32>
# PART:        tile.local_load {{.*}} [0, 2, 0] : <2x4x8xf32> -> tensor<1x1x5xf32>
# PART:        } : (tensor<5xf32>) -> f32
# PART:        tile.local_load {{.*}} [0, 0, 0] : <2x4x8xf32> -> tensor<1x3x6xf32>
# PART:        tile.local_store {{.*}} [0, 0] : tensor<1x3xf32>
# PART:        } : (tensor<8xf32>) -> f32
# PART:        tile.local_store {{.*}} [0, 1] : tensor<1x1xf32>


@T.prim_func
def errors(x: T.Tensor((4,), f32), n: T.int32):
    with T.Kernel(1, threads=1) as _:
        a = T.alloc_shared((4, 8), f32)
        column = T.alloc_shared((4,), f32)
        half = T.alloc_shared((4,), f16)
        T.reduce_sum(a, column, dim=0)
        T.reduce_sum(a, column, dim=2)
        T.reduce_sum(a, half, dim=1)
        T.reduce_bitor(a, column, dim=1)
        T.reduce(a, column, "mean", 1)
        T.reduce_sum(a, column, dim=1, real_shape=[5, 8])
        T.reduce_sum(a, column, dim=1, real_shape=[n, 8])
        T.reduce_sum(a, x, dim=1)
        T.cumsum(a)


# ERROR: error: argument 'out' of T.reduce_sum: found {{.*}}'column' fp32[4]{{.*}}, expected the extents [8] or [1, 8]
# ERROR: error: argument 'dim' of T.reduce_sum: found 2, expected an axis of a value of rank 2
# ERROR: error: argument 'out' of T.reduce_sum: found {{.*}}'half' fp16[4]{{.*}}, expected elements of float32
# ERROR: error: argument 'buffer' of T.reduce_bitor: found {{.*}}'a' fp32[4, 8]{{.*}}, expected integers
# ERROR: error: argument 'type' of T.reduce: found 'mean', expected sum, max
# ERROR: error: argument 'real_shape' of T.reduce_sum: found [5, 8], expected at most the extents [4, 8]
# ERROR: error: argument 'real_shape' of T.reduce_sum: found a scalar int32, expected an extent, an int known at compile time
# ERROR: error: argument 'out' of T.reduce_sum: found {{.*}}'x'{{.*}}, expected a buffer on chip
# ERROR: error: T.cumsum is not there yet
