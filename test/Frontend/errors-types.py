# Types of names and values.
# RUN: not %kiln compile %s --kernel kinds --sig '*f32,i32' --emit tile 2>&1 | FileCheck %s
import kiln.language as tl
import kiln.triton as triton


@triton.jit
def wants_constexpr(x, SIZE: tl.constexpr):
    return x + SIZE


@triton.jit
def kinds(o, n):
    a = 1
    if n > 3:
        a = 2.5
    b = 3
    for i in range(n):
        b = b * 1.5
    c: tl.constexpr = n
    if tl.arange(0, 16) > 3:
        pass
    d = 1 if n > 3 else None
    wants_constexpr(n, n)
    wants_constexpr(n)
    1 // 0
    for i in tl.static_range(n):
        pass
    for i in range(0, 8, 0):
        pass
    for i in range(1.5):
        pass
    (1, 2)[2]
    (1, 2)[n]


# CHECK: error: 'a' is fp32 in one branch and int32 in the other; a name keeps its type
# CHECK: note: the other value comes from here
# CHECK-NEXT: a = 1
# CHECK: error: 'b' is int32 before the loop and fp32 after an iteration
# CHECK: note: its first value comes from here
# CHECK-NEXT: b = 3
# CHECK: error: 'c' is constexpr, but its value is not known at compile time: found a scalar int32
# CHECK: error: found a block int1[16], expected a scalar condition
# CHECK: error: the value is int32 in one branch and None in the other
# CHECK: error: call of 'wants_constexpr': parameter 'SIZE' is constexpr, found a scalar int32
# CHECK: error: call of 'wants_constexpr': argument 'SIZE' is missing
# CHECK: error: division by zero
# CHECK: error: found a scalar int32 as a bound of tl.static_range
# CHECK: error: the step of a range must not be zero
# CHECK: error: found the float 1.5 as a bound of range
# CHECK: error: index 2 is outside a tuple of 2
# CHECK: error: found the index a scalar int32, expected an int known at compile time
