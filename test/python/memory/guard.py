"""Arrays that end, or begin, at a page without access: one stray byte ends the process."""

import ctypes
import mmap

import numpy as np

PAGE = mmap.PAGESIZE
_libc = ctypes.CDLL(None, use_errno=True)
_PROT_NONE = 0


def _protect(address, size):
    arguments = ctypes.c_void_p(address), ctypes.c_size_t(size), ctypes.c_int(_PROT_NONE)
    if _libc.mprotect(*arguments) != 0:
        raise OSError(ctypes.get_errno(), "mprotect failed")


class GuardedArray:
    """`array`: `size` elements that end right before an unmapped page, or begin right after one."""

    def __init__(self, size, dtype, at="end"):
        dtype = np.dtype(dtype)
        inner = -(-max(size * dtype.itemsize, 1) // PAGE) * PAGE
        self._map = mmap.mmap(-1, inner + 2 * PAGE)
        whole = np.frombuffer(self._map, np.uint8)
        begin = PAGE if at == "begin" else PAGE + inner - size * dtype.itemsize
        self.array = whole[begin : begin + size * dtype.itemsize].view(dtype)
        _protect(whole.ctypes.data, PAGE)
        _protect(whole.ctypes.data + PAGE + inner, PAGE)
