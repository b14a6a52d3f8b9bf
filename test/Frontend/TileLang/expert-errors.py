# What no instruction does is said at the call: what was found, what was expected; all of it in one run.
# RUN: not %kiln compile %s --kernel flags --device ascend910b 2>&1 | FileCheck %s --check-prefix FLAGS
# RUN: not %kiln compile %s --kernel addresses --device ascend910b 2>&1 | FileCheck %s --check-prefix ADDRESSES
# RUN: not %kiln compile %s --kernel copies --device ascend910b 2>&1 | FileCheck %s --check-prefix COPIES
# RUN: not %kiln compile %s --kernel fill_flag --device ascend910b 2>&1 | FileCheck %s --check-prefix FILL
# RUN: not %kiln compile %s --kernel own_flag --device ascend910b 2>&1 | FileCheck %s --check-prefix OWN
import tilelang
import tilelang.language as T


@T.prim_func
def flags(x: T.Tensor((64,), "float32"), n: T.float32):
    with T.Kernel(1) as block:
        T.set_flag("mte2", "v", 8)
        T.set_flag("mte2", "v", -1)
        T.set_flag("mte2", "v", n)
        T.set_flag("mte2", "mte2", 0)
        T.set_flag("mte4", "v", 0)
        T.wait_flag("m", "fix", 0)
        T.wait_flag(2, "v", 0)
        T.pipe_barrier("mte1")
        T.pipe_barrier("w")
        with T.Scope("C"):
            pass
        with T.Scope("AIV"):
            pass
        T.set_cross_flag("MTE3", 0)
        T.wait_cross_flag(0)
        T.sync_all()


# FLAGS: [[@LINE-18]]:33: error: argument 'event_id' of T.set_flag: found 8, expected a flag id from 0 to 7
# FLAGS: [[@LINE-18]]:33: error: argument 'event_id' of T.set_flag: found -1, expected a flag id from 0 to 7
# FLAGS: [[@LINE-18]]:33: error: argument 'event_id' of T.set_flag: found {{.*}}, expected an integer: the id of the flag
# FLAGS: [[@LINE-18]]:28: error: argument 'dst' of T.set_flag: found 'mte2' for both pipes, expected two different
# FLAGS: [[@LINE-18]]:20: error: argument 'src' of T.set_flag: found 'mte4', expected 'mte2', 'v', 'mte3' or 's'
# FLAGS: [[@LINE-18]]:21: error: argument 'src' of T.wait_flag: found 'm', a pipe of the matrix core, which is not
# FLAGS: [[@LINE-19]]:26: error: argument 'dst' of T.wait_flag: found 'fix', a pipe of the matrix core
# FLAGS: [[@LINE-19]]:21: error: argument 'src' of T.wait_flag: found the int 2, expected
# FLAGS: [[@LINE-19]]:24: error: argument 'pipe' of T.pipe_barrier: found 'mte1', a pipe of the matrix core
# FLAGS: [[@LINE-19]]:24: error: argument 'pipe' of T.pipe_barrier: found 'w', expected
# FLAGS: [[@LINE-19]]:22: error: T.Scope("C") is not there yet: it is code of the matrix core
# FLAGS: [[@LINE-18]]:22: error: argument 'name' of T.Scope: found 'AIV', expected 'V' or 'C'
# FLAGS: [[@LINE-17]]:9: error: {{.*}}T.set_cross_flag{{.*}} not there yet
# FLAGS: [[@LINE-17]]:9: error: {{.*}}T.wait_cross_flag{{.*}} not there yet
# FLAGS: [[@LINE-17]]:9: error: {{.*}}T.sync_all{{.*}} not there yet


@T.prim_func
def addresses(x: T.Tensor((64,), "float32")):
    with T.Kernel(1) as block:
        a = T.alloc_ub((64,), "float32")
        b = T.alloc_ub((64,), "float32")
        T.annotate_address({a: 48, b: -32})
        T.annotate_address({a: 196352 - 224})
        T.annotate_address({a: 1.5, x: 0})
        T.annotate_address({a: 0, b: 0})
        T.annotate_address({a: 64})
        T.annotate_address(7)


