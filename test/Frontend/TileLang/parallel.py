# T.Parallel: accesses become regions, conditions masks; a buffer that is only written whole becomes a value.
# RUN: %kiln compile %s --kernel elementwise --emit tile | FileCheck %s --check-prefix ELEM
# RUN: %kiln compile %s --kernel transposes --emit tile | FileCheck %s --check-prefix TRANS
# RUN: %kiln compile %s --kernel regions --emit tile | FileCheck %s --check-prefix REGION
# RUN: %kiln compile %s --kernel masks --emit tile | FileCheck %s --check-prefix MASK
# RUN: %kiln compile %s --kernel dynamic --emit tile | FileCheck %s --check-prefix DYN
# RUN: %kiln compile %s --kernel straight --emit tile | FileCheck %s --check-prefix GLOBAL
# RUN: %kiln compile %s --kernel nested --emit tile | FileCheck %s --check-prefix NEST
# RUN: %kiln compile %s --kernel steps --emit tile 2>&1 | FileCheck %s --check-prefix STEP
import tilelang.language as T

f32 = "float32"
N = T.symbolic("N")


@T.prim_func
def elementwise(A: T.Tensor((32, 64), "float16"), R: T.Tensor((64,), f32), C: T.Tensor((32, 64), f32)):
    with T.Kernel(1, threads=1) as bx:
        a = T.alloc_shared((32, 64), "float16")
        r = T.alloc_shared((64,), f32)
        s = T.alloc_shared((32, 1), f32)
        c = T.alloc_shared((32, 64), f32)
        T.copy(A, a)
        T.copy(R, r)
        for i in T.Parallel(32):
            s[i, 0] = 2.0 * i
        for i, j in T.Parallel(32, 64, coalesced_width=8, loop_layout=None):
            c[i, j] = a[i, j] * r[j] + s[i, 0]
        T.copy(c, C)


# ELEM-LABEL: func.func @elementwise
# ELEM-NOT:     tile.local
# ELEM:         %[[I:.*]] = tile.iota 0 : tensor<32xi32>
# ELEM:         %[[A:.*]] = tile.load {{.*}} -> tensor<32x64xf16>
# ELEM:         %[[R:.*]] = tile.load {{.*}} -> tensor<64xf32>
# ELEM:         %[[S:.*]] = arith.mulf {{.*}} : tensor<32xf32>
# ELEM:         %[[ROW:.*]] = linalg.broadcast ins(%[[R]] : {{.*}} dimensions = [0]
# ELEM:         %[[WIDE:.*]] = arith.extf %[[A]]
# ELEM:         %[[MUL:.*]] = arith.mulf %[[WIDE]], %[[ROW]]
# ELEM:         %[[COLUMN:.*]] = linalg.broadcast ins(%[[S]] : {{.*}} dimensions = [1]
# ELEM:         %[[SUM:.*]] = arith.addf %[[MUL]], %[[COLUMN]]
# ELEM:         tile.store %[[SUM]]
# ELEM-NOT:     tile.local


@T.prim_func
def transposes(A: T.Tensor((32, 64), f32), B: T.Tensor((64, 32), f32)):
    with T.Kernel(1, threads=1) as bx:
        a = T.alloc_shared((32, 64), f32)
        b = T.alloc_shared((64, 32), f32)
        T.copy(A, a)
        for i, j in T.Parallel(32, 64):
            b[j, i] = a[i, j]
        for i, j in T.Parallel(64, 32):
            b[i, j] += a[j, i]
        T.copy(b, B)


# A region's dimensions are axes in any order.
# TRANS-LABEL: func.func @transposes
# TRANS-NOT:     tile.local
# TRANS:         linalg.transpose {{.*}} permutation = [1, 0]
# TRANS:         arith.addf {{.*}} : tensor<64x32xf32>
# TRANS-NOT:     linalg.transpose
# TRANS:         tile.store


@T.prim_func
def regions(A: T.Tensor((4, 64), f32), B: T.Tensor((64,), f32), n: T.int32):
    with T.Kernel(1, threads=1) as bx:
        a = T.alloc_shared((4, 64), f32)
        b = T.alloc_shared((64,), f32)
        T.copy(A, a)
        for k in T.serial(4):
            for j in T.Parallel(32):
                b[j + 32] = a[k, 8 + j] * a[-1, 2]
        T.copy(b, B)


# A scalar plus a lane is a region; one element for all lanes is a scalar; -1 counts from the end.
# REGION-LABEL: func.func @regions
# REGION-DAG:     %[[TWO:.*]] = arith.constant 2 : index
# REGION-DAG:     %[[THREE:.*]] = arith.constant 3 : index
# REGION:         scf.for %[[K:.*]] =
# REGION:           %[[ROW:.*]] = arith.index_cast %[[K]] : i32 to index
# REGION:           tile.local_load {{.*}}[%[[ROW]], 8] : <4x64xf32> -> tensor<1x32xf32>
# REGION:           tile.local_get {{.*}}[%[[THREE]], %[[TWO]]]
# REGION:           tile.local_store {{.*}} [32] : tensor<32xf32>, <64xf32>


