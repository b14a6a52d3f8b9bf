# Names: undefined ones, ones of some ways only, language names; each with its place, several in one run.
# RUN: not %kiln compile %s --kernel names --sig '*f32,i32' --emit tile 2>&1 | FileCheck %s
import kiln.language as tl
import kiln.triton as triton

PLAIN = 42


@triton.jit
def callee(x):
    return x + missing


@triton.jit
def recursive(x):
    return recursive(x)


@triton.jit
def names(o, n):
    offset = n
    tl.store(o, ofset)
    tl.lod(o)
    tl.dot(o, o)
    tl.math.nothing_like_it(o)
    n.shap
    if n > 3:
        sometimes = 1.0
    tl.store(o, sometimes)
    tl.store(o, PLAIN)
    callee(n)
    recursive(n)
    for i in range(n):
        inside = i
    tl.store(o, inside)


# CHECK: errors-names.py:22:17: error: undefined name 'ofset'; did you mean 'offset'?
# CHECK-NEXT: tl.store(o, ofset)
# CHECK-NEXT: ^~~~~
# CHECK: error: unknown language name 'tl.lod'; did you mean tl.load
# CHECK: error: tl.dot is not there yet
# CHECK: error: unknown language name 'tl.math.nothing_like_it'
# CHECK: error: a scalar int32 has no attribute 'shap'; did you mean 'shape'?
# CHECK: error: 'sometimes' has no value on some ways to this point
# CHECK: note: it gets one only here
# CHECK: error: cannot access global variable PLAIN: found the int 42, expected a tl.constexpr
# CHECK: error: undefined name 'missing'
# CHECK: note: in the call of 'callee'
# CHECK: error: recursive call of 'recursive'
# CHECK: error: 'inside' has no value on some ways to this point
