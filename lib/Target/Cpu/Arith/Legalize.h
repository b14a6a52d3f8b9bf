//===- Legalize.h - arithmetic that the machine lacks ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_CPU_ARITH_LEGALIZE_H
#define KILN_LIB_TARGET_CPU_ARITH_LEGALIZE_H

#include "../Math/Num.h"

namespace kiln::cpu {

//===--- NarrowFloats.cpp ---===//

inline bool isNarrow(mlir::Type element) { return element.isF16() || element.isBF16(); }

/// Widens f16 or bf16 to f32, exactly.
Num widen(Num x);
/// Rounds f32 or f64 to `element` (f16, bf16, f32) once: to nearest even, or toward zero.
Num roundTo(Num x, mlir::FloatType element, bool towardZero = false);
/// Any integer as `element` (f16, bf16), rounded once.
Num integerToNarrow(Num x, bool isSigned, mlir::FloatType element);

//===--- Division.cpp ---===//

/// Integer quotient or remainder (arith.divsi, divui, remsi, remui) that never traps:
/// by zero the quotient is the dividend and the remainder 0; the least integer divided by -1 is
/// itself.
mlir::Value safeDivision(mlir::Operation *op);

//===--- Remainder.cpp ---===//

/// C's fmod, exact, of f32 or f64.
Num floatRemainder(Num x, Num y);

} // namespace kiln::cpu

#endif // KILN_LIB_TARGET_CPU_ARITH_LEGALIZE_H
