# What is wrong with a call is said with its place, what was found and what was expected; all of it in one run.
# RUN: not %kiln compile %s --kernel creation --sig '*f32,i32' 2>&1 | FileCheck %s --check-prefix CREATION
# RUN: not %kiln compile %s --kernel shapes --sig '*f32' 2>&1 | FileCheck %s --check-prefix SHAPES
# RUN: not %kiln compile %s --kernel memory --sig '*f32,i32' 2>&1 | FileCheck %s --check-prefix MEMORY
# RUN: not %kiln compile %s --kernel operands --sig '*f32,*i32,*u32,*f16,*i8' 2>&1 | FileCheck %s --check-prefix OPERANDS
# RUN: not %kiln compile %s --kernel later --sig '*f32' 2>&1 | FileCheck %s --check-prefix LATER
import kiln.language as tl
import kiln.triton as triton


@triton.jit
def creation(x, n):
    tl.arange(0, n)
    tl.arange(8, 8)
    tl.arange(-4, 4)
    tl.arange(4, -4)
    tl.zeros((n,), tl.float32)
    tl.zeros((4, 0), tl.float32)
    tl.full((4,), 1.5, tl.int32)
    tl.full((4,), 300, tl.int8)
    tl.zeros((4,), 3)
    tl.program_id(3)
    tl.program_id(n)


@triton.jit
def shapes(x):
    a = tl.zeros((4, 6), tl.float32)
    b = tl.zeros((4,), tl.float32)
    a + b
    a.reshape(5, 5)
    tl.trans(b)
    tl.permute(a, (0, 0))
    tl.broadcast_to(b, (4, 2))
    tl.expand_dims(b, 3)
    b[:, :]
    b[0]
    tl.sum(a, 2)
    tl.sum(1.0)
    tl.squeeze(a, 0)


@triton.jit
def memory(x, n):
    offs = tl.arange(0, 64)
    tl.load(x + offs, tl.arange(0, 32) < n)
    tl.load(offs)
    tl.load(x, offs < n)
    tl.load(x + offs, other=0.0)
    tl.load(x + offs, cache_modifier=".xx")
    tl.store(x + offs, tl.zeros((32,), tl.float32))
    tl.store(x, offs)
    tl.load(x + offs, boundary_check=(0,))
    tl.load(x + offs, mask=x)
    x + 1.5
    x * 2


@triton.jit
def operands(x, i, u, h, b):
    f = tl.load(x)
    s = tl.load(i)
    t = tl.load(u)
    s // t
    s % t
    f // f
    f & 1
    s << 1.5
    tl.load(b) + 300
    t - (-1)
    f + "text"
    f + None
    tl.exp(tl.load(h))
    tl.sqrt(s)
    tl.fdiv(s, s)
    tl.umulhi(tl.load(b), 3)
    tl.maximum(f, 0.0, propagate_nan=True)
    f.to(tl.float64, fp_downcast_rounding="rtz")
    f.to(tl.int64, bitcast=True)
    f.to("f32")
    tl.reduce(tl.zeros((4,), tl.float32), 0, 3)
    tl.multiple_of(s, 3)
    tl.static_assert(1 == 2, "one is two")


@triton.jit
def later(x):
    tl.dot(x, x)
    tl.cumsum(x)
    tl.make_block_ptr(x, (4,), (1,), (0,), (4,), (0,))
    tl.laod(x)
    tl.load(x).too(tl.float32)
    tl.zeros((4,), tl.float8e5)


# CREATION:      errors.py:[[#]]:18: error: argument 'end' of tl.arange: found a scalar int32, expected an int known at compile time
# CREATION:      argument 'end' of tl.arange: found 8, expected more than start, 8
# CREATION:      argument 'end' of tl.arange: found -4, expected more than start, 4
# CREATION:      argument 'shape' of tl.zeros: found a scalar int32
# CREATION:      argument 'shape' of tl.zeros: found the extent 0
# CREATION:      found the float 1.5, expected a value of int32
# CREATION:      the int 300 is outside the range of int8
# CREATION:      argument 'dtype' of tl.zeros: found the int 3, expected a dtype
# CREATION:      argument 'axis' of tl.program_id: found 3, expected 0, 1 or 2
# CREATION:      argument 'axis' of tl.program_id: found a scalar int32

