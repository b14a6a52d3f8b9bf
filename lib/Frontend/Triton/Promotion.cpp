//===- Promotion.cpp - the common type of operands -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Two runtime values (scalars count like blocks):
//   f64 > f32 > f16 > bf16 with bf16, and bf16 with an integer gives f32; a float wins over an
//   integer; of two integers the wider one, of equally wide ones the unsigned one.
// A number of Python's has a kind, bool < int < float. It takes the runtime value's type unless its
// kind is higher; then the lattice decides with its own type. So `f16 * 0.1` stays f16, `i32 * 0.1`
// is f32, `i8 + 300` is an error.
//
//===-----------------------------------------------------------------------------------------===//

#include "Semantics.h"

namespace kiln::frontend::triton {

using llvm::Twine;

bool isOperand(const Value &value) { return value.isRuntime() || value.isNumber(); }

DType widenedFloat(DType dtype) {
  return isFloat(dtype) && bitWidth(dtype) < 32 ? DType::F32 : dtype;
}

/// bool, int, float.
static int kindRank(DType dtype) { return isFloat(dtype) ? 2 : isBool(dtype) ? 0 : 1; }

static llvm::StringRef nameOf(DType dtype) { return info(dtype).languageName; }

std::optional<DType> commonDType(CallContext &context, DType a, DType b, bool division) {
  auto either = [&](DType dtype) { return a == dtype || b == dtype; };
  for (DType dtype : {DType::F64, DType::F32})
    if (either(dtype))
      return dtype;
  if (either(DType::F16))
    return division ? DType::F32 : DType::F16;
  if (either(DType::BF16))
    return a == b && !division ? DType::BF16 : DType::F32;
  if (isFloat(a) || isFloat(b)) {
    context.error("arithmetic on " + nameOf(isFloat(a) ? a : b) + " is not there yet");
    return std::nullopt;
  }
  if (division && isSigned(a) != isSigned(b)) {
    context.error("operands of '" + context.callee() + "' are " + nameOf(a) + " and " + nameOf(b) +
                  ", expected the same signedness");
    return std::nullopt;
  }
  if (isSigned(a) == isSigned(b))
    return bitWidth(a) > bitWidth(b) ? a : b;
  DType unsignedType = isSigned(a) ? b : a, signedType = isSigned(a) ? a : b;
  return bitWidth(unsignedType) >= bitWidth(signedType) ? unsignedType : signedType;
}

/// The dtype that operations on numbers alone would use: what `materialize` makes of them.
static std::optional<DType> naturalDType(CallContext &context, const Value &number) {
  Value value = context.materialize(number);
  if (value.isPoison())
    return std::nullopt;
  return value.type().dtype();
}

/// The type of a runtime value and a number.
static std::optional<DType> withNumber(CallContext &context, DType dtype, const Value &number,
                                       bool division) {
  int kind = number.asFloat() ? 2 : number.asInt() ? 1 : 0;
  if (kind <= kindRank(dtype))
    return division ? widenedFloat(dtype) : dtype;
  std::optional<DType> natural = naturalDType(context, number);
  return natural ? commonDType(context, dtype, *natural, division) : std::nullopt;
}

/// Folds `commonDType` over the operands that `take` picks.
template <typename Take, typename DTypeOf>
static bool foldDTypes(CallContext &context, llvm::ArrayRef<Value> operands, bool division,
                       Take take, DTypeOf dtypeOf, std::optional<DType> &result) {
  bool several = false;
  for (const Value &operand : operands) {
    if (!take(operand))
      continue;
    std::optional<DType> dtype = dtypeOf(operand);
    if (!dtype)
      return false;
    several |= result.has_value();
    result = result ? commonDType(context, *result, *dtype, division) : dtype;
    if (!result)
      return false;
  }
  if (result && !several && division)
    result = widenedFloat(*result);
  return true;
}

static bool checkOperands(CallContext &context, llvm::ArrayRef<Value> operands,
                          bool allowPointers) {
  for (const Value &operand : operands) {
    if (operand.isPoison())
      return false;
    if (!isOperand(operand)) {
      context.error("operand of '" + context.callee() + "' is " + describe(operand) +
                    ", expected a tensor or a number");
      return false;
    }
    if (operand.isRuntime() && operand.type().isPointer() && !allowPointers) {
      context.error("operand of '" + context.callee() + "' is " + describe(operand) +
                    ", expected no pointer");
      return false;
    }
  }
  return true;
}

bool promote(CallContext &context, llvm::MutableArrayRef<Value> operands, PromotionRules rules) {
  if (!checkOperands(context, operands, rules.allowPointers))
    return false;
  bool hasPointer = llvm::any_of(operands, [](const Value &operand) {
    return operand.isRuntime() && operand.type().isPointer();
  });
  std::optional<DType> common;
  if (!hasPointer) {
    auto isRuntime = [](const Value &value) { return value.isRuntime(); };
    auto isNumber = [](const Value &value) { return !value.isRuntime(); };
    if (!foldDTypes(
            context, operands, rules.division, isRuntime,
            [](const Value &value) { return std::optional(value.type().dtype()); }, common))
      return false;
    if (!common) {
      if (!foldDTypes(
              context, operands, rules.division, isNumber,
              [&](const Value &value) { return naturalDType(context, value); }, common))
        return false;
    } else {
      DType runtime = *common;
      for (const Value &operand : operands) {
        if (operand.isRuntime())
          continue;
        std::optional<DType> dtype = withNumber(context, runtime, operand, rules.division);
        if (dtype)
          dtype = dtype == common ? dtype : commonDType(context, *common, *dtype, rules.division);
        if (!dtype)
          return false;
        common = dtype;
      }
    }
  }
  for (Value &operand : operands) {
    if (operand.isRuntime())
      operand = hasPointer ? operand : castTo(context, operand, *common);
    else
      operand = hasPointer ? context.materialize(operand) : context.materializeAs(operand, *common);
    if (operand.isPoison())
      return false;
  }
  return broadcastTogether(context, operands);
}

} // namespace kiln::frontend::triton
