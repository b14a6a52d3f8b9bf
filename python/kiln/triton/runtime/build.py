# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.runtime.build`: not there yet."""

from __future__ import annotations

from .. import _pending

compile_module_from_src = _pending.function("triton.runtime.build.compile_module_from_src")
