//===- Functions.h - expansions of math functions --------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Each takes and gives f32 or f64, a scalar or a vector of rank 1. docs/design/floating-point.md
// states the errors; infinities, NaN, denormals and signed zeros follow IEEE 754's recommended
// functions.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_CPU_MATH_FUNCTIONS_H
#define KILN_LIB_TARGET_CPU_MATH_FUNCTIONS_H

#include "Num.h"

namespace kiln::cpu {

// Exp.cpp
Num expandExp(Num x);
Num expandExp2(Num x);
Num expandExpm1(Num x);
Num expandTanh(Num x);
Num expandSinh(Num x);
Num expandCosh(Num x);
/// exp for arguments that need no clamping: |x| <= 80 (f32), 700 (f64), or NaN.
Num expInRange(Num x);

// Log.cpp
Num expandLog(Num x);
Num expandLog2(Num x);
Num expandLog10(Num x);
Num expandLog1p(Num x);

// Trig.cpp
Num expandSin(Num x);
Num expandCos(Num x);
Num expandTan(Num x);

// Erf.cpp
Num expandErf(Num x);

// Roots.cpp
Num expandRsqrt(Num x);

/// Makes the words of 2/pi that Trig.cpp reads known to the module, if `module` uses them.
void addTwoOverPi(mlir::Operation *module);

} // namespace kiln::cpu

#endif // KILN_LIB_TARGET_CPU_MATH_FUNCTIONS_H
