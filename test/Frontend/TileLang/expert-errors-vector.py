# Operands that no instruction takes: what was found, what was expected, at the argument.
# RUN: not %kiln compile %s --kernel operands --device ascend910b 2>&1 | FileCheck %s --check-prefix OPERANDS
# RUN: not %kiln compile %s --kernel forms --device ascend910b 2>&1 | FileCheck %s --check-prefix FORMS
# RUN: not %kiln compile %s --kernel lanes --device ascend910b 2>&1 | FileCheck %s --check-prefix LANES
# RUN: not %kiln compile %s --kernel renamed --device ascend910b 2>&1 | FileCheck %s --check-prefix RENAMED
# RUN: not %kiln compile %s --kernel positions --device ascend910b 2>&1 | FileCheck %s --check-prefix POSITIONS
# RUN: not %kiln compile %s --kernel memory --device ascend910b 2>&1 | FileCheck %s --check-prefix MEMORY
# RUN: not %kiln compile %s --kernel island --device ascend910b 2>&1 | FileCheck %s --check-prefix ISLAND
import tilelang
import tilelang.language as T


@T.prim_func
def operands(x: T.Tensor((64,), "float32"), s: T.float32):
    with T.Kernel(1):
        a = T.alloc_ub((4, 64), "float32")
        b = T.alloc_ub((4, 60), "float32")
        n = T.alloc_ub((4, 64), "int32")
        u = T.alloc_ub((4, 64), "uint8")
        h = T.alloc_ub((2, 2, 2, 64), "bfloat16")
        T.barrier_all()
        T.tile.add(a, a, b)
        T.tile.add(a, a, n)
        T.tile.add(u, u, u)
        T.tile.add(h, h, h)
        T.tile.div(n, n, 2)
        T.tile.exp(n, n)
        T.tile.add(a[:, 1:9], a[:, 8:16], a[:, 16:24])
        T.tile.exp(b[:, 0:8], b[:, 8:16])
        T.tile.add(x, a, a)
        T.tile.add(n, n, 1.5)
        T.tile.bitwise_and(a, a, a)
        T.tile.bitwise_lshift(n, n, 32)
        T.tile.fill(h[0:1, :, 0:1, 0:16], 0)
        T.tile.clamp(a[:, 0:32], a[:, 32:64], 0.0, 1.0, 16)


# OPERANDS: [[@LINE-16]]:26: error: argument 'src1' of T.tile.add: found fp32[4, 60], expected fp32[4, 64], as 'dst' has
# OPERANDS: [[@LINE-16]]:26: error: argument 'src1' of T.tile.add: found elements of int32, expected float32, as 'dst' has
# OPERANDS: [[@LINE-16]]:20: error: argument 'dst' of T.tile.add: found uint8, expected one of int16, int32, uint16, uint32, float16, float32 for vadd
# OPERANDS: [[@LINE-16]]:20: error: argument 'dst' of T.tile.add: found bfloat16, expected
# OPERANDS: [[@LINE-16]]:20: error: argument 'dst' of T.tile.div: found int32, expected one of float16, float32 for vdiv
# OPERANDS: [[@LINE-16]]:20: error: argument 'dst' of T.tile.exp: found int32, expected one of float16, float32 for vexp
# OPERANDS: [[@LINE-16]]:20: error: argument 'dst' of T.tile.add: found a region that starts at byte 4 of its buffer, expected a multiple of 32
# OPERANDS: [[@LINE-16]]:20: error: argument 'dst' of T.tile.exp: found rows every 240 bytes, expected a multiple of 32
# OPERANDS: [[@LINE-16]]:20: error: argument 'dst' of T.tile.add: found the buffer 'x' fp32[64], expected a buffer on chip
# OPERANDS: [[@LINE-16]]:9: error: {{.*}}1.5
# OPERANDS: [[@LINE-16]]:28: error: argument 'dst' of T.tile.bitwise_and: found float32, expected integers
# OPERANDS: [[@LINE-16]]:37: error: argument '{{.*}}' of T.tile.bitwise_lshift: found 32, expected from 0 to 31
# OPERANDS: [[@LINE-15]]:22: error: argument 'out' of T.tile.clamp: found fp32[4, 32] with gaps between its rows, expected a region without gaps


