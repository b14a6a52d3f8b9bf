# Conversions between element types.
# RUN: %kiln compile %s --kernel casts --sig '*f32,*f16,*i8,*u8,*i64,*i1' --emit tile | FileCheck %s
import kiln.language as tl
import kiln.triton as triton


@triton.jit
def casts(f_ptr, h_ptr, i_ptr, u_ptr, l_ptr, b_ptr):
    lanes = tl.arange(0, 4)
    f = tl.load(f_ptr + lanes)
    i = tl.load(i_ptr + lanes)
    u = tl.load(u_ptr + lanes)
    flag = tl.load(b_ptr + lanes)
    tl.store(h_ptr + lanes, f)
    tl.store(f_ptr + lanes, i)
    tl.store(f_ptr + lanes, u.to(tl.float32))
    tl.store(i_ptr + lanes, f.to(tl.int8))
    tl.store(u_ptr + lanes, f.to(tl.uint8))
    tl.store(l_ptr + lanes, i)
    tl.store(l_ptr + lanes, u)
    tl.store(b_ptr + lanes, flag & (f > 0))
    tl.store(f_ptr + lanes, tl.load(h_ptr + lanes).to(tl.bfloat16))
    tl.store(l_ptr + lanes, f.to(tl.int32, bitcast=True))
    tl.store(h_ptr + lanes, f.to(tl.float16, fp_downcast_rounding="rtz"))
    tl.store(l_ptr, f_ptr.to(tl.int64))
    tl.store(f_ptr + 0, tl.load(l_ptr.to(tl.pointer_type(tl.float32), bitcast=True)))
