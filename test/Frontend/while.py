# `while` on a runtime condition; integer conditions are compared with zero.
# RUN: %kiln compile %s --kernel whiles --sig '*f32,i32' --emit tile | FileCheck %s
import kiln.language as tl
import kiln.triton as triton


@triton.jit
def whiles(o, n):
    i = 0
    total = 0.0
    while i < n:
        total += 2.0
        if total > 10.0:
            i += 2
        i += 1
    while False:
        total += "never visited"
    while n:
        n = n // 2
    tl.store(o, total + n)


# CHECK-LABEL: func.func @whiles(
# CHECK: scf.while (%{{.*}} = %c0_i32, %{{.*}} = %{{.*}}) : (i32, f32) -> (i32, f32) {
# CHECK: scf.condition
# CHECK: } do {
# CHECK: scf.if
# CHECK: scf.yield
# CHECK: scf.while
# CHECK: arith.cmpi ne
# CHECK: arith.divsi
# CHECK: tile.ptr_store
