# Arithmetic and mathematical functions by name.
# RUN: %kiln compile %s --kernel functions --sig '*f32,*i32,*u32' --emit tile | FileCheck %s
import kiln.language as tl
import kiln.triton as triton
from kiln.language.extra import libdevice


@triton.jit
def functions(x, i_ptr, u_ptr):
    lanes = tl.arange(0, 4)
    f = tl.load(x + lanes)
    i = tl.load(i_ptr + lanes)
    u = tl.load(u_ptr + lanes)
    r = tl.exp(f) + tl.exp2(f) + tl.log(f) + tl.log2(f) + tl.sin(f) + tl.cos(f)
    r += tl.sqrt(f) + tl.sqrt_rn(f) + tl.rsqrt(f) + tl.erf(f) + tl.floor(f) + tl.ceil(f)
    r += tl.abs(f) + tl.fma(f, f, 1.0) + tl.fdiv(f, f) + tl.div_rn(f, 3.0)
    r += tl.math.tanh(f) + libdevice.tanh(f) + tl.math.exp(f) + f.sigmoid() + tl.softmax(f)
    r += tl.where(libdevice.isnan(f) | libdevice.isinf(f), 0.0, f)
    r = tl.maximum(r, f)
    r = tl.minimum(r, f, propagate_nan=tl.PropagateNan.ALL)
    r = tl.clamp(r, -1.0, 1.0)
    tl.store(x + lanes, -r)
    tl.store(i_ptr + lanes, tl.maximum(i, 3) + tl.umulhi(i, 7) + abs(i) + tl.cdiv(i, 4) + (i >> 1) - ~i)
    tl.store(u_ptr + lanes, tl.minimum(u, 3) + u // 2 + u % 3 + (u >> 1))


# CHECK-LABEL: func.func @functions(
# CHECK-DAG:     math.exp %
# CHECK-DAG:     math.exp2
# CHECK-DAG:     math.log %
# CHECK-DAG:     math.log2
# CHECK-DAG:     math.sin
# CHECK-DAG:     math.cos
# CHECK-DAG:     math.sqrt
# CHECK-DAG:     math.rsqrt
# CHECK-DAG:     math.erf
# CHECK-DAG:     math.floor
# CHECK-DAG:     math.ceil
# CHECK-DAG:     math.absf
# CHECK-DAG:     math.fma
# CHECK-DAG:     math.tanh
# CHECK-DAG:     arith.cmpf une
# A NaN loses unless it is to be propagated.
# CHECK:         arith.maxnumf
# CHECK:         arith.minimumf
# CHECK:         arith.maxnumf
# CHECK:         arith.minnumf
# CHECK:         arith.negf
# CHECK:         arith.maxsi
# CHECK:         arith.mului_extended
# CHECK:         math.absi
# CHECK:         arith.divsi
# CHECK:         arith.shrsi
# CHECK:         arith.minui
# CHECK:         arith.divui
# CHECK:         arith.remui
# CHECK:         arith.shrui