# ADDRESSES: [[@LINE-8]]:28: error: argument 'addresses' of T.annotate_address: found address 48 for 'a', expected a
# ADDRESSES: [[@LINE-9]]:28: error: {{.*}}found address -32 for 'b', expected a multiple of 32
# ADDRESSES: [[@LINE-9]]:28: error: {{.*}}found 'a' from byte 196128 to 196384, expected at most 196352, the size of ub
# ADDRESSES: [[@LINE-9]]:28: error: {{.*}}found the float 1.5 for 'a', expected an address in bytes
# ADDRESSES: [[@LINE-10]]:28: error: {{.*}}, expected a buffer on chip as key
# ADDRESSES: [[@LINE-9]]:28: error: {{.*}}found address 64 for 'a', which already lies at 0, expected each buffer once
# ADDRESSES: [[@LINE-9]]:28: error: {{.*}}found the int 7, expected a dictionary of buffers and addresses


@T.prim_func
def copies(x: T.Tensor((64, 100), "float32"), h: T.Tensor((64, 100), "float16"), n: T.int32):
    with T.Kernel(1) as block:
        a = T.alloc_ub((64, 40), "float32")
        b = T.alloc_ub((64, 36), "float32")
        c = T.alloc_ub((8, 10), "float32")
        d = T.alloc_ub((64, 40), "int16")
        T.barrier_all()
        T.copy(x[0, 0], h[0, 0])
        T.copy(h[:, 0:40], a)
        T.copy(x[:, 0:36], a)
        T.copy(x[0:8, 0:10], c)
        T.copy(x[0:8, 0:8], c[:, 1:9])
        T.copy(x[0, 0:8], a[0, 2:10])
        T.copy(a[:, 0:36], b[:, 0:35])
        T.copy(b[:, 0:8], a[:, 4:12])
        T.copy(d, a, pad_value=1)
        T.copy(d, c)
        T.copy(a, x[0, 0], enable_relu=True)
        T.copy(x[0, 0:n], a[0, 0:n])


# COPIES: [[@LINE-14]]:9: error: found a copy from {{.*}} to {{.*}}, expected at least one side on chip
# COPIES: [[@LINE-14]]:9: error: the element types of the two sides differ: found
# COPIES: [[@LINE-14]]:9: error: the shapes of the two sides differ: found
# COPIES: [[@LINE-14]]:30: error: argument 'dst' of T.copy: found rows every 40 bytes, expected a multiple of 32
# COPIES: [[@LINE-14]]:29: error: argument 'dst' of T.copy: found a region that starts at byte 4 of its buffer,
# COPIES: [[@LINE-14]]:27: error: argument 'dst' of T.copy: found a region that starts at byte 8 of its buffer,
# COPIES: [[@LINE-14]]:16: error: argument 'src' of T.copy: found fp32[64, 36], expected fp32[64, 35], as 'dst' has
# COPIES: [[@LINE-14]]:27: error: argument 'dst' of T.copy: found a region that starts at byte 16 of its buffer,
# COPIES: [[@LINE-14]]:32: error: found a pad value, expected none
# COPIES: [[@LINE-14]]:16: error: argument 'src' of T.copy: found int16[64, 40], expected fp32[8, 10]
# COPIES: [[@LINE-14]]:40: error: argument 'enable_relu' of T.copy is not there yet
# COPIES: [[@LINE-14]]:9: error: {{.*}}expected extents that are known at compile time


@T.prim_func
def fill_flag(x: T.Tensor((100,), "float32")):
    with T.Kernel(2) as block:
        a = T.alloc_ub((64,), "float32")
        T.copy(x[block * 64], a)
        T.set_flag("mte2", "v", 7)


# FILL: [[@LINE-3]]:9: error: id 7 of the flags between mte2 and v is that of copies that fill what is outside


@T.prim_func
def own_flag(x: T.Tensor((100,), "float32")):
    with T.Kernel(2) as block:
        a = T.alloc_ub((64,), "float32")
        T.set_flag("v", "mte2", 7)
        T.wait_flag("v", "mte2", 7)
        T.copy(x[block * 64], a)


# OWN: [[@LINE-3]]:9: error: this copy fills what is outside the tensor, for which it uses id 7 of the flags between

