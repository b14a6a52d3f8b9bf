//===- Roots.cpp - reciprocal square root ----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Root and quotient are instructions that round correctly; estimates with Newton steps save little
// and differ between machines.
//
//===-----------------------------------------------------------------------------------------===//

#include "Functions.h"

namespace kiln::cpu {

Num expandRsqrt(Num x) { return x.real(1) / squareRoot(x); }

} // namespace kiln::cpu
