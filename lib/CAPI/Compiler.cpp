//===- Compiler.cpp - C interface of the Kiln compiler ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln-c/Compiler.h"

uint32_t kilnCompilerApiVersion(void) { return KILN_COMPILER_API_VERSION; }
