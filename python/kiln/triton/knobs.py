# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.knobs`: settings that published files read. They have no effect on Kiln."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Group:
    """A group of settings; `scope()` restores them at its end."""

    def __init__(self, **values: Any) -> None:
        self._defaults = values
        self.__dict__.update(values)

    @property
    def knob_descriptors(self) -> dict[str, Any]:
        return dict(self._defaults)

    def copy(self) -> Group:
        group = Group(**self._defaults)
        group.__dict__.update(self.__dict__)
        return group

    def reset(self) -> Group:
        self.__dict__.update(self._defaults)
        return self

    @contextmanager
    def scope(self) -> Iterator[Group]:
        before = dict(self.__dict__)
        try:
            yield self
        finally:
            self.__dict__.clear()
            self.__dict__.update(before)


class HookChain:
    """Functions that would be called around launches and compilations."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def add(self, function: Any) -> None:
        if function not in self.calls:
            self.calls.append(function)

    def remove(self, function: Any) -> None:
        if function in self.calls:
            self.calls.remove(function)


build = Group(backend_dirs=set())
redis = Group(port=6379)
cache = Group(
    dir=None, home_dir=None, dump_dir=None, override_dir=None, manager_class=None,
    remote_manager_class=None,
)  # fmt: skip
compilation = Group(
    always_compile=False, dump_ir=False, disable_line_info=False, use_ir_loc=None,
    instrumentation_mode="", listener=None,
)  # fmt: skip
autotuning = Group(listener=None, print=False, cache=False)
runtime = Group(
    debug=False, interpret=False, override_arch=None, jit_cache_hook=None,
    jit_post_compile_hook=None, add_stages_inspection_hook=None, launch_enter_hook=HookChain(),
    launch_exit_hook=HookChain(), kernel_load_start_hook=HookChain(),
    kernel_load_end_hook=HookChain(), kernel_unload_hook=HookChain(),
)  # fmt: skip
language = Group(default_fp_fusion=True)
nvidia = Group(ptxas=None, nvdisasm=None, ptxas_options=None, mock_ptx_version=None)
amd = Group(use_buffer_ops=True, use_buffer_atomics=True, use_block_pingpong=False)
proton = Group(disable=False)
base_knobs = Group
