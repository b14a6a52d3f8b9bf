# Assertions, printing and hints.
# RUN: %kiln compile %s --kernel debug --sig '*f32,i32' --emit tile 2>&1 | FileCheck %s --check-prefixes CHECK,RELEASE
# RUN: %kiln compile %s --kernel debug --sig '*f32,i32' --option debug=True --emit tile 2>&1 | FileCheck %s --check-prefixes CHECK,DEBUG
import kiln.language as tl
import kiln.triton as triton


@triton.jit
def debug(x, n):
    offs = tl.multiple_of(tl.max_contiguous(n + tl.arange(0, 8), 8), 8)
    f = tl.load(x + offs)
    tl.static_assert(f.dtype == tl.float32, "float32")
    tl.static_print("block", f.shape)
    tl.assume(n > 0)
    tl.debug_barrier()
    tl.device_print("value", f, n)
    tl.device_print("bits", offs, hex=True)
    print("plain", n)
    tl.device_assert(f == f, "nan")
    assert n > 0, "n"
    tl.store(x + offs, f)


# CHECK-LABEL: func.func @debug(
# CHECK:         tile.assume
# CHECK:         tile.print "value"({{.*}}) [false, true] : tensor<8xf32>, i32
# CHECK:         tile.print "bits" hex({{.*}}) [true] : tensor<8xi32>
# CHECK:         tile.print "plain"({{.*}}) [true] : i32
# DEBUG:         tile.assert {{.*}}, "nan" : tensor<8xi1>
# DEBUG:         tile.assert {{.*}}, "n" : i1
# RELEASE-NOT:   tile.assert
