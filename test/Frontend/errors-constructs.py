# Python that kernels cannot contain.
# RUN: not %kiln compile %s --kernel constructs --sig '*f32,i32' --emit tile 2>&1 | FileCheck %s
# RUN: not %kiln compile %s --kernel others --sig '*f32,i32' --emit tile 2>&1 \
# RUN:   | FileCheck %s --check-prefix=OTHERS
import kiln.language as tl
import kiln.triton as triton


@triton.jit
def constructs(o, n):
    try:
        pass
    finally:
        pass
    table = {1: 2}
    for i in range(n):
        break
    for i in range(n):
        return
    for i in (1, 2):
        pass
    for i in range(3):
        pass
    else:
        pass
    while True:
        n += 1
    del o
    import os
    first, *others = (1, 2, 3)
    o[0] = 1.0
    o.field = 1.0


# CHECK: errors-constructs.py:11:5: error: unsupported construct: found 'try'
# CHECK-NEXT: try:
# CHECK: error: unsupported construct: found a dictionary
# CHECK: error: unsupported construct: found 'break'
# CHECK: error: unsupported construct: found 'return' inside a loop
# CHECK: error: found a tuple of 2, expected range, tl.range or tl.static_range
# CHECK: error: unsupported construct: found 'else' on a loop
# CHECK: error: the condition is always true: found a loop without end
# CHECK: error: unsupported construct: found 'del'
# CHECK: error: unsupported construct: found 'import'
# CHECK: error: found a tuple of 3, expected a tuple of 2 to unpack
# CHECK: error: unsupported construct: found an assignment to an item
# CHECK: error: unsupported construct: found an assignment to an attribute


@triton.jit
def others(o, n):
    def inner():
        return 1

    with n:
        pass
    raise ValueError("no")
    n @ n
    f"{n:q}"
    tl.load(o, **{})
    generated = (i for i in range(3))
    lambda *args: args
    global_name = n.undefined_attribute
    return n


# OTHERS: error: unsupported construct: found a nested 'def'
# OTHERS: error: unsupported construct: found 'with'
# OTHERS: error: unsupported construct: found 'raise'
# OTHERS: error: '@' is not an operator of the language
# OTHERS: error: cannot format a scalar int32 as 'q'
# OTHERS: error: unsupported construct: found '**' in a call
# OTHERS: error: unsupported construct: found a generator expression
# OTHERS: error: unsupported construct: found a lambda with '*' parameters
# OTHERS: error: a scalar int32 has no attribute 'undefined_attribute'
# OTHERS: error: a kernel returns nothing: found a scalar int32
