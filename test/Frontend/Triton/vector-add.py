# The thin path: program ids, ranges, masked loads and stores.
# RUN: %kiln compile %s --kernel add --sig '*f32,*f32,*f32,i32' --const BLOCK=100 --emit tile | FileCheck %s
import kiln.language as tl
import kiln.triton as triton


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    total = tl.load(x + offs, mask) + tl.load(y + offs, mask=mask, other=0)
    tl.store(out + offs, total, mask=mask)


# CHECK-LABEL: func.func @add(
# CHECK:         %[[PID:.*]] = tile.program_id 0
# CHECK:         %[[X:.*]] = tile.view %arg0[{{.*}}] strides [1] : <f32> -> <100xf32>
# CHECK:         tile.load %[[X]] valid
# CHECK-NOT:     pad
# CHECK:         %[[Y:.*]] = tile.view %arg1
# CHECK:         tile.load %[[Y]] valid{{.*}} pad
# CHECK:         %[[SUM:.*]] = arith.addf
# CHECK:         tile.store %[[SUM]], {{.*}} valid
