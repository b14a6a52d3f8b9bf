# Functions of scalars: known at compile time where Python's are, Triton's operations otherwise.
# RUN: %kiln compile %s --kernel scalars --emit tile | FileCheck %s --check-prefix SCALAR
# RUN: %kiln compile %s --kernel constants --emit tile | FileCheck %s --check-prefix CONST
# RUN: not %kiln compile %s --kernel errors 2>&1 | FileCheck %s --check-prefix ERROR
import tilelang.language as T


@T.prim_func
def scalars(
    f: T.Tensor((16,), "float32"), h: T.Tensor((16,), "float16"), i: T.Tensor((16,), "int32")
):
    with T.Kernel(1, threads=1) as _:
        h[0] = T.exp(h[1])
        f[0] = T.if_then_else(i[0] > 0, f[1], 0.0)
        f[1] = T.clamp(f[2], -1.0, 1.0)
        f[2] = T.float32(i[1])
        f[3] = T.reinterpret("float32", i[2])
        f[4] = T.pow(f[5], 3.0)
        f[5] = T.round(f[6])
        i[3] = T.truncdiv(i[4], 3)
        i[5] = T.floordiv(i[6], 3)
        i[7] = T.max(i[8], 3)
        i[9] = T.cast(f[7], "int32")


# SCALAR-LABEL: func.func @scalars
# SCALAR:        %[[WIDE:.*]] = arith.extf {{.*}} : f16 to f32
# SCALAR:        %[[EXP:.*]] = math.exp %[[WIDE]] : f32
# SCALAR:        arith.truncf %[[EXP]] : f32 to f16
# SCALAR:        arith.select
# A NaN stays.
# SCALAR:        arith.maximumf
# SCALAR:        arith.minimumf
# SCALAR:        arith.sitofp
# SCALAR:        arith.bitcast {{.*}} : i32 to f32
# A small whole number, however it is written, is a product.
# SCALAR:        %[[X:.*]] = tile.ptr_load {{.*}} -> f32
# SCALAR:        %[[XX:.*]] = arith.mulf %[[X]], %[[X]]
# SCALAR:        arith.mulf %[[X]], %[[XX]]
# SCALAR:        math.round
# SCALAR:        arith.divsi
# SCALAR-NOT:    arith.select
# SCALAR:        arith.divsi
# Division rounds down.
# SCALAR:        arith.select
# SCALAR:        arith.maxsi
# SCALAR:        arith.fptosi


@T.prim_func
def constants(
    i: T.Tensor((16,), "int32"), table: T.Tensor((4, 5), "int32"), f: T.Tensor((2, 8), "float16")
):
    with T.Kernel(1, threads=1) as _:
        a = T.alloc_shared((T.ceildiv(7, 2), T.max(3, 5)), "int32")
        T.tile.fill(a, T.truncdiv(-7, 2) * 100 + T.floordiv(-7, 2))
        T.copy(a, table)
        b = T.alloc_shared((T.min(9, T.shift_left(1, 3)),), "float16")
        T.tile.fill(b, T.max_value("float16"))
        T.copy(b, f[0, :])
        T.tile.fill(b, -T.infinity("float16"))
        T.copy(b, f[1, :])
        i[0] = T.min_value("int32")
        i[1] = T.truncmod(-7, 2)
        i[2] = T.floormod(-7, 2)
        i[3] = T.abs(-5)
        i[4] = T.Select(True, 7, 8)


# CONST-LABEL: func.func @constants
# CONST-DAG:    arith.constant dense<-304> : tensor<4x5xi32>
# CONST-DAG:    arith.constant dense<6.550400e+04> : tensor<8xf16>
# CONST-DAG:    arith.constant dense<0xFC00> : tensor<8xf16>
# CONST-DAG:    arith.constant -2147483648 : i32
# CONST-DAG:    arith.constant -1 : i32
# CONST-DAG:    arith.constant 1 : i32
# CONST-DAG:    arith.constant 5 : i32
# CONST-DAG:    arith.constant 7 : i32


@T.prim_func
def errors(i: T.Tensor((16,), "int32"), f: T.Tensor((16,), "float16")):
    with T.Kernel(1, threads=1) as _:
        i[0] = T.exp(i[1])
        f[0] = T.cast(f[1], "float17")
        f[2] = T.infinity("int32")
        i[3] = T.bitwise_and(f[3], 1)
        f[4] = T.reinterpret(i[4], "float16")
        f[5] = T.expp(f[5])


# ERROR: error: argument 'x' of T.exp: found a scalar int32, expected a float
# ERROR: error: argument 'dtype' of T.cast: found the str 'float17', expected a dtype
# ERROR: error: argument 'dtype' of T.infinity: found int32, expected a float type
# ERROR: error: operands of '&' are
# ERROR: error: cannot bitcast a scalar int32 to fp16, expected a type of the same width
# ERROR: error: unknown language name 'T.expp'; did you mean {{.*}}T.exp
