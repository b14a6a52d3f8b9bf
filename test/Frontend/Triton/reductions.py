# Reductions: known combinations as one plain operation, anything else as its region.
# RUN: %kiln compile %s --kernel known --sig '*f32,*i8' --emit tile | FileCheck %s --check-prefix KNOWN
# RUN: %kiln compile %s --kernel indices --sig '*f32,*i32' --emit tile | FileCheck %s --check-prefix INDEX
# RUN: %kiln compile %s --kernel custom --sig '*f32,*f32' --emit tile | FileCheck %s --check-prefix CUSTOM
import kiln.language as tl
import kiln.triton as triton


@triton.jit
def known(x, n):
    rows = tl.arange(0, 4)
    offs = rows[:, None] * 8 + tl.arange(0, 8)[None, :]
    f = tl.load(x + offs)
    i = tl.load(n + offs)
    tl.store(x + rows, tl.sum(f, axis=1))
    tl.store(x + rows, tl.max(f, 1))
    tl.store(x, tl.min(f))
    tl.store(n + rows, tl.sum(i, -1))
    tl.store(n + rows, tl.xor_sum(i, 1))
    tl.store(n + rows, tl.reduce_or(i, 1))
    tl.static_assert(tl.sum(f, 0, keep_dims=True).shape == (1, 8))
    tl.static_assert(tl.sum(f, keep_dims=True).shape == (1, 1))
    tl.static_assert(tl.max(f, 1, keep_dims=True).shape == (4, 1))


@triton.jit
def indices(x, n):
    offs = tl.arange(0, 16)
    tl.store(n, tl.argmax(tl.load(x + offs), 0))
    value, index = tl.min(tl.load(x + offs), 0, return_indices=True, return_indices_tie_break_left=False)
    tl.store(x, value)
    tl.store(n, index)


@triton.jit
def product(a, b):
    return a * b


@triton.jit
def welford(mean_a, m2_a, weight_a, mean_b, m2_b, weight_b):
    delta = mean_b - mean_a
    weight = weight_a + weight_b
    ratio = weight_b / weight
    return mean_a + delta * ratio, m2_a + m2_b + delta * delta * weight_a * ratio, weight


@triton.jit
def custom(x, out):
    f = tl.load(x + tl.arange(0, 8))
    tl.store(out, tl.reduce(f, 0, product))
    mean, m2, weight = tl.reduce((f, tl.zeros_like(f), f * 0 + 1), 0, welford)
    tl.store(out + 1, mean)
    tl.store(out + 2, m2 / weight)


# KNOWN-LABEL: func.func @known(
# KNOWN:         tile.reduce({{.*}}) axis 1 {
# KNOWN:           arith.addf
# KNOWN:         } : (tensor<4x8xf32>) -> tensor<4xf32>
# KNOWN:         tile.reduce({{.*}}) axis 1 {
# KNOWN:           arith.maxnumf
# KNOWN:         tile.reduce({{.*}}) axis 0 {
# KNOWN:           arith.minnumf
# KNOWN:         } : (tensor<32xf32>) -> f32
# Narrow integers are summed in 32 bits.
# KNOWN:         arith.extsi {{.*}} : tensor<4x8xi8> to tensor<4x8xi32>
# KNOWN:           arith.addi {{.*}} : i32
# KNOWN:           arith.xori {{.*}} : i8
# KNOWN:           arith.ori {{.*}} : i8

# INDEX-LABEL: func.func @indices(
# INDEX:         tile.reduce({{.*}}) axis 0 {
# INDEX-NEXT:    ^bb0(%[[A:.*]]: f32, %[[I:.*]]: i32, %[[B:.*]]: f32, %[[J:.*]]: i32):
# INDEX-DAG:       arith.cmpf ogt, %[[A]], %[[B]]
# INDEX-DAG:       arith.cmpf oeq, %[[A]], %[[B]]
# INDEX-DAG:       arith.cmpi slt, %[[I]], %[[J]]
# INDEX:           tile.yield {{.*}} : f32, i32
# Without the rule for ties, one comparison.
# INDEX:         tile.reduce({{.*}}) axis 0 {
# INDEX:           arith.cmpf olt
# INDEX-NOT:       arith.cmp
# INDEX:           tile.yield

# CUSTOM-LABEL: func.func @custom(
# CUSTOM:        tile.reduce({{.*}}) axis 0 {
# CUSTOM:          arith.mulf
# CUSTOM-NEXT:     tile.yield
# CUSTOM:        tile.reduce({{.*}}, {{.*}}, {{.*}}) axis 0 {
# CUSTOM:          arith.divf
# CUSTOM:          tile.yield {{.*}} : f32, f32, f32
