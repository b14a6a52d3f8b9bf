//===- Legalizer.h - what the rules of legalization share ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A rule looks at one op and gives the value that replaces its result, made of ops that are closer
// to what the unit has; the driver (Legalize.cpp) looks at those in turn. So a rule needs only one
// step: `x % y` of i8 becomes a remainder of i32 between two conversions, and rules for remainders
// of i32 and for conversions do the rest.
//
// Rules work on tensors and alike on the scalars of a combine region, which targets run on tensors.
// What is legal is asked of the machine.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_LEGALIZE_LEGALIZER_H
#define KILN_LIB_TARGET_NPU_LEGALIZE_LEGALIZER_H

#include "Num.h"

#include "machine/Machine.h"

#include "llvm/ADT/DenseSet.h"

namespace kiln::npu::legal {

/// The machine's name of an element type; `isUnsigned` picks between two integers. None for types
/// that it has no name for (f64, index).
std::optional<machine::Element> elementOf(mlir::Type type, bool isUnsigned = false);

class Legalizer {
public:
  Legalizer(const machine::Machine &machine, mlir::Operation *function);

  mlir::ImplicitLocOpBuilder &at(mlir::Operation *op) {
    b.setInsertionPoint(op);
    b.setLoc(op->getLoc());
    return b;
  }
  /// An operand for formulas; `at` first.
  Num num(mlir::Value value) { return {&b, value}; }

  /// The unit has this instruction on elements of this type.
  bool has(machine::Opcode opcode, mlir::Type type, bool isUnsigned = false) const;
  /// The conversion exists with this rounding.
  bool converts(mlir::Type from, bool fromUnsigned, mlir::Type to, bool toUnsigned,
                machine::Rounding rounding) const;

  /// Reports the first error of the function at an op.
  void refuse(mlir::Operation *op, const llvm::Twine &message);
  /// Reports, once per place, that the op runs one element after the other.
  void slowPath(mlir::Operation *op, const llvm::Twine &why);

  /// Elements of masks where they have to be numbers, 0 and 1: f16 where the function has elements
  /// of 16 bits or fewer already (rows are padded for the smallest elements), otherwise f32.
  mlir::FloatType maskElement;
  /// i64 values of tensors that fit i32 (IntegerFacts, before anything was rewritten).
  llvm::DenseSet<mlir::Value> narrow;
  /// Those that are not negative, too.
  llvm::DenseSet<mlir::Value> nonNegative;

  /// Conversions to i8 and i16 that are known to be in range; others cut what does not fit.
  llvm::DenseSet<mlir::Operation *> inRange;

  const machine::Machine &machine;
  mlir::ImplicitLocOpBuilder b;
  bool failed = false;

private:
  llvm::DenseSet<mlir::Location> reported;
};

/// The replacement of the op's only result; null where the op stays (or an error was reported).
using Rule = mlir::Value (*)(Legalizer &, mlir::Operation *);

struct RuleEntry {
  llvm::StringLiteral op;
  Rule rule;
};

// Each file of rules has a table of them.
llvm::ArrayRef<RuleEntry> floatRules();    // Floats.cpp
llvm::ArrayRef<RuleEntry> integerRules();  // Integers.cpp
llvm::ArrayRef<RuleEntry> divisionRules(); // Division.cpp
llvm::ArrayRef<RuleEntry> compareRules();  // Compare.cpp
llvm::ArrayRef<RuleEntry> castRules();     // Casts.cpp
llvm::ArrayRef<RuleEntry> mathRules();     // MathFunctions.cpp
llvm::ArrayRef<RuleEntry> shapeRules();    // Shapes.cpp
/// Of scalars outside combine regions, which the scalar unit runs (Scalars.cpp).
llvm::ArrayRef<RuleEntry> scalarRules();

/// A reduction whose elements the unit cannot compute in becomes one that it can (Reduce.cpp).
void legalizeReduce(Legalizer &legalizer, mlir::Operation *op);

//===--- Shared steps ---===//

inline bool isI1(mlir::Type type) { return mlir::getElementTypeOrSelf(type).isInteger(1); }

/// Casts.cpp. i8, i16 (or i1) as a wider integer; what was just narrowed from there is cut in
/// place.
Num signExtend(Num x, mlir::Type element);
Num zeroExtend(Num x, mlir::Type element);
/// As a wider integer whose high bits are whatever: for sums, products and bit operations.
Num anyExtend(Num x, mlir::Type element);
Num cut(Num x, mlir::Type element);
/// An integer or f16 that is known to fit i8 or i16 (and f16, if it is an integer): not cut.
Num inRange(Legalizer &legalizer, Num x, mlir::Type element);

/// The same op on operands and result of another element type, made at the legalizer's place.
/// Operands of type i1 stay.
mlir::Value rebuilt(Legalizer &legalizer, mlir::Operation *op, mlir::ValueRange operands,
                    mlir::Type element);

/// The float op in f32, rounded to its own type.
mlir::Value throughF32(Legalizer &legalizer, mlir::Operation *op);

/// i64 stays and is reported, or is narrowed where all operands and the result fit i32
/// (LongIntegers.cpp). Null either way where the op stays.
mlir::Value legalizeLong(Legalizer &legalizer, mlir::Operation *op);

/// Compare.cpp: a predicate that neither unit has, of those that they have; null if they have it.
Num composedComparison(mlir::arith::CmpFPredicate predicate, Num x, Num y);

/// Integers.cpp: the high half of the unsigned product.
Num highProduct(Num x, Num y);

/// Trig.cpp
Num sine(Num x);
Num cosine(Num x);
Num tangent(Num x);

/// FloatRemainder.cpp: C's fmod on f32, exact.
Num floatRemainder(Num x, Num y);

/// A mask as numbers of type legalizer.maskElement, and back.
Num maskToNumber(Legalizer &legalizer, Num mask);
Num numberToMask(Num number);

} // namespace kiln::npu::legal

#endif // KILN_LIB_TARGET_NPU_LEGALIZE_LEGALIZER_H
