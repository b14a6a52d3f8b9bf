# Where the author orders the instructions, a call of T.tile is one instruction, flat over whole buffers and in rows
# over parts of them; what takes several orders them itself.
# RUN: %kiln compile %s --kernel single --device ascend910b --emit tile | FileCheck %s --check-prefix SINGLE
# RUN: %kiln compile %s --kernel parts --device ascend910b --emit tile | FileCheck %s --check-prefix PARTS
# RUN: %kiln compile %s --kernel several --device ascend910b --emit tile | FileCheck %s --check-prefix SEVERAL
# RUN: %kiln compile %s --kernel masks --device ascend910b --emit tile | FileCheck %s --check-prefix MASKS
# RUN: %kiln compile %s --kernel shapes --device ascend910b --emit tile | FileCheck %s --check-prefix SHAPES
import tilelang
import tilelang.language as T


@T.prim_func
def single(x: T.Tensor((16,), "float32"), s: T.float32):
    with T.Kernel(1) as block:
        a = T.alloc_ub((16, 64), "float32")
        b = T.alloc_ub((16, 64), "float32")
        line = T.alloc_ub((64,), "float32")
        n = T.alloc_ub((64,), "int32")
        m = T.alloc_ub((64,), "uint32")
        w = T.alloc_ub((16, 8), "int16")
        T.pipe_barrier("v")
        T.tile.add(a, a, b)
        T.tile.sub(a, b, 1.5)
        T.tile.mul(a, b, s)
        T.tile.mul(line, line, b[3, 2])
        T.tile.div(a, b, 4)
        T.tile.max(n, n, -3)
        T.tile.bitwise_and(n, n, n)
        T.tile.bitwise_not(w, w)
        T.tile.bitwise_rshift(n, n, 2)
        T.tile.bitwise_rshift(m, m, 2)
        T.tile.exp(a, b)
        T.tile.reciprocal(b, a)
        T.tile.axpy(a, b, 0.5)
        T.tile.mul_add_dst(a, b, b)
        T.tile.fill(a, 0)
        T.tile.clear(n)
        T.tile.createvecindex(n, 5)
        T.tile.cast(n[0:16], line[0:16], "CAST_FLOOR")
        T.tile.cast(n, line, "CAST_TRUNC", 8)
        T.tile.clamp_max(line, line, 1.0, 32)


# SINGLE-DAG:  %[[MINUS:.*]] = arith.constant -1.500000e+00 : f32
# SINGLE-DAG:  %[[QUARTER:.*]] = arith.constant 2.500000e-01 : f32
# SINGLE-DAG:  %[[C3:.*]] = arith.constant -3 : i32
# SINGLE:      npu.barrier <v>
# SINGLE:      npu.vbinary <vadd> %[[A:.*]], %[[B:.*]], %[[A]] : memref<1024xf32,
# SINGLE:      npu.vscalar <vadds> %[[B]], %[[MINUS]], %[[A]]
# SINGLE:      npu.vscalar <vmuls> %[[B]], %arg1, %[[A]]
# SINGLE:      %[[ELEMENT:.*]] = tile.local_get %{{.*}}[%c3, %c2]
# SINGLE:      npu.vscalar <vmuls> %[[LINE:.*]], %[[ELEMENT]], %[[LINE]] : memref<64xf32,
# SINGLE:      npu.vscalar <vmuls> %[[B]], %[[QUARTER]], %[[A]]
# SINGLE:      npu.vscalar <vmaxs> %[[N:.*]], %[[C3]], %[[N]] : memref<64xi32,
# SINGLE:      npu.vbinary <vand> %{{.*}} : memref<128xi16,
# SINGLE:      npu.vunary <vnot> %{{.*}} : memref<128xi16,
# SINGLE:      npu.vscalar <vshr> %{{.*}}, %{{.*}}, %{{[0-9]+}} :
# SINGLE:      npu.vscalar <vshr> %{{.*}} {isUnsigned}
# SINGLE:      npu.vunary <vexp> %[[B]], %[[A]]
# SINGLE:      npu.vunary <vrec> %[[A]], %[[B]]
# SINGLE:      npu.vscalar <vaxpy> %[[B]], %{{.*}}, %[[A]]
# SINGLE:      npu.vternary <vmuladd> %[[B]], %[[B]], %[[A]]
# SINGLE:      npu.vdup %{{.*}}, %[[A]] : f32,
# SINGLE:      npu.vdup %{{.*}}, %[[N]] : i32,
# SINGLE:      npu.viota %{{.*}}, %[[N]]
# SINGLE:      npu.vcast <floor> %{{.*}} : memref<16xf32,
# SINGLE:      npu.vcast <trunc> %{{.*}} : memref<8xf32,
# SINGLE:      npu.vscalar <vmins> %{{.*}} : memref<32xf32,
# SINGLE-NEXT: return