@T.prim_func
def forms(x: T.Tensor((64,), "float32")):
    with T.Kernel(1):
        a = T.alloc_ub((4, 64), "float32")
        n = T.alloc_ub((4, 64), "int32")
        i = T.alloc_ub((4, 64), "int8")
        h = T.alloc_ub((4, 64), "float16")
        bits = T.alloc_ub((32,), "uint8")
        few = T.alloc_ub((4,), "uint8")
        T.barrier_all()
        T.tile.cast(i, a, "CAST_RINT")
        T.tile.cast(n, a, "CAST_ODD")
        T.tile.cast(n, a, "CAST_UP")
        T.copy(i, n)
        T.tile.compare(bits, a, a, "LESS")
        T.tile.compare(bits, a[0, 0:32], a[0, 0:32], "LT")
        T.tile.compare(bits, n, n, "LT")
        T.tile.compare(few, a, a, "LT")
        T.tile.compare(a, a, a, "LT")
        T.tile.select(a, bits, a, 1.0, "VSEL_TENSOR_TENSOR_MODE")
        T.tile.select(a, bits, a, a, "VSEL_TENSOR_SCALAR_MODE")
        T.tile.select(a, bits, a, a, "VSEL")
        T.tile.transpose(a, h)
        T.tile.transpose(h, h)
        T.tile.broadcast(a, h)
        T.tile.gather(a, a, n, 2)
        T.tile.block_reduce_sum(a, a, 1, 64, 1, 2, 8)
        T.tile.wholereducemax(a, a, 64, 4, 1, 1, 8, "ORDER_VALUE_INDEX")
        T.tile.sort32(a, a, n)
        T.tile.gatherb(a, a, n, 1, 1, 8)


# FORMS: [[@LINE-22]]:21: error: argument 'dst' of T.tile.cast: found int8, expected what one instruction makes of float32: int16, int32,
# FORMS: [[@LINE-22]]:27: error: argument 'mode' of T.tile.cast: found the str 'CAST_ODD', expected a mode that the conversion of float32 to int32
# FORMS: [[@LINE-22]]:27: error: argument 'mode' of T.tile.cast: found 'CAST_UP', expected CAST_NONE
# FORMS: [[@LINE-22]]:19: error: argument 'dst' of T.copy: found int32, expected what one instruction makes of int8: float16
# FORMS: [[@LINE-22]]:36: error: argument 'mode' of T.tile.compare: found 'LESS', expected EQ
# FORMS: [[@LINE-22]]:30: error: argument 'src0' of T.tile.compare: found 128 bytes, expected a multiple of 256
# FORMS: [[@LINE-22]]:30: error: argument 'src0' of T.tile.compare: found int32 compared by LT, expected float16 or float32
# FORMS: [[@LINE-22]]:24: error: argument 'dst' of T.tile.compare: found 4 bytes, expected 32: a bit for each of 256 lanes
# FORMS: [[@LINE-22]]:24: error: argument 'dst' of T.tile.compare: found the buffer 'a'{{.*}}, expected adjacent elements of uint8
# FORMS: [[@LINE-22]]:35: error: argument 'src1' of T.tile.select: found {{.*}}, expected a buffer, as the mode says
# FORMS: [[@LINE-22]]:35: error: argument 'src1' of T.tile.select: found {{.*}}, expected a scalar, as the mode says
# FORMS: [[@LINE-22]]:38: error: argument 'selMode' of T.tile.select: found 'VSEL', expected VSEL_CMPMASK_SPR
# FORMS: [[@LINE-22]]:29: error: argument 'src' of T.tile.transpose: found elements of float16, expected float32, as 'dst' has
# FORMS: [[@LINE-22]]:26: error: argument 'dst' of T.tile.transpose: found fp16[4, 64], expected the sizes of [4, 64] the other way round
# FORMS: [[@LINE-22]]:29: error: argument 'src' of T.tile.broadcast: found elements of float16, expected float32
# FORMS: [[@LINE-22]]:32: error: argument 'src_base_addr' of T.tile.gather: found 2, expected an offset in bytes of an element of 'src'
# FORMS: [[@LINE-22]]:49: error: argument 'src_blk_stride' of T.tile.block_reduce_sum: found 2, expected 1; other strides and masks
# FORMS: [[@LINE-22]]:53: error: argument 'order' of T.tile.wholereducemax: found {{.*}}, expected ORDER_ONLY_VALUE
# FORMS: [[@LINE-22]]:9: error: T.tile.sort32 is not there yet
# FORMS: [[@LINE-22]]:9: error: T.tile.gatherb is not there yet


