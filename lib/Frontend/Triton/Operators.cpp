//===- Operators.cpp - operators on runtime values -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Integer `//` and `%` truncate towards zero, `/` on integers is a float32 division, shifts right
// follow the left operand's signedness. A pointer plus an integer is a pointer.
//
//===-----------------------------------------------------------------------------------------===//

#include "Semantics.h"
#include "Tables.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

namespace kiln::frontend::triton {

using llvm::Twine;
namespace arith = mlir::arith;

using Make = mlir::Value (*)(CallContext &, mlir::Value, mlir::Value);
template <typename Op> static mlir::Value make(CallContext &context, mlir::Value a, mlir::Value b) {
  return context.fold<Op>(a, b);
}

//===----------------------------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------------------------===//

namespace {
/// How an operator is written for each kind of element; null where it has none.
struct Arithmetic {
  BinaryOperator op;
  bool isDivision;
  Make onFloat, onSigned, onUnsigned;
};
} // namespace

static constexpr Arithmetic kArithmetic[] = {
    {BinaryOperator::Add, false, make<arith::AddFOp>, make<arith::AddIOp>, make<arith::AddIOp>},
    {BinaryOperator::Sub, false, make<arith::SubFOp>, make<arith::SubIOp>, make<arith::SubIOp>},
    {BinaryOperator::Mul, false, make<arith::MulFOp>, make<arith::MulIOp>, make<arith::MulIOp>},
    {BinaryOperator::Div, true, make<arith::DivFOp>, nullptr, nullptr},
    {BinaryOperator::FloorDiv, true, nullptr, make<arith::DivSIOp>, make<arith::DivUIOp>},
    {BinaryOperator::Mod, true, make<arith::RemFOp>, make<arith::RemSIOp>, make<arith::RemUIOp>},
    {BinaryOperator::And, false, nullptr, make<arith::AndIOp>, make<arith::AndIOp>},
    {BinaryOperator::Or, false, nullptr, make<arith::OrIOp>, make<arith::OrIOp>},
    {BinaryOperator::Xor, false, nullptr, make<arith::XOrIOp>, make<arith::XOrIOp>},
    {BinaryOperator::Shl, false, nullptr, make<arith::ShLIOp>, make<arith::ShLIOp>},
    {BinaryOperator::Shr, false, nullptr, make<arith::ShRSIOp>, make<arith::ShRUIOp>},
};

static const Arithmetic *findArithmetic(BinaryOperator op) {
  for (const Arithmetic &row : kArithmetic)
    if (row.op == op)
      return &row;
  return nullptr;
}

static bool isPointer(const Value &value) { return value.isRuntime() && value.type().isPointer(); }

Value addPointer(CallContext &context, const Value &pointer, const Value &offset) {
  Value values[] = {pointer, context.materialize(offset)};
  if (values[1].isPoison())
    return values[1];
  if (!values[1].type().isIntegerLike())
    return context.error("offset of a pointer is " + describe(offset) + ", expected an integer");
  // The IR's offsets are signed: unsigned ones widen, u64 is taken as it is.
  DType dtype = values[1].type().dtype();
  if (!isSigned(dtype) && bitWidth(dtype) < 64)
    values[1] = castTo(context, values[1], bitWidth(dtype) < 32 ? DType::I32 : DType::I64);
  if (!broadcastTogether(context, values))
    return Value::poison();
  return elementwise<tile::AddPtrOp>(context, values[0].type(),
                                     values[0].type().mlir(context.mlirContext()), values[0].ir(),
                                     values[1].ir());
}

/// Pointer ± integer; nothing if no operand is a pointer.
static std::optional<Value> pointerArithmetic(CallContext &context, BinaryOperator op,
                                              const Value &lhs, const Value &rhs) {
  if (!isPointer(lhs) && !isPointer(rhs))
    return std::nullopt;
  if (op == BinaryOperator::Add && isPointer(lhs) != isPointer(rhs))
    return isPointer(lhs) ? addPointer(context, lhs, rhs) : addPointer(context, rhs, lhs);
  if (op == BinaryOperator::Sub && !isPointer(rhs)) {
    Value offset = context.materialize(rhs);
    if (offset.isPoison() || !offset.type().isIntegerLike())
      return addPointer(context, lhs, rhs);
    if (bitWidth(offset.type().dtype()) < 32 || !isSigned(offset.type().dtype()))
      offset =
          castTo(context, offset, bitWidth(offset.type().dtype()) < 32 ? DType::I32 : DType::I64);
    return addPointer(context, lhs, unaryOperator(context, UnaryOperator::Minus, offset));
  }
  return context.error("operands of '" + context.callee() + "' are " + describe(lhs) + " and " +
                       describe(rhs) + ", expected a pointer and an integer");
}

static Value logical(CallContext &context, BinaryOperator op, const Value &lhs, const Value &rhs) {
  Value values[] = {context.materialize(lhs), context.materialize(rhs)};
  for (Value &value : values)
    value = toBool(context, value);
  if (!broadcastTogether(context, values))
    return Value::poison();
  Make create = op == BinaryOperator::LogicalAnd ? make<arith::AndIOp> : make<arith::OrIOp>;
  return Value::runtime(create(context, values[0].ir(), values[1].ir()), values[0].type());
}

bool expectResult(CallContext &context, BinaryOperator op, const Type &type, const Value &rhs) {
  const Integer *known = rhs.asInt();
  if (!known || !type.isIntegerLike())
    return true;
  bool isDivision = op == BinaryOperator::FloorDiv || op == BinaryOperator::Mod;
  if (isDivision && known->isZero()) {
    context.error("division by zero");
    return false;
  }
  bool isShift = op == BinaryOperator::Shl || op == BinaryOperator::Shr;
  int64_t last = bitWidth(type.dtype()) - 1;
  if (isShift && (known->isNegative() || known->asInt64().value_or(INT64_MAX) > last)) {
    context.error("found a shift by " + known->str() + " bits, expected 0 to " + Twine(last) +
                  " for " + info(type.dtype()).languageName);
    return false;
  }
  return true;
}

Value binaryOperator(CallContext &context, BinaryOperator op, const Value &lhs, const Value &rhs) {
  if (lhs.isPoison() || rhs.isPoison())
    return Value::poison();
  if (op == BinaryOperator::LogicalAnd || op == BinaryOperator::LogicalOr)
    return logical(context, op, lhs, rhs);
  const Arithmetic *row = findArithmetic(op);
  if (!row)
    return context.error(
        "operator '" + spelling(op) + "' on " + describe(lhs.isRuntime() ? lhs : rhs) +
        (op == BinaryOperator::Pow ? " does not exist, expected a product or tl.exp2"
                                   : " is not there yet"));
  if (std::optional<Value> pointer = pointerArithmetic(context, op, lhs, rhs))
    return *pointer;
  Value values[] = {lhs, rhs};
  if (!promote(context, values, {.division = row->isDivision}))
    return Value::poison();
  if (op == BinaryOperator::Div && values[0].type().isIntegerLike())
    for (Value &value : values)
      value = castTo(context, value, DType::F32);

  const Type &type = values[0].type();
  bool isSignedOp = isSigned(type.dtype());
  if (op == BinaryOperator::Shr) {
    const Value &decides = lhs.isRuntime() ? lhs : rhs;
    isSignedOp = decides.type().isIntegerLike() && isSigned(decides.type().dtype());
  }
  Make create = type.isFloatLike() ? row->onFloat : isSignedOp ? row->onSigned : row->onUnsigned;
  if (!create)
    return context.error("operands of '" + spelling(op) + "' are " + describe(lhs) + " and " +
                         describe(rhs) + ", expected integers");
  if (!expectResult(context, op, type, rhs))
    return Value::poison();
  return Value::runtime(create(context, values[0].ir(), values[1].ir()), type);
}

//===----------------------------------------------------------------------------------------===//
// Comparison and select
//===----------------------------------------------------------------------------------------===//

namespace {
struct Comparison {
  CompareOperator op;
  arith::CmpFPredicate onFloat;
  arith::CmpIPredicate onSigned, onUnsigned;
};
} // namespace

using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;
static constexpr Comparison kComparisons[] = {
    {CompareOperator::Eq, F::OEQ, I::eq, I::eq},   {CompareOperator::Ne, F::UNE, I::ne, I::ne},
    {CompareOperator::Lt, F::OLT, I::slt, I::ult}, {CompareOperator::Le, F::OLE, I::sle, I::ule},
    {CompareOperator::Gt, F::OGT, I::sgt, I::ugt}, {CompareOperator::Ge, F::OGE, I::sge, I::uge},
};

Value compareOperator(CallContext &context, CompareOperator op, const Value &lhs,
                      const Value &rhs) {
  Value values[] = {lhs, rhs};
  if (isPointer(lhs) && isPointer(rhs))
    for (Value &value : values)
      value = castTo(context, value, DType::U64);
  if (!promote(context, values))
    return Value::poison();
  const Comparison *row =
      llvm::find_if(kComparisons, [&](const Comparison &entry) { return entry.op == op; });
  const Type &type = values[0].type();
  Type result = type.withDType(DType::I1);
  if (type.isFloatLike())
    return elementwise<arith::CmpFOp>(context, result, row->onFloat, values[0].ir(),
                                      values[1].ir());
  I predicate = isSigned(type.dtype()) ? row->onSigned : row->onUnsigned;
  return elementwise<arith::CmpIOp>(context, result, predicate, values[0].ir(), values[1].ir());
}

Value select(CallContext &context, const Value &mask, const Value &x, const Value &y) {
  if (mask.isPoison() || x.isPoison() || y.isPoison())
    return Value::poison();
  Value branches[] = {x, y};
  if (!promote(context, branches, {.allowPointers = true}))
    return Value::poison();
  if (branches[0].type().scalar() != branches[1].type().scalar())
    return context.error("branches of '" + context.callee() + "' are " + describe(x) + " and " +
                         describe(y) + ", expected the same type");
  Value values[] = {toBool(context, mask), branches[0], branches[1]};
  // A scalar condition selects whole blocks; a block condition widens scalar branches.
  if (values[0].type().isBlock() && !broadcastTogether(context, values))
    return Value::poison();
  return Value::runtime(
      context.fold<arith::SelectOp>(values[0].ir(), values[1].ir(), values[2].ir()),
      values[1].type());
}

Value condition(CallContext &context, const Value &operand) {
  if (operand.isPoison())
    return operand;
  if (!operand.isRuntime() || operand.type().isBlock())
    return context.error("condition is " + describe(operand) + ", expected a scalar");
  return toBool(context, operand);
}

//===----------------------------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------------------------===//

static Value allOnesXor(CallContext &context, const Value &value) {
  return elementwise<arith::XOrIOp>(context, value.type(), value.ir(),
                                    context.constant(value.type(), Integer(-1)));
}

Value unaryOperator(CallContext &context, UnaryOperator op, const Value &operand) {
  if (operand.isPoison())
    return operand;
  const Type &type = operand.type();
  auto wrongType = [&](llvm::StringRef expected) {
    return context.error("operand of '" + spelling(op) + "' is " + describe(operand) +
                         ", expected " + expected);
  };
  switch (op) {
  case UnaryOperator::Not:
    return allOnesXor(context, toBool(context, operand));
  case UnaryOperator::Invert:
    return type.isIntegerLike() ? allOnesXor(context, operand) : wrongType("an integer");
  case UnaryOperator::Plus:
    return type.isPointer() ? wrongType("a number") : operand;
  case UnaryOperator::Minus:
    if (type.isPointer())
      return wrongType("a number");
    if (type.isFloatLike()) // keeps the sign of zero, which 0 - x would not
      return elementwise<arith::NegFOp>(context, type, operand.ir());
    return elementwise<arith::SubIOp>(context, type, context.constant(type, Integer(0)),
                                      operand.ir());
  }
  llvm_unreachable("unknown unary operator");
}

//===----------------------------------------------------------------------------------------===//
// x[:, None]
//===----------------------------------------------------------------------------------------===//

static bool isFullSlice(const Value &index) {
  const SliceData *slice = index.asSlice();
  return slice && slice->lower.isNone() && slice->upper.isNone() && slice->step.isNone();
}

Value subscript(CallContext &context, const Value &object, llvm::ArrayRef<Value> indices) {
  if (object.isPoison())
    return object;
  int64_t rank = object.type().rank();
  int64_t slices = llvm::count_if(indices, isFullSlice);
  if (slices > rank)
    return context.error("index has " + Twine(slices) + " ':', expected at most the " +
                         Twine(rank) + " of " + describe(object));
  Value result = object;
  for (auto [position, index] : llvm::enumerate(indices)) {
    if (index.isPoison())
      return index;
    if (index.isNone())
      result = insertUnitDim(context, result, position);
    else if (!isFullSlice(index))
      return context.error("index " + Twine(position) + " is " + describe(index) +
                           ", expected ':' or None; other indices are not there yet");
  }
  return result;
}

} // namespace kiln::frontend::triton
