# What is wrong with an operand is said at it: what was found, what was expected; all of it in one run.
# RUN: not %kiln compile %s --kernel operands 2>&1 | FileCheck %s --check-prefix OPERAND
# RUN: not %kiln compile %s --kernel counts 2>&1 | FileCheck %s --check-prefix COUNT
# RUN: not %kiln compile %s --kernel masks 2>&1 | FileCheck %s --check-prefix MASK
# RUN: not %kiln compile %s --kernel used_before 2>&1 | FileCheck %s --check-prefix BEFORE
import tilelang.language as T

f16, f32, i32 = "float16", "float32", "int32"


@T.prim_func
def operands(x: T.Tensor((4, 8), f32), s: T.float32):
    with T.Kernel(1, threads=1) as _:
        a = T.alloc_shared((4, 8), f32)
        h = T.alloc_shared((4, 8), f16)
        i = T.alloc_shared((4, 8), i32)
        small = T.alloc_shared((8,), f32)
        T.tile.add(a, a, h)
        T.tile.add(a, a, small)
        T.tile.add(a, x, a)
        T.tile.add(a, 1.0, a)
        T.tile.mul(a, a, h[0, 0])
        T.tile.mul(i, i, 0.5)
        T.tile.mul(i, i, s)
        T.tile.exp(i, i)
        T.tile.bitwise_and(a, a, a)
        T.tile.exp(a[0, 0], a[0, 1])
        T.tile.bitwise_lshift(i, i, 32)
        for j in T.Parallel(4):
            T.tile.exp(a, a)


# OPERAND: tile-ops-errors.py:[[#@LINE-15]]:26: error: argument 'src1' of T.tile.add: found {{.*}}'h' fp16[4, 8]{{.*}}, expected elements of float32, as {{.*}}'a' fp32[4, 8] has
# OPERAND: error: argument 'src1' of T.tile.add: found {{.*}}'small' fp32[8]{{.*}}, expected 32 elements, as many as
# OPERAND: error: argument 'src0' of T.tile.add: found {{.*}}'x' fp32[4, 8]{{.*}}, expected a buffer on chip
# OPERAND: error: argument 'src0' of T.tile.add: found the float 1.0, expected a buffer or a part of one
# OPERAND: error: argument 'src1' of T.tile.mul: found {{.*}}'h'{{.*}}, expected an element of float32
# OPERAND: error: argument 'src1' of T.tile.mul: found the float 0.5, expected an int, for elements of int32
# OPERAND: error: argument 'src1' of T.tile.mul: found a scalar fp32, expected an integer, for elements of int32
# OPERAND: error: argument 'dst' of T.tile.exp: found {{.*}}'i' int32[4, 8]{{.*}}, expected floats
# OPERAND: error: argument 'dst' of T.tile.bitwise_and: found {{.*}}'a' fp32[4, 8]{{.*}}, expected integers
# OPERAND: error: argument 'dst' of T.tile.exp: found {{.*}}'a'{{.*}}, expected a buffer or a slice such as x[0:n]
# OPERAND: error: argument 'scalar_value' of T.tile.bitwise_lshift: found 32, expected a shift by 0 to 31 bits
# OPERAND: error: T.tile.exp works on whole tiles: found it inside T.Parallel, expected an expression of elements there


@T.prim_func
def counts(x: T.Tensor((4, 8), f32), n: T.int32):
    with T.Kernel(1, threads=1) as _:
        a = T.alloc_shared((4, 8), f32)
        b = T.alloc_shared((8, 8), f32)
        square = T.alloc_shared((8, 8), f32)
        line = T.alloc_shared((8,), f32)
        i = T.alloc_shared((8,), i32)
        T.tile.clamp(a, a, 0.0, 1.0, 33)
        T.tile.clamp(a, a, 0.0, 1.0, 13)
        T.tile.clamp(a, a, 0.0, 1.0, n)
        T.tile.cast(i, line, "CAST_ODD", 8)
        T.tile.cast(i, line, "RINT", 8)
        T.tile.cast(line, i, "CAST_FLOOR", 8)
        T.tile.broadcast(square, line)
        T.tile.transpose(b, a)


# COUNT: error: argument 'count' of T.tile.clamp: found 33, expected 1 to 32, the elements of
# COUNT: error: the first 13 elements of {{.*}}'a' fp32[4, 8]{{.*}} are no region of it, expected a multiple of 8
# COUNT: error: argument 'count' of T.tile.clamp: found a scalar int32, expected an int known at compile time
# COUNT: error: the mode CAST_ODD is not there yet
# COUNT: error: argument 'mode' of T.tile.cast: found 'RINT', expected CAST_NONE, CAST_RINT
# COUNT: error: a conversion of int32 to float32 rounds to the nearest: other modes are not there yet
# COUNT: error: argument 'src' of T.tile.broadcast: found {{.*}}'line' fp32[8]{{.*}}, expected extents that stretch to {{.*}}'square' fp32[8, 8]{{.*}}, equal to its or 1, or an axis
# COUNT: error: argument 'dst' of T.tile.transpose: found {{.*}}'b' fp32[8, 8]{{.*}}, expected float32[8, 4]


@T.prim_func
def masks(x: T.Tensor((64,), f32), bits: T.Tensor((8,), "uint8")):
    with T.Kernel(1, threads=1) as _:
        a = T.alloc_shared((64,), f32)
        m = T.alloc_shared((8,), "uint8")
        few = T.alloc_shared((4,), "uint8")
        T.tile.compare(m, a, 0.0, "GT")
        T.copy(m, bits)
        T.tile.compare(few, a, 0.0, "GT")
        T.tile.compare(m, a, 0.0, "EQUAL")
        T.tile.select(a, m, a, a, "VSEL")


# MASK: error: 'm' holds the mask of a T.tile.compare: its bits can be read by T.tile.select only
# MASK: error: argument 'dst' of T.tile.compare: found {{.*}}'few' uint8[4]{{.*}}, expected at least 64 bits, one for each element: it has 32
# MASK: error: argument 'mode' of T.tile.compare: found 'EQUAL', expected EQ, NE, GT, GE, LT or LE
# MASK: error: argument 'selMode' of T.tile.select: found 'VSEL', expected VSEL_CMPMASK_SPR


@T.prim_func
def used_before(x: T.Tensor((64,), f32), bits: T.Tensor((8,), "uint8")):
    with T.Kernel(1, threads=1) as _:
        a = T.alloc_shared((64,), f32)
        m = T.alloc_shared((8,), "uint8")
        T.copy(bits, m)
        T.tile.compare(m, a, 0.0, "GT")


# BEFORE: error: argument 'dst' of T.tile.compare: found {{.*}}'m' uint8[8]{{.*}}, expected a buffer that only T.tile.compare and T.tile.select use
