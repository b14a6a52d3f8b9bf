# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.runtime.cache`: Kiln keeps its cache itself (`kiln cache`)."""

from __future__ import annotations

from ... import _native
from .. import _pending

FileCacheManager = _pending.function("triton.runtime.cache.FileCacheManager")
RemoteCacheManager = _pending.function("triton.runtime.cache.RemoteCacheManager")
get_cache_manager = _pending.function("triton.runtime.cache.get_cache_manager")


def triton_key() -> str:
    """Identifies the compiler: equal keys, equal code."""
    return f"kiln-{_native.compiler_build_id()}"
