# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels under test: the modules of examples/, whose `import triton`, `tilelang` is Kiln."""

import importlib.util
from functools import cache
from types import ModuleType

import kiln
from kiln.bench.native import CHECKOUT, BenchmarkError


@cache
def example(name: str, language: str = "triton") -> ModuleType:
    path = CHECKOUT / "examples" / language / f"{name}.py"
    if not path.exists():
        raise BenchmarkError(f"found no {path}: benchmarks run from a checkout")
    kiln.install_aliases()
    spec = importlib.util.spec_from_file_location(f"kiln_example_{language}_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
