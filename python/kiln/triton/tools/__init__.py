# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.tools`."""

from __future__ import annotations

from . import tensor_descriptor

__all__ = ["tensor_descriptor"]
