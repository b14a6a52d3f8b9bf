# Calls are inlined; locations keep the way through them.
# RUN: %kiln compile %s --kernel caller --sig '*f32,i32' --emit tile | FileCheck %s
import kiln.language as tl
import kiln.triton as triton

GLOBAL = tl.constexpr(3)


@triton.constexpr_function
def doubled(value):
    return 2 * value


@triton.jit
def weigh(*values, weight, bias=0.5):
    total = bias
    for i in tl.static_range(len(values)):
        total += values[i] * weight
    return total


@triton.jit
def apply(function, value):
    return function(value)


@triton.jit
def caller(o, n):
    square = lambda v, w=2.0: v * v * w
    rest = (tl.load(o + 1), tl.load(o + 2))
    result = weigh(tl.load(o), *rest, weight=4.0)
    tl.store(o, apply(square, result))
    tl.static_assert(doubled(GLOBAL) == 6, f"found {doubled(GLOBAL)}")
    picked = [i * 10 for i in range(4) if i % 2]
    tl.static_assert(picked == (10, 30) and picked[-1] == 30 and len(picked[:1]) == 1)
    tl.static_assert(f"{GLOBAL:03d}|{'a'!r}|{n}" == "003|'a'|int32")
    if (twice := n * 2) > 4:
        tl.store(o + 3, twice)


# CHECK-LABEL: func.func @caller(
# CHECK-COUNT-3: tile.ptr_load
# CHECK-COUNT-3: arith.mulf
# CHECK: tile.ptr_store
# CHECK: scf.if
# CHECK: tile.ptr_store
