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


# CHECK-LABEL: func.func @casts(
# A bool is read as a byte that is not zero.
# CHECK:         arith.cmpi ne, {{.*}} : tensor<4xi8>
# CHECK:         arith.truncf {{.*}} : tensor<4xf32> to tensor<4xf16>
# CHECK:         arith.sitofp {{.*}} : tensor<4xi8> to tensor<4xf32>
# CHECK:         arith.uitofp {{.*}} : tensor<4xi8> to tensor<4xf32>
# CHECK:         arith.fptosi {{.*}} : tensor<4xf32> to tensor<4xi8>
# CHECK:         arith.fptoui {{.*}} : tensor<4xf32> to tensor<4xi8>
# CHECK:         arith.extsi {{.*}} : tensor<4xi8> to tensor<4xi64>
# CHECK:         arith.extui {{.*}} : tensor<4xi8> to tensor<4xi64>
# And written as 0 or 1.
# CHECK:         arith.extui {{.*}} : tensor<4xi1> to tensor<4xi8>
# f16 to bf16 rounds once, from f32.
# CHECK:         arith.extf {{.*}} : tensor<4xf16> to tensor<4xf32>
# CHECK:         arith.truncf {{.*}} : tensor<4xf32> to tensor<4xbf16>
# CHECK:         arith.bitcast {{.*}} : tensor<4xf32> to tensor<4xi32>
# Towards zero: one step back where rounding grew the magnitude.
# CHECK:         %[[GREW:.*]] = arith.cmpf ogt
# CHECK:         arith.subi {{.*}} : tensor<4xi16>
# CHECK:         arith.select %[[GREW]]
# CHECK:         tile.ptr_to_int %arg0
# CHECK:         tile.ptr_cast %arg4 : !tile.ptr<i64> -> !tile.ptr<f32>
