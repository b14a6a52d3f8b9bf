//===- Semantics.h - what Triton's operations share ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Lowerings are written with these functions. All of them take runtime values (scalars or blocks)
// and give poison back after an error they have reported; poison going in comes out silently.
//
// * Shape.cpp      splat, broadcast, reshape, transpose: the only forms that blocks are moved in
// * Promotion.cpp  the common type of two or three operands
// * Casts.cpp      conversions between any two element types
// * Operators.cpp  what `+`, `<`, `-x`, `x[…]` mean
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_TRITON_SEMANTICS_H
#define KILN_LIB_FRONTEND_TRITON_SEMANTICS_H

#include "kiln/Frontend/Vocabulary.h"

namespace kiln::frontend::triton {

using Shape = Type::Shape;
using ShapeRef = llvm::ArrayRef<int64_t>;

//===----------------------------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------------------------===//

/// A scalar in every lane; an empty shape leaves it a scalar.
Value splat(CallContext &context, const Value &scalar, ShapeRef shape);
/// A block (or scalar) stretched along its dimensions of size 1; the ranks must agree.
Value broadcastTo(CallContext &context, const Value &value, ShapeRef shape);
/// Inserts a dimension of size 1 at `axis`, 0 to rank.
Value insertUnitDim(CallContext &context, const Value &value, int64_t axis);
/// The same elements in row-major order; the caller has compared the sizes.
Value reshapeTo(CallContext &context, const Value &value, ShapeRef shape);
/// Dimension i of the result is dimension `permutation[i]` of the block.
Value permuteDims(CallContext &context, const Value &value, ShapeRef permutation);
/// Gives all values one shape: scalars are splat, lower ranks get leading dimensions of size 1,
/// dimensions of size 1 are stretched. False after an error.
bool broadcastTogether(CallContext &context, llvm::MutableArrayRef<Value> values);

//===----------------------------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------------------------===//

/// An operand: a runtime value, or a number of Python's. Anything else is an error.
bool isOperand(const Value &value);

struct PromotionRules {
  /// Float types below 32 bits compute in f32; integers must agree in signedness.
  bool division = false;
  /// Pointers pass unchanged (they must then agree with nothing).
  bool allowPointers = false;
};

/// The operands in their common type and shape; false after an error. Two runtime values follow the
/// dtype lattice; a number takes the other operand's type unless its kind (bool, int, float) is
/// higher. Of three operands the runtime values are promoted together, then the numbers.
bool promote(CallContext &context, llvm::MutableArrayRef<Value> operands,
             PromotionRules rules = {});

/// The common type of two runtime values' dtypes; nothing after an error.
std::optional<DType> commonDType(CallContext &context, DType a, DType b, bool division);

/// Conversion to another dtype: value-preserving where it can be, else rounding to nearest even
/// (floats) or dropping high bits (integers); bool is `!= 0`. Pointers go to integers only.
Value castTo(CallContext &context, const Value &value, DType to);
/// `!= 0` in every lane.
Value toBool(CallContext &context, const Value &value);
/// f16 and bf16 in f32, everything else unchanged.
DType widenedFloat(DType dtype);

//===----------------------------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------------------------===//

Value binaryOperator(CallContext &context, BinaryOperator op, const Value &lhs, const Value &rhs);
/// Whether integers of a type have a result with this right operand; false, after an error, for a
/// constant that divides by zero or shifts by more than there are bits.
bool expectResult(CallContext &context, BinaryOperator op, const Type &type, const Value &rhs);
Value compareOperator(CallContext &context, CompareOperator op, const Value &lhs, const Value &rhs);
Value unaryOperator(CallContext &context, UnaryOperator op, const Value &operand);
Value subscript(CallContext &context, const Value &object, llvm::ArrayRef<Value> indices);
/// The scalar as an i1; blocks are an error.
Value condition(CallContext &context, const Value &operand);
/// `condition ? x : y` lane by lane, promoted and broadcast.
Value select(CallContext &context, const Value &mask, const Value &x, const Value &y);
/// The larger or smaller of two values of one type. Without `nan` a NaN loses against a number.
Value extremum(CallContext &context, bool isMax, bool nan, const Value &a, const Value &b);
/// A pointer moved by an integer, scalars and blocks mixed.
Value addPointer(CallContext &context, const Value &pointer, const Value &offset);

//===----------------------------------------------------------------------------------------===//
// Small helpers
//===----------------------------------------------------------------------------------------===//

/// A runtime value made by a binary or unary op on values of one type.
template <typename Op, typename... Args>
Value elementwise(CallContext &context, const Type &type, Args... operands) {
  return Value::runtime(context.fold<Op>(operands...), type);
}

/// 0, 1, … n-1 as int32[n].
Value iota(CallContext &context, int64_t start, int64_t size);
/// iota along `axis` of `shape`, broadcast to all of it.
Value indicesAlong(CallContext &context, ShapeRef shape, int64_t axis);

using DTypes = llvm::ArrayRef<DType>;
/// Reports `argument 'name' of tl.callee: found …, expected …` at the argument; returns poison.
Value wrongArgument(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                    const llvm::Twine &found, const llvm::Twine &expected);
Value wrongArgument(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                    const Value &found, const llvm::Twine &expected);
/// True if the value's element is one of `dtypes`; else reports found and expected.
bool expectDType(CallContext &context, const Value &value, llvm::StringRef name, DTypes dtypes);

} // namespace kiln::frontend::triton

#endif // KILN_LIB_FRONTEND_TRITON_SEMANTICS_H
