# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Benchmarks: `kiln bench SUITE [--json] [--case REGEX] [--quick]`.

One row per case with the figure, its rival, the ratio and the bound; every ratio comes from one
run, side by side. Benchmarks run from a checkout: kernels are those of examples/triton, the native
helpers are libkiln_bench.so of the build.
"""

from kiln.bench.command import main

__all__ = ["main"]
