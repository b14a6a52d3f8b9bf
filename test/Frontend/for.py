# Loops carry what an iteration assigns and a later one, or what follows, reads.
# RUN: %kiln compile %s --kernel loops --sig '*f32,*f32,i32,i64' --emit tile | FileCheck %s
# RUN: %kiln compile %s --kernel unrolled --sig '*i32,i32' --emit tile \
# RUN:   | FileCheck %s --check-prefix=UNROLLED
# RUN: %kiln compile %s --kernel downwards --sig '*i32,i32' --emit tile \
# RUN:   | FileCheck %s --check-prefix=DOWN
import kiln.language as tl
import kiln.triton as triton


@triton.jit
def loops(x, o, n, m):
    total = 0.0
    count = 0
    pair = (0.0, 1)
    for i in range(n):
        temporary = tl.load(x + i)
        total += temporary
        pair = (pair[0] + temporary, pair[1])
        for _ in tl.range(0, m, 2, num_stages=3):
            count += 1
    tl.store(o, total + count + pair[0] + pair[1])


# CHECK-LABEL: func.func @loops(
# CHECK: %[[R:.*]]:{{[34]}} = scf.for %{{.*}} iter_args({{.*}}) -> ({{.*}}f32{{.*}}) : i32 {
# CHECK: scf.for {{.*}} : i64 {
# CHECK: tile.num_stages = 3
# CHECK: scf.yield
# CHECK: tile.ptr_store


@triton.jit
def unrolled(o, n):
    for i in tl.static_range(0, 6, 2):
        if i != 2:
            tl.store(o + i, n)


# UNROLLED-LABEL: func.func @unrolled(
# UNROLLED-NOT: scf.for
# UNROLLED-COUNT-2: tile.ptr_store
# UNROLLED-NOT: tile.ptr_store


@triton.jit
def downwards(o, n):
    for i in range(n, 0, -3):
        tl.store(o + i, i)


# Runs up from the stop; the index is start - (counter - stop).
# DOWN-LABEL: func.func @downwards(
# DOWN: scf.for %[[I:.*]] = %c0_i32 to %[[N:.*]] step %c3_i32
# DOWN: %[[V:.*]] = arith.subi %[[N]], %[[I]] : i32
# DOWN: tile.ptr_store %{{.*}}, %[[V]]