@T.prim_func
def masks(A: T.Tensor((64,), f32), B: T.Tensor((64,), f32), n: T.int32):
    with T.Kernel(1, threads=1) as bx:
        a = T.alloc_shared((64,), f32)
        T.copy(A, a)
        for i in T.Parallel(64):
            x = a[i]
            if x > 0:
                if i < n:
                    a[i] = 1.0
                    x = 3.0
                B[i] = x
            a[i] += x if x < 2 else 0.0
            if n > 3:
                a[i] *= 2.0
        T.copy(a, B)


# A write under conditions chooses between new and old; to global memory it is masked; a scalar condition stays a branch.
# MASK-LABEL: func.func @masks
# MASK:         %[[A:.*]] = tile.load {{.*}} -> tensor<64xf32>
# MASK:         %[[POSITIVE:.*]] = arith.cmpf ogt, %[[A]]
# MASK:         %[[BELOW:.*]] = arith.cmpi slt
# MASK:         %[[BOTH:.*]] = arith.andi %[[POSITIVE]], %[[BELOW]]
# MASK:         arith.select %[[BOTH]], {{.*}}, %[[A]]
# MASK:         %[[X:.*]] = arith.select %[[BELOW]], {{.*}}, %[[A]]
# MASK:         tile.store %[[X]], {{.*}} mask %[[POSITIVE]]
# MASK:         arith.select %[[POSITIVE]], %[[X]], %[[A]]
# MASK:         scf.if


@T.prim_func
def dynamic(A: T.Tensor((N,), f32), B: T.Tensor((N,), f32)):
    with T.Kernel(N, threads=1) as bx:
        a = T.alloc_shared((64,), f32)
        T.copy(A, a)
        for i in T.Parallel(N - bx):
            a[i] = 1.0
        T.copy(a, B)


# The buffer that the variable indexes bounds the lanes.
# DYN-LABEL: func.func @dynamic
# DYN:         %[[ON:.*]] = arith.cmpi slt, {{.*}} : tensor<64xi32>
# DYN:         arith.select %[[ON]]


@T.prim_func
def straight(A: T.Tensor((N, 48), f32), B: T.Tensor((N, 48), f32)):
    with T.Kernel(N, threads=1) as bx:
        for i, j in T.Parallel(16, 48):
            B[bx * 16 + i, j] = A[bx * 16 + i, j] + 1.0


# Global memory needs no buffer, and what lies outside the tensor is not touched.
# GLOBAL-LABEL: func.func @straight
# GLOBAL:         tile.view %arg0[{{.*}}] strides [48, 1] : <f32> -> <16x48xf32>
# GLOBAL:         tile.load {{.*}} valid
# GLOBAL:         tile.store {{.*}} valid


@T.prim_func
def nested(A: T.Tensor((32, 64), f32), B: T.Tensor((32, 64), f32)):
    with T.Kernel(1, threads=1) as bx:
        a = T.alloc_shared((32, 64), f32)
        s = T.alloc_shared((32,), f32)
        T.copy(A, a)
        for i in T.Parallel(32):
            s[i] = a[i, 0]
            for j in T.Parallel(64):
                a[i, j] = a[i, j] * s[i] + i
        T.copy(a, B)


# A loop inside another adds an axis; what the outer one has computed is the same along it.
# NEST-LABEL: func.func @nested
# NEST:         tile.local_load {{.*}}[0, 0] : <32x64xf32> -> tensor<32x1xf32>
# NEST:         tile.local_load {{.*}}[0, 0] : <32x64xf32> -> tensor<32x64xf32>
# NEST:         linalg.broadcast ins({{.*}} : tensor<32xf32>) outs({{.*}} : tensor<32x64xf32>) dimensions = [1]
# NEST:         tile.local_store {{.*}}[0, 0] : tensor<32x64xf32>, <32x64xf32>


@T.prim_func
def steps(A: T.Tensor((64,), f32), B: T.Tensor((64,), f32)):
    with T.Kernel(1, threads=1) as bx:
        a = T.alloc_shared((64,), f32)
        b = T.alloc_shared((32,), f32)
        T.copy(A, a)
        for i in T.Parallel(32):
            b[i] = a[2 * i]
            a[2 * i + 1] = b[i]
        T.copy(a, B)


# What is no region is moved one by one, which is said.
# STEP:       [[@LINE-6]]:20: remark: slow: elements of 'a' are accessed one by one, because index 0 goes in steps of 2
# STEP:       remark: slow
# STEP-LABEL: func.func @steps
# STEP:         scf.for %[[I:.*]] =
# STEP:           %[[AT:.*]] = arith.muli %[[I]]
# STEP:           %[[X:.*]] = tile.local_get {{.*}}[%[[AT]]]
# STEP:           tile.local_set %[[X]], {{.*}}[%[[I]]]
# STEP:         scf.for
# STEP:           tile.local_get
# STEP:           tile.local_set
