# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Say version, LLVM and devices."""

from __future__ import annotations

import ctypes
import json

import kiln
from kiln import _native


def llvm_version() -> str:
    """Of the compiler library, which is loaded to ask; else "none" and why."""
    try:
        function = ctypes.CDLL(_native.compiler_path()).kilnCompilerVersion
    except (OSError, AttributeError) as error:
        return f"none ({error})"
    function.restype = ctypes.c_char_p
    return json.loads(function())["llvm"]


def execute() -> int:
    print(f"kiln {kiln.__version__}")
    print(f"LLVM {llvm_version()}")
    for device in kiln.devices():
        threads = f"{device.threads} thread{'' if device.threads == 1 else 's'}"
        print(f"device {device.name}: {device.description}, {threads}")
    return 0
