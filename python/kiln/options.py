# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launch options: keywords of a launch that are no parameters of the kernel.

Options of other targets are accepted, so that published launches run, and have no effect on the
CPU: the table says which. An unknown option is an error that lists the known ones.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from .language._types import unwrap


class Option(NamedTuple):
    default: Any
    types: tuple[type, ...]
    effect: str  # on the CPU


_NO_EFFECT = "none"
_INT, _BOOL, _ANY = (int,), (bool,), (object,)

OPTIONS: dict[str, Option] = {
    "enable_fp_fusion": Option(True, _BOOL, "a * b + c may be one rounding"),
    "debug": Option(False, _BOOL, "device_assert checks"),
    "num_warps": Option(4, _INT, _NO_EFFECT),
    "num_stages": Option(3, _INT, _NO_EFFECT),
    "num_ctas": Option(1, _INT, _NO_EFFECT),
    "maxnreg": Option(None, (int, type(None)), _NO_EFFECT),
    "ptx_options": Option(None, _ANY, _NO_EFFECT),
    "ir_override": Option(None, (type(None),), _NO_EFFECT),
    "extern_libs": Option(None, _ANY, _NO_EFFECT),
    "launch_cooperative_grid": Option(False, _BOOL, _NO_EFFECT),
    "launch_pdl": Option(False, _BOOL, _NO_EFFECT),
    "sanitize_overflow": Option(False, _BOOL, _NO_EFFECT),
    "sched4reg": Option(False, _BOOL, _NO_EFFECT),
    "clc": Option(False, _BOOL, _NO_EFFECT),
    "fpsan_homomorphic_casts": Option(False, _BOOL, _NO_EFFECT),
    "min_shared_mem": Option(0, _INT, _NO_EFFECT),
    "stream": Option(None, _ANY, _NO_EFFECT),
    "multibuffer": Option(True, _BOOL, _NO_EFFECT),
    "inject_barrier_all": Option(False, _BOOL, _NO_EFFECT),
    "disable_auto_inject_block_sync": Option(False, _BOOL, _NO_EFFECT),
    "unit_flag": Option(False, _BOOL, _NO_EFFECT),
    "disable_auto_cv_work_space_manage": Option(False, _BOOL, _NO_EFFECT),
    "enable_auto_bind_sub_block": Option(True, _BOOL, _NO_EFFECT),
    "limit_auto_multi_buffer_only_for_local_buffer": Option(False, _BOOL, _NO_EFFECT),
    "set_workspace_multibuffer": Option(None, _ANY, _NO_EFFECT),
    "tile_mix_vector_loop": Option(None, _ANY, _NO_EFFECT),
    "tile_mix_cube_loop": Option(None, _ANY, _NO_EFFECT),
}

# Those that a request carries; the rest chooses no code on the CPU.
_IN_REQUEST = ("enable_fp_fusion", "debug", "num_warps", "num_stages")


def encode(options: dict[str, Any], function: str) -> str:
    """The options of a request (JSON). TypeError for unknown ones, ValueError for wrong values."""
    chosen = {name: OPTIONS[name].default for name in _IN_REQUEST}
    for name, value in options.items():
        option = OPTIONS.get(name)
        if option is None:
            known = ", ".join(["device", *OPTIONS])
            raise TypeError(
                f"{function}() got an unexpected argument '{name}': it is neither a parameter of "
                f"the kernel nor a launch option (known options: {known})"
            )
        value = unwrap(value)
        wrong = not isinstance(value, option.types) or (
            option.types is _INT and isinstance(value, bool)
        )
        if wrong:
            expected = " or ".join(t.__name__ for t in option.types)
            raise TypeError(f"launch option '{name}': found {value!r}, expected {expected}")
        if name in ("num_warps", "num_ctas") and (value < 1 or value & (value - 1)):
            raise ValueError(f"launch option '{name}': found {value}, expected a power of two")
        if name == "num_stages" and value < 0:
            raise ValueError(f"launch option '{name}': found {value}, expected no negative number")
        if name in chosen:
            chosen[name] = value
    return json.dumps(chosen)
