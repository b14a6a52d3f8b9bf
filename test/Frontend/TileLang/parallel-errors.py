# What T.Parallel cannot do is said where it stands, dependences with both places.
# RUN: not %kiln compile %s --kernel dependences 2>&1 | FileCheck %s --check-prefix DEPEND
# RUN: not %kiln compile %s --kernel shapes 2>&1 | FileCheck %s --check-prefix SHAPE
# RUN: not %kiln compile %s --kernel values 2>&1 | FileCheck %s --check-prefix VALUE
import tilelang.language as T

f32 = "float32"


@T.macro
def clipped(x):
    if x > 1:
        return 1.0
    return x


@T.prim_func
def dependences(A: T.Tensor((64,), f32), C: T.Tensor((64, 64), f32)):
    with T.Kernel(1, threads=1) as bx:
        a = T.alloc_shared((64,), f32)
        b = T.alloc_shared((64, 64), f32)
        s = T.alloc_shared((1,), f32)
        p = T.alloc_shared((64,), "int32")
        t = T.alloc_shared((64,), f32)
        for i in T.Parallel(63):
            a[i] = a[i + 1]
        for i in T.Parallel(64):
            s[0] += a[i]
        for i, j in T.Parallel(64, 64):
            a[i] = b[i, j]
        for i, j in T.Parallel(64, 64):
            b[i, j] = b[j, i]
        for i in T.Parallel(64):
            x = a[i]
            a[p[i]] = x
        total = T.alloc_var(f32, 0.0)
        for i in T.Parallel(64):
            total += a[i]
        for i in T.Parallel(63):
            A[i] = A[i + 1] * 2.0
        for i in T.Parallel(8):
            for k in T.serial(8):
                t[i + k] = 1.0


# DEPEND:      :26:13: error: a lane of T.Parallel writes an element of 'a' here that another lane may read, so the lanes cannot run in parallel; T.serial runs them in order
# DEPEND:      :26:20: note: the other access is here
# DEPEND:      :28:13: error: lanes of T.Parallel write the same element of 's', expected indices that tell every lane from the others; a reduction (T.reduce_sum, …) makes one value of many, T.serial runs in order
# DEPEND:      :30:13: error: lanes of T.Parallel write the same element of 'a'
# DEPEND:      :32:13: error: a lane of T.Parallel writes an element of 'b' here that another lane may read
# DEPEND:      :35:13: error: a lane of T.Parallel writes an element of 'a' here that another lane may read
# DEPEND:      :34:17: note: the other access is here
# DEPEND:      :38:13: error: 'total' would go from one lane to the next here, but lanes run in parallel
# DEPEND:      :36:9: note: it has its first value from here
# DEPEND:      :40:13: error: a lane of T.Parallel writes an element of 'A' here that another lane may read
# DEPEND:      :43:17: error: lanes of T.Parallel write the same element of 't'
# DEPEND-NOT:  error


@T.prim_func
def shapes(A: T.Tensor((64,), f32), n: T.int32):
    with T.Kernel(1, threads=1) as bx:
        a = T.alloc_shared((64,), f32)
        for i in T.Parallel(-1):
            a[i] = 1.0
        for i in T.Parallel(4, 4):
            a[i] = 1.0
        for i, j in T.Parallel(64):
            a[i] = 1.0
        for i, j in T.Parallel(2048, 2048):
            a[i] = 1.0
        for i in T.Parallel(1.5):
            a[i] = 1.0
        for i in T.Parallel(n):
            A[i] = 1.0
        for i, j, k, l in T.Parallel(2, 2, 2, 2):
            a[i] = 1.0
        for i in T.Parallel(4):
            a[i + 64] = 1.0
        for i in T.Parallel(4):
            a[i] = a[i - 4]
        for i in T.Parallel(4):
            a[i] = a[64]


# SHAPE:      :64:29: error: found -1 lanes, expected at least 0
# SHAPE:      :66:18: error: T.Parallel has 2 extents and gives as many indices: found 1 name
# SHAPE:      :68:21: error: T.Parallel has 1 extent and gives as many indices: found 2 names
# SHAPE:      :70:21: error: T.Parallel has [2048, 2048] lanes, expected at most 1048576
# SHAPE:      :72:29: error: found the float 1.5 as an extent, expected an integer
# SHAPE:      :74:18: error: extent 0 is a scalar int32, known at run time only, and no bound is found: expected T.min(bound, extent) or a buffer on chip that the loop's variable indexes
# SHAPE:      :76:27: error: found 4 extents, expected 1 to 3
# SHAPE:      :79:13: error: index 0 of 'a' is outside its 64 elements in every lane
# SHAPE:      :81:20: error: index 0 of 'a' is outside its 64 elements in every lane
# SHAPE:      :83:20: error: index 64 is outside dimension 0 of 'a', which has 64 elements
# SHAPE-NOT:  error


@T.prim_func
def values(A: T.Tensor((64,), f32), C: T.Tensor((64, 64), f32)):
    with T.Kernel(1, threads=1) as bx:
        a = T.alloc_shared((64,), f32)
        b = T.alloc_shared((64,), "int8")
        for i in T.Parallel(64):
            a[i] = "x"
        for i in T.Parallel(64):
            b[i] = 1000
        for i in T.Parallel(64):
            a[i] = b
        for i in T.Parallel(64):
            if i > 3:
                x = a
            else:
                x = b
        for i in T.Parallel(64):
            if i > 3:
                y = 1.0
            a[i] = y
        for i in T.Parallel(64):
            a[i, i] = 1.0
        for i in T.Parallel(64):
            T.copy(A, a)
        for i in T.Parallel(64):
            while a[i] > 0:
                a[i] = 1.0
        for i in T.Parallel(64):
            a[i] = clipped(a[i])


# VALUE:      error: found the str 'x', expected a value for an element of 'a' fp32[64]
# VALUE:      error: the int 1000 is outside the range of int8
# VALUE:      error: found the buffer 'b' int8[64], expected a value for an element of 'a' fp32[64]
# VALUE:      error: a name stands for the buffer 'a' fp32[64] in some lanes and for the buffer 'b' int8[64] in others after this condition, expected numbers
# VALUE:      error: 'y' has no value on some ways to this point
# VALUE:      error: found 2 indices for the buffer 'a' fp32[64], expected at most 1
# VALUE:      error: found T.copy in the body of T.Parallel, expected it outside: it works on regions, not lane by lane
# VALUE-NOT:  found T.copy
# VALUE:      error: found a block int1[64], expected a scalar condition
# VALUE:      :13:9: error: found 'return' under a condition that differs from lane to lane, expected it behind the condition
