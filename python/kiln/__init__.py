# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kiln: a compiler and runtime for tile kernels.

`import kiln.triton as triton; import kiln.language as tl` gives the kernel language. This module
holds devices, their memory, and errors. Importing it reads no environment, writes no file, starts
no process and loads no compiler.
"""

from __future__ import annotations

from . import language
from .aliases import install_aliases
from .device import (
    Device,
    DeviceInfo,
    configure_device,
    device,
    devices,
    launch_report,
    set_device,
    set_num_threads,
    simulation,
)
from .errors import (
    CompilationError,
    DeviceAssertionError,
    DeviceCheckError,
    KilnError,
    NotThereYetError,
    OutOfResources,
)
from .jit import JITFunction, jit
from .tensor import Tensor, array, empty, from_numpy, zeros

__version__ = "0.1.0"

__all__ = [
    "CompilationError", "Device", "DeviceAssertionError", "DeviceCheckError", "DeviceInfo",
    "JITFunction", "KilnError", "NotThereYetError", "OutOfResources", "Tensor", "array",
    "configure_device", "device", "devices", "empty", "from_numpy", "install_aliases", "jit",
    "language", "launch_report", "set_device", "set_num_threads", "simulation", "zeros",
]  # fmt: skip
