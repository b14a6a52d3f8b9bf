//===- Compile.h - compiling from Python ----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
#ifndef KILN_PYTHON_NATIVE_COMPILE_H
#define KILN_PYTHON_NATIVE_COMPILE_H

#include <nanobind/nanobind.h>

namespace kiln::python {

/// Adds KernelHandle, compile_request and the facts about compiler, cache and machine.
void bindCompile(nanobind::module_ &module);

} // namespace kiln::python

#endif // KILN_PYTHON_NATIVE_COMPILE_H
