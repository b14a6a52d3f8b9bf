# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`pass_configs`: settings of passes.

The first group chooses what Kiln does. The others belong to passes that Kiln does not have: they
are accepted, so that published files run, and choose nothing.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class PassConfigKey(StrEnum):
    """The keys of `pass_configs`."""

    # Absent: automatic, unless the kernel itself places flags, or addresses.
    TL_ASCEND_AUTO_SYNC = "tl.ascend_auto_sync"
    TL_ASCEND_MEMORY_PLANNING = "tl.ascend_memory_planning"
    # Nothing to do in kernels without matrix operations.
    TL_ASCEND_AUTO_CV_COMBINE = "tl.ascend_auto_cv_combine"
    TL_ASCEND_AUTO_CV_SYNC = "tl.ascend_auto_cross_core_sync"

    TL_ASCEND_AUTO_SYNC_VS = "tl.ascend_auto_sync_vs"
    TL_ASCEND_TAIL_MASK = "tl.ascend_tail_mask"
    TL_ASCEND_PTO_USE_PIPE_IN_CV_COPY = "tl.ascend_pto_use_pipe_in_cv_copy"
    TL_ASCEND_EXCEPTION_DUMP = "tl.ascend_exception_dump"
    TL_SIMPLIFY = "tl.Simplify"
    TL_DYNAMIC_ALIGNMENT = "tl.dynamic_alignment"
    TL_DISABLE_DYNAMIC_TAIL_SPLIT = "tl.disable_dynamic_tail_split"
    TL_DISABLE_WARP_SPECIALIZED = "tl.disable_warp_specialized"
    TL_CONFIG_INDEX_BITWIDTH = "tl.config_index_bitwidth"
    TL_DISABLE_TMA_LOWER = "tl.disable_tma_lower"
    TL_DISABLE_SAFE_MEMORY_ACCESS = "tl.disable_safe_memory_legalize"
    TL_DISABLE_DATA_RACE_CHECK = "tl.disable_data_race_check"
    TL_DEBUG_MERGE_SHARED_MEMORY_ALLOCATIONS = "tl.debug_merge_shared_memory_allocations"
    TL_ENABLE_AUTO_SCHEDULE = "tl.enable_auto_schedule"
    TL_ENABLE_DUMP_IR = "tl.enable_dump_ir"
    TL_DUMP_IR_PATH = "tl.dump_ir_path"
    TIR_ENABLE_EQUIV_TERMS_IN_CSE = "tir.enable_equiv_terms_in_cse_tir"
    TIR_DISABLE_CSE = "tir.disable_cse_tir"
    TIR_SIMPLIFY = "tir.Simplify"
    TIR_DISABLE_STORAGE_REWRITE = "tir.disable_storage_rewrite"
    TIR_DISABLE_VECTORIZE = "tir.disable_vectorize"
    TIR_USE_ASYNC_COPY = "tir.use_async_copy"
    TIR_ENABLE_DEBUG = "tir.enable_debug"
    TIR_MERGE_STATIC_SMEM = "tir.merge_static_smem"
    TIR_ADD_LOWER_PASS = "tir.add_lower_pass"
    TIR_NOALIAS = "tir.noalias"
    CUDA_KERNELS_OUTPUT_DIR = "cuda.kernels_output_dir"


_KEYS = {key.value: key for key in PassConfigKey}
_SWITCHES = [
    PassConfigKey.TL_ASCEND_AUTO_SYNC,
    PassConfigKey.TL_ASCEND_MEMORY_PLANNING,
    PassConfigKey.TL_ASCEND_AUTO_CV_COMBINE,
    PassConfigKey.TL_ASCEND_AUTO_CV_SYNC,
]


def check(configs: Mapping[Any, Any] | None) -> dict[str, Any]:
    """The settings that choose something, by the text of their keys. ValueError for an unknown
    key, TypeError for a switch that is no bool."""
    chosen: dict[str, Any] = {}
    if configs is not None and not isinstance(configs, Mapping):
        raise TypeError(f"pass_configs: found {configs!r}, expected a dictionary")
    for key, value in (configs or {}).items():
        name = key.value if isinstance(key, PassConfigKey) else key
        known = _KEYS.get(name)
        if known is None:
            near = difflib.get_close_matches(str(name), _KEYS, 3) or [s.value for s in _SWITCHES]
            hint = ", ".join(map(repr, near))
            raise ValueError(f"pass_configs: found the key {name!r}, expected one such as {hint}")
        if known not in _SWITCHES:
            continue
        if value is None:
            continue
        if value not in (True, False):
            raise TypeError(f"pass_configs['{name}']: found {value!r}, expected True or False")
        chosen[known.value] = bool(value)
    return chosen
