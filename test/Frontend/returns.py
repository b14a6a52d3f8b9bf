# Early returns become structured control flow; results stay constexpr where all returns agree.
# RUN: %kiln compile %s --kernel early --sig '*f32,*f32,i32' --emit tile | FileCheck %s
# RUN: %kiln compile %s --kernel some_ways --sig '*f32,*f32,i32' --emit tile \
# RUN:   | FileCheck %s --check-prefix=FLAG
# RUN: %kiln compile %s --kernel results --sig '*i32,i32' --emit tile \
# RUN:   | FileCheck %s --check-prefix=RESULT
import kiln.language as tl
import kiln.triton as triton


@triton.jit
def early(x, o, n):
    if n < 3:
        return
    tl.store(o, tl.load(x))


# CHECK-LABEL: func.func @early(
# CHECK: %[[C:.*]] = arith.cmpi slt
# CHECK: scf.if %[[C]] {
# CHECK-NEXT: } else {
# CHECK: tile.ptr_store
# CHECK: }
# CHECK-NEXT: return


@triton.jit
def some_ways(x, o, n):
    value = 1.0
    if n < 3:
        value = tl.load(x)
        if n == 1:
            return
    tl.store(o, value)


# FLAG-LABEL: func.func @some_ways(
# FLAG: %[[R:.*]]:2 = scf.if %{{.*}} -> (f32, i1) {
# FLAG: scf.if %[[R]]#1 {
# FLAG-NEXT: } else {
# FLAG: tile.ptr_store %{{.*}}, %[[R]]#0


@triton.jit
def lanes(n):
    if n > 3:
        return 16
    return 16


@triton.jit
def both(a, b, swap: tl.constexpr = False):
    if swap:
        return b, a
    return a, b


@triton.jit
def results(o, n):
    first, second = both(n, 7, swap=True)
    offsets = tl.arange(0, lanes(n))
    tl.store(o + offsets, first - second)


# RESULT-LABEL: func.func @results(
# RESULT: arith.subi %c7_i32, %{{.*}} : i32
# RESULT: tensor<16xi32>
