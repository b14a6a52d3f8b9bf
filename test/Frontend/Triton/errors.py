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