# SHAPES:        shapes [4, 6] and [4] differ in dimension 1: 6 and 4, expected equal sizes or 1
# SHAPES:        shape [5, 5] has 25 elements, expected the 24 of
# SHAPES:        argument 'input' of tl.trans: found a block fp32[4], expected at least 2 dimensions
# SHAPES:        dims is [0, 0], expected a permutation of the 2 dimensions
# SHAPES:        cannot broadcast a block fp32[4] to [4, 2]
# SHAPES:        argument 'axis' of tl.expand_dims: found 3, expected -2 to 1
# SHAPES:        index has 2 ':', expected at most the 1 of
# SHAPES:        index 0 is the int 0, expected ':' or None
# SHAPES:        argument 'axis' of tl.sum: found 2
# SHAPES:        argument 'input' of tl.sum: found a scalar fp32, expected a block of numbers
# SHAPES:        argument 'dim' of tl.squeeze: found a dimension of size 4, expected one of size 1

# MEMORY:        argument 'mask' of tl.load: found a block int1[32], expected the pointer's shape [64]
# MEMORY-NEXT:   tl.load(x + offs, tl.arange(0, 32) < n)
# MEMORY-NEXT:   ^~~~~~~~~~~~~~~~~~~~
# MEMORY:        argument 'pointer' of tl.load: found a block int32[64], expected a pointer
# MEMORY:        argument 'mask' of tl.load: found a block int1[64], expected a scalar, as the pointer is one
# MEMORY:        argument 'other' of tl.load: found the float 0.0, expected None, as there is no mask
# MEMORY:        argument 'cache_modifier' of tl.load: found '.xx', expected '' or one of
# MEMORY:        argument 'value' of tl.store: found a block fp32[32], expected the pointer's shape [64]
# MEMORY:        argument 'value' of tl.store: found a block fp32[64], expected a scalar
# MEMORY:        boundary_check needs a block pointer; those are not there yet
# MEMORY:        argument 'mask' of tl.load: found a scalar pointer<fp32>
# MEMORY:        offset of a pointer is the float 1.5, expected an integer
# MEMORY:        operands of '*' are a scalar pointer<fp32> and the int 2, expected a pointer and an integer

# OPERANDS:      operands of '//' are int32 and uint32, expected the same signedness
# OPERANDS:      operands of '%' are int32 and uint32, expected the same signedness
# OPERANDS:      operands of '//' are a scalar fp32 and a scalar fp32, expected integers
# OPERANDS:      operands of '&' are a scalar fp32 and the int 1, expected integers
# OPERANDS:      operands of '<<' are a scalar int32 and the float 1.5, expected integers
# OPERANDS:      the int 300 is outside the range of int8
# OPERANDS:      the int -1 is outside the range of uint32
# OPERANDS:      operand of '+' is the str 'text', expected a tensor or a number
# OPERANDS:      operand of '+' is None, expected a tensor or a number
# OPERANDS:      argument 'x' of tl.exp: found a scalar fp16, expected float32 or float64
# OPERANDS:      argument 'x' of tl.sqrt: found a scalar int32, expected float32 or float64
# OPERANDS:      operands of tl.fdiv are a scalar int32 and a scalar int32, expected at least one float
# OPERANDS:      argument 'x' of tl.umulhi: found a scalar int8, expected int32, int64, uint32 or uint64
# OPERANDS:      argument 'propagate_nan' of tl.maximum: found the bool True
# OPERANDS:      argument 'fp_downcast_rounding' of tl.cast: found a conversion of fp32 to fp64
# OPERANDS:      cannot bitcast a scalar fp32 to int64, expected a type of the same width
# OPERANDS:      argument 'dtype' of tl.cast: found the str 'f32', expected a dtype
# OPERANDS:      argument 'combine_fn' of tl.reduce: found the int 3, expected a function
# OPERANDS:      argument 'values' of tl.multiple_of: found 3, expected powers of two
# OPERANDS:      static assertion failed: one is two

# LATER:         tl.dot is not there yet
# LATER:         tl.cumsum is not there yet
# LATER:         tl.make_block_ptr is not there yet
# LATER:         unknown language name 'tl.laod'; did you mean tl.load?
# LATER:         a scalar fp32 has no attribute 'too'; did you mean 'to'?
# LATER:         the type float8e5 is not there yet
