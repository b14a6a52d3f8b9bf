# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Host code of published kernel files, on PyTorch's CPU tensors.

Such files ask for `device="npu"`, `.cuda()` or `torch.npu.synchronize()`. Their tensors are plain
CPU tensors here, whatever device the kernels run on.
"""

from __future__ import annotations

from collections.abc import Callable

from ._hook import Hook

_hook: Hook | None = None


def install(say: Callable[[str], None]) -> None:
    """From now on the devices "npu" and "cuda" of this process mean CPU tensors.

    Takes effect when the process imports torch, at once if it has; imports nothing itself. `say`
    gets one sentence, the first time a device is mapped. Calling it again has no effect.
    """
    global _hook
    if _hook is None:
        _hook = Hook(say)
        _hook.install()


def installed() -> bool:
    """Whether this process has called `install`."""
    return _hook is not None
