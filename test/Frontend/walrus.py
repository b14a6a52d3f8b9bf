# `:=` in conditions and ternaries: the name leaves the region that binds it.
# RUN: %kiln compile %s --kernel walrus --sig '*f32,i32' --emit tile | FileCheck %s
import kiln.language as tl
import kiln.triton as triton

LIMIT: tl.constexpr = 5


@triton.jit
def walrus(o, n):
    while (left := n - LIMIT) > 0:
        n = n - left // 2
        tl.store(o + left, 1.0)
    picked = (low := n + 1) if left < 3 else (low := n + 2)
    tl.store(o + left, low * picked * triton.next_power_of_2(LIMIT) + triton.cdiv(n, 4))


# CHECK-LABEL: func.func @walrus(
# CHECK: %[[R:.*]]:2 = scf.while (%{{.*}} = %arg1) : (i32) -> (i32, i32) {
# CHECK: scf.condition(%{{.*}}) %{{.*}}, %{{.*}} : i32, i32
# CHECK: } do {
# CHECK: scf.yield %{{.*}} : i32
# CHECK: tile.ptr_store
# CHECK-NEXT: return