@T.prim_func
def parts(x: T.Tensor((16,), "float32")):
    with T.Kernel(1) as block:
        a = T.alloc_ub((2, 16, 64), "float32")
        b = T.alloc_ub((16, 32), "float32")
        T.barrier_all()
        T.tile.add(a[1, :, 0:32], a[0, :, 32:64], b)
        for k in T.serial(4):
            T.tile.exp(a[k % 2, 0:16, :], a[k % 2, :, :])
            T.tile.mul(a[0, k, :], a[0, k, :], a[1, k, :])


# PARTS:      %[[TO:.*]] = npu.window %[[A:.*]][1024] : {{.*}} -> memref<16x32xf32, strided<[64, 1]>,
# PARTS-NEXT: %[[FROM:.*]] = npu.window %[[A]][32] : {{.*}} -> memref<16x32xf32, strided<[64, 1]>,
# PARTS-NEXT: npu.vbinary <vadd> %[[FROM]], %{{.*}}, %[[TO]]
# PARTS:      scf.for
# PARTS:        %[[SLOT:.*]] = npu.window %[[A]][0 + %{{.*}}] : {{.*}} -> memref<1024xf32, #npu.mem<ub>>
# PARTS-NEXT:   npu.vunary <vexp> %[[SLOT]], %[[SLOT]]
# PARTS:        npu.window %[[A]][0 + %[[ROW:.*]]] : {{.*}} -> memref<64xf32, #npu.mem<ub>>
# PARTS:        npu.window %[[A]][1024 + %[[ROW]]] : {{.*}} -> memref<64xf32, #npu.mem<ub>>
# PARTS:        npu.vbinary <vmul>


@T.prim_func
def several(x: T.Tensor((16,), "float32"), s: T.float32):
    with T.Kernel(1) as block:
        a = T.alloc_ub((20,), "float32")
        b = T.alloc_ub((20,), "float32")
        n = T.alloc_ub((64,), "int32")
        T.barrier_all()
        T.tile.div(a, b, s)
        T.tile.sigmoid(a, b)
        T.tile.silu(a, a)
        T.tile.bitwise_xor(n, n, n)
        T.tile.clamp(a, b, 0.0, 6.0)
        T.tile.arith_progression(n, 3, 2, 64)


# What V waits at before needs no second barrier.
# SEVERAL:      npu.barrier{{ *$}}
# SEVERAL-NEXT: npu.vdup %arg1, %[[BLOCK:.*]] : f32, memref<8xf32,
# SEVERAL-NEXT: npu.barrier <v> because "one call, several instructions"
# SEVERAL:      %[[ALL:.*]] = npu.window %[[BLOCK]][0] : {{.*}} -> memref<2x8xf32, strided<[0, 1]>,
# SEVERAL-NEXT: npu.vbinary <vdiv> %{{.*}}, %[[ALL]], %{{.*}} : memref<2x8xf32,
# SEVERAL:      %[[REST:.*]] = npu.window %[[BLOCK]][0] : {{.*}} -> memref<4xf32,
# SEVERAL-NEXT: npu.vbinary <vdiv> %{{.*}}, %[[REST]], %{{.*}} : memref<4xf32,
# SEVERAL-NEXT: npu.vscalar <vmuls> %[[B:.*]], %{{.*}}, %[[A:.*]] :
# SEVERAL-NEXT: npu.barrier <v>
# SEVERAL-NEXT: npu.vunary <vexp> %[[A]], %[[A]]
# SEVERAL-NEXT: npu.barrier <v>
# SEVERAL-NEXT: npu.vscalar <vadds> %[[A]], %{{.*}}, %[[A]]
# SEVERAL-NEXT: npu.barrier <v>
# SEVERAL-NEXT: npu.vunary <vrec> %[[A]], %[[A]]
# SEVERAL-NEXT: npu.barrier <v>
# SEVERAL:      npu.vbinary <vdiv> %[[A]], %{{.*}}, %[[A]]
# SEVERAL:      npu.barrier <v>
# SEVERAL:      npu.vbinary <vand>
# SEVERAL-NEXT: npu.barrier <v>
# SEVERAL:      npu.vbinary <vor>
# SEVERAL-NEXT: npu.vunary <vnot>
# SEVERAL-NEXT: npu.barrier <v>
# SEVERAL-NEXT: npu.vbinary <vand>
# SEVERAL-NEXT: npu.vscalar <vmaxs>
# SEVERAL-NEXT: npu.barrier <v>
# SEVERAL-NEXT: npu.vscalar <vmins>
# SEVERAL-NEXT: npu.viota
# SEVERAL-NEXT: npu.barrier <v>
# SEVERAL-NEXT: npu.vscalar <vmuls>
# SEVERAL-NEXT: npu.barrier <v>
# SEVERAL-NEXT: npu.vscalar <vadds>


