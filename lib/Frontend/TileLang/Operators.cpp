//===- Operators.cpp - what operators mean on runtime values ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// As Triton's, but that `//` and `%` of integers round down, as Python's do.
//
//===-----------------------------------------------------------------------------------------===//

#include "Hooks.h"

#include "kiln/Analysis/IntegerFacts.h"

namespace kiln::frontend::tilelang {

using namespace triton;
namespace arith = mlir::arith;

/// Quotient and remainder that round towards zero, corrected where signs differ and it does not
/// come out even.
static Value roundedDown(CallContext &context, bool isQuotient, const Value &a, const Value &b) {
  const Type &type = a.type();
  if (!isSigned(type.dtype()))
    return isQuotient ? elementwise<arith::DivUIOp>(context, type, a.ir(), b.ir())
                      : elementwise<arith::RemUIOp>(context, type, a.ir(), b.ir());
  Value remainder = elementwise<arith::RemSIOp>(context, type, a.ir(), b.ir());
  IntegerFacts facts;
  bool isPlain = facts.get(a.ir()).isNonNegative() && facts.get(b.ir()).isNonNegative();
  Value quotient =
      isQuotient ? elementwise<arith::DivSIOp>(context, type, a.ir(), b.ir()) : Value();
  if (isPlain)
    return isQuotient ? quotient : remainder;
  Value zero = Value::runtime(context.constant(type, Integer(0)), type);
  Type mask = type.withDType(DType::I1);
  auto compare = [&](arith::CmpIPredicate predicate, const Value &x) {
    return elementwise<arith::CmpIOp>(context, mask, predicate, x.ir(), zero.ir());
  };
  // The remainder has the sign of the dividend.
  Value differs =
      elementwise<arith::XOrIOp>(context, mask, compare(arith::CmpIPredicate::slt, remainder).ir(),
                                 compare(arith::CmpIPredicate::slt, b).ir());
  Value isOff = elementwise<arith::AndIOp>(
      context, mask, compare(arith::CmpIPredicate::ne, remainder).ir(), differs.ir());
  Value corrected = isQuotient ? elementwise<arith::SubIOp>(context, type, quotient.ir(),
                                                            context.constant(type, Integer(1)))
                               : elementwise<arith::AddIOp>(context, type, remainder.ir(), b.ir());
  return elementwise<arith::SelectOp>(context, type, isOff.ir(), corrected.ir(),
                                      (isQuotient ? quotient : remainder).ir());
}

Value binary(CallContext &context, BinaryOperator op, const Value &lhs, const Value &rhs) {
  if (op == BinaryOperator::Pow)
    return context.callLanguage("T.pow", {lhs, rhs});
  if (op != BinaryOperator::FloorDiv && op != BinaryOperator::Mod)
    return binaryOperator(context, op, lhs, rhs);
  Value values[] = {lhs, rhs};
  if (!promote(context, values))
    return Value::poison();
  if (values[0].type().isFloatLike())
    return context.error("operands of '" + context.callee() + "' are " + describe(lhs) + " and " +
                         describe(rhs) + ", expected integers");
  if (!expectResult(context, op, values[0].type(), rhs))
    return Value::poison();
  return roundedDown(context, op == BinaryOperator::FloorDiv, values[0], values[1]);
}

Value subscript(CallContext &context, const Value &object, llvm::ArrayRef<Value> indices) {
  if (object.asBuffer() || object.asRegion())
    return subscriptBuffer(context, object, indices);
  // `x[0]` of a variable is the variable.
  bool isFirst = indices.size() == 1 && indices[0].asInt() && indices[0].asInt()->isZero();
  if (object.isRuntime() && object.type().isScalar() && isFirst)
    return object;
  return triton::subscript(context, object, indices);
}

Value write(CallContext &context, const Value &object, llvm::ArrayRef<Value> indices,
            const Value &value) {
  if (!object.asBuffer() && !object.asRegion())
    return context.error("found an assignment to an item of " + describe(object) +
                         ", expected a buffer");
  if (!expectInKernel(context))
    return Value::poison();
  Value target = subscriptBuffer(context, object, indices);
  const RegionData *region = target.asRegion();
  if (!region || value.isPoison())
    return Value::poison();
  if (region->isElement())
    return stateOf(context).lanes ? writeInLanes(context, *region, value)
                                  : writeElement(context, *region, value);
  return context.error("found an assignment to " + describe(target) +
                       ", expected one element; T.copy and T.fill write regions");
}

Value read(CallContext &context, const RegionData &element) {
  return stateOf(context).lanes ? readInLanes(context, element) : readElement(context, element);
}

} // namespace kiln::frontend::tilelang
