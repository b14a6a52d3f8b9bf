# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.backends.driver`: base classes that published files derive from."""

from __future__ import annotations


class DriverBase:
    """A driver."""


class GPUDriver(DriverBase):
    """A driver of a GPU."""
