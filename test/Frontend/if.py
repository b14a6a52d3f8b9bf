# `if` on runtime scalars: names that both ways assign become results; constexpr conditions choose.
# RUN: %kiln compile %s --kernel branches --sig '*f32,*f32,i32' --emit tile | FileCheck %s
# RUN: %kiln compile %s --kernel chosen --sig '*f32,*f32,i32' --const BIG=1 \
# RUN:   --emit tile | FileCheck %s --check-prefix=WIDE
# RUN: %kiln compile %s --kernel chosen --sig '*f32,*f32,i32' --const BIG=0 \
# RUN:   --emit tile | FileCheck %s --check-prefix=NARROW
import kiln.language as tl
import kiln.triton as triton


@triton.jit
def branches(x, o, n):
    scale = 2.0
    if n > 3:
        scale = tl.load(x)
        fresh = tl.load(x + 1)
    elif n == 1:
        fresh = tl.load(x + 2)
    else:
        fresh = tl.load(x + 3) if n > 2 else tl.load(x + 4)
    tl.store(o, scale * fresh)


# CHECK-LABEL: func.func @branches(
# CHECK: scf.if %{{.*}} -> (f32, f32) {
# CHECK: tile.ptr_load
# CHECK: tile.ptr_load
# CHECK: else
# CHECK: scf.if %{{.*}} -> (f32) {
# CHECK: scf.if %{{.*}} -> (f32) {
# CHECK: arith.mulf
# CHECK: tile.ptr_store


@triton.jit
def chosen(x, o, n, BIG: tl.constexpr):
    if BIG:
        lanes: tl.constexpr = 64
    else:
        lanes: tl.constexpr = 4
        tl.store(o, x.no_such_attribute if BIG else 1.0)
    offsets = tl.arange(0, lanes)
    if 0 < lanes < 8 and n is not None:
        offsets += 1
    tl.store(o + offsets, offsets)


# WIDE-LABEL: func.func @chosen(
# WIDE-NOT: scf.if
# WIDE: tensor<64xf32>
# NARROW-LABEL: func.func @chosen(
# NARROW-NOT: scf.if
# NARROW: tensor<4xf32>
