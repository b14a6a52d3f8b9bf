"""A module that captured kernels refer to."""

import kiln.triton as triton

LIMIT = 7


@triton.jit
def twice(x):
    return x + x
