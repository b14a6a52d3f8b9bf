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