@T.prim_func
def masks(x: T.Tensor((16,), "float32")):
    with T.Kernel(1) as block:
        a = T.alloc_ub((4, 64), "float32")
        b = T.alloc_ub((4, 64), "float32")
        bits = T.alloc_ub((4, 32), "uint8")
        T.barrier_all()
        T.tile.compare(bits[1, :], a, b, "LT")
        T.tile.compare(bits[2, :], a[0, :], 0.5, "GE")
        T.tile.select(a, bits[1, :], a, b, "VSEL_TENSOR_TENSOR_MODE")
        T.tile.select(a, bits[1, :], b, -1.0, "VSEL_TENSOR_SCALAR_MODE")
        T.tile.select(a[0:2, :], bits[1, :], a[0:2, :], b[0:2, :], "VSEL_CMPMASK_SPR")


# MASKS:      %[[BITS:.*]] = npu.local {{.*}} -> memref<4x32xi8,
# MASKS:      npu.window %[[BYTES:.*]][32] : memref<128xi8, {{.*}} -> memref<256xi1,
# MASKS:      npu.vcmp <lt> %[[A:.*]], %[[B:.*]], %[[MASK:.*]] : memref<256xf32, {{.*}}>, memref<256xf32, {{.*}}>, memref<256xi1,
# MASKS:      %[[SECOND:.*]] = npu.window %[[BYTES]][64] : memref<128xi8, {{.*}} -> memref<64xi1,
# MASKS:      npu.vcmp <ge> %{{.*}}, %{{.*}}, %[[SECOND]] : memref<64xf32, {{.*}}>, f32,
# MASKS:      npu.vsel %[[MASK]], %[[A]], %[[B]], %[[A]]
# MASKS:      npu.vsel %[[MASK]], %[[B]], %{{.*}}, %[[A]] : {{.*}}, f32,
# MASKS:      %[[SHORT:.*]] = npu.window %[[BYTES]][32] : memref<128xi8, {{.*}} -> memref<64xi1,
# MASKS:      npu.vsel %[[SHORT]], {{.*}} : memref<64xi1, {{.*}}>, memref<64xf32,
# MASKS:      npu.vsel %[[SHORT]], {{.*}} : memref<64xi1, {{.*}}>, memref<64xf32,


@T.prim_func
def shapes(x: T.Tensor((16,), "float32")):
    with T.Kernel(1) as block:
        a = T.alloc_ub((16, 20), "float32")
        column = T.alloc_ub((16, 1), "float32")
        wide = T.alloc_ub((16, 24), "float32")
        line = T.alloc_ub((1, 24), "float32")
        h = T.alloc_ub((32, 16), "float16")
        t = T.alloc_ub((16, 32), "float16")
        at = T.alloc_ub((64,), "uint32")
        g = T.alloc_ub((64,), "float32")
        flat = T.alloc_ub((384,), "float32")
        few = T.alloc_ub((64,), "float32")
        T.barrier_all()
        T.tile.broadcast(wide[:, 0:20], column)
        T.tile.broadcast(wide, line)
        T.tile.transpose(t, h)
        T.tile.gather(g, flat, at, 32)
        T.tile.block_reduce_max(few, flat, 2, 64, 1, 1, 8)
        T.tile.wholereducesum(few, flat, 24, 16, 1, 1, 3)
        T.tile.brcb(flat, few, 4, 1, 8)


# SHAPES:      npu.barrier
# SHAPES-NOT:  npu.barrier
# SHAPES:      npu.vbrc %{{.*}} : memref<16xf32, {{.*}}>, memref<16x8xf32,
# SHAPES-NEXT: npu.barrier <v>
# SHAPES:      npu.copy %{{.*}} : memref<16x2x8xf32, strided<[8, 0, 1]>, {{.*}}>, memref<16x2x8xf32, strided<[24, 8, 1]>,
# SHAPES:      npu.copy %{{.*}} : memref<16x4xf32, strided<[8, 1]>, {{.*}}>, memref<16x4xf32, strided<[24, 1]>,
# SHAPES:      npu.copy %{{.*}} : memref<16x24xf32, strided<[0, 1]>,
# SHAPES-COUNT-2: npu.vtrans {{.*}} : memref<16x16xf16, {{.*}}>, memref<16x16xf16, strided<[32, 1]>,
# SHAPES:      npu.window %{{.*}}[8] : memref<384xf32, {{.*}} -> memref<376xf32,
# SHAPES:      npu.vgather
# SHAPES:      npu.vreduce <vcgmax> %{{.*}} : memref<128xf32, {{.*}}>, memref<16xf32,
# SHAPES:      npu.vreduce <vcadd> %{{.*}} : memref<16x24xf32, {{.*}}>, memref<16xf32,
# SHAPES:      npu.vbrc %{{.*}} : memref<32xf32, {{.*}}>, memref<32x8xf32,