@T.prim_func
def lanes(x: T.Tensor((64,), "float32")):
    with T.Kernel(1):
        a = T.alloc_ub((64,), "float32")
        for i in T.Parallel(64):
            T.set_flag("v", "mte3", 0)
            T.tile.exp(a, a)
            T.copy(a, x)


# LANES: [[@LINE-5]]:13: error: T.set_flag works on whole tiles: found it inside T.Parallel
# LANES: [[@LINE-5]]:13: error: found T.tile.exp in the body of T.Parallel, expected it outside
# LANES: [[@LINE-5]]:13: error: found T.copy in the body of T.Parallel, expected it outside


@T.prim_func
def positions(x: T.Tensor((64,), "float32")):
    with T.Kernel(1):
        a = T.alloc_ub((256,), "float32")
        T.tile.wholereducemin(a, a, 64, 4, 1, 1, 8)


# POSITIONS: [[@LINE-3]]:9: error: argument 'order' of T.tile.wholereducemin: found None, expected ORDER_ONLY_VALUE; positions of extrema are not there yet


@T.prim_func
def memory(x: T.Tensor((64,), "float32")):
    with T.Kernel(1):
        a = T.alloc_ub((64,), "float32")
        n = T.alloc_ub((64,), "int32")
        m = T.alloc_ub((128,), "int32")
        T.reinterpretcast(n, a[0:8], "int32_t")
        T.reinterpretcast(n, a, "uint32_t")
        T.reinterpretcast(m, a, "int32_t")
        T.reinterpretcast(n, a, "int32_t")
        T.reinterpretcast(n, a, "int32_t")


# MEMORY: [[@LINE-7]]:30: error: argument 'src' of T.reinterpretcast: found a region [8] of 'a' fp32[64], expected a whole buffer on chip
# MEMORY: [[@LINE-7]]:33: error: argument 'dtype' of T.reinterpretcast: found 'uint32_t', expected int32, as 'n' has
# MEMORY: [[@LINE-7]]:27: error: argument 'dst' of T.reinterpretcast: found 512 bytes, expected at most the 256 of 'a'
# MEMORY: [[@LINE-6]]:27: error: argument 'dst' of T.reinterpretcast: found 'n', which has been used before, expected a buffer that gets its memory here


@T.prim_func
def island(x: T.Tensor((64,), "float32")):
    with T.Kernel(1):
        a = T.alloc_ub((64,), "float32")
        k = T.alloc_ub((32,), "int32")
        T.reinterpretcast(k, a, "int32_t")
        k[0] = 3


# ISLAND: error: 'k' has the memory of another buffer, by T.reinterpretcast: this is not there yet where it is used by more than copies and T.tile operations


barrier = T.pipe_barrier


@T.prim_func
def renamed(x: T.Tensor((64,), "float32")):
    with T.Kernel(1):
        barrier("v")


# RENAMED: [[@LINE-3]]:9: error: found T.pipe_barrier under another name, expected a call by its own name
