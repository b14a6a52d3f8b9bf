//===- Creation.cpp - blocks out of nothing --------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Semantics.h"
#include "Tables.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

namespace kiln::frontend::triton {

Value iota(CallContext &context, int64_t start, int64_t size) {
  Type type = Type::block(DType::I32, {size});
  auto op = context.create<tile::IotaOp>(type.mlir(context.mlirContext()),
                                         context.builder().getI64IntegerAttr(start));
  return Value::runtime(op.getResult(), type);
}

Value indicesAlong(CallContext &context, ShapeRef shape, int64_t axis) {
  Value indices = iota(context, 0, shape[axis]);
  Shape unit(shape.size(), 1);
  unit[axis] = shape[axis];
  return broadcastTo(context, reshapeTo(context, indices, unit), shape);
}

/// Any length, not only powers of two.
static Value lowerArange(CallContext &context, const Arguments &arguments) {
  std::optional<int64_t> start = context.intConst(arguments, "start");
  std::optional<int64_t> end = context.intConst(arguments, "end");
  if (!start || !end)
    return Value::poison();
  if (*end <= *start)
    return wrongArgument(context, arguments, "end", llvm::Twine(*end),
                         "more than start, " + llvm::Twine(*start));
  if (!Integer(*start).fits(32, true) || !Integer(*end).fits(32, true))
    return context.error("range from " + llvm::Twine(*start) + " to " + llvm::Twine(*end) +
                         " does not fit int32");
  if (*end - *start > kMaxTensorElements)
    return context.error("range has " + llvm::Twine(*end - *start) +
                         " elements, expected at most " + llvm::Twine(kMaxTensorElements));
  return iota(context, *start, *end - *start);
}

/// `value` in every lane. A number is made in `dtype`; a runtime scalar is converted to it.
static Value lowerFull(CallContext &context, const Arguments &arguments) {
  std::optional<Shape> shape = context.shapeConst(arguments, "shape");
  const Value &value = arguments["value"];
  std::optional<DType> dtype;
  if (!arguments["dtype"].isNone()) {
    dtype = context.dtypeConst(arguments, "dtype");
    if (!dtype)
      return Value::poison();
  } else if (!value.isRuntime()) {
    return wrongArgument(context, arguments, "dtype", "None",
                         "a dtype, as value is " + describe(value));
  }
  if (!shape)
    return Value::poison();
  Value scalar;
  if (value.isRuntime()) {
    if (value.type().isBlock())
      return wrongArgument(context, arguments, "value", value, "a scalar");
    scalar = dtype ? castTo(context, value, *dtype) : value;
  } else if (const double *number = value.asFloat();
             number && isInteger(*dtype) && Integer::fromDouble(*number) &&
             Integer::fromDouble(*number)->asDouble() == *number) {
    // `full(shape, 0.0, int32)`: a float that is an integer loses nothing.
    scalar = context.materializeAs(Value::integer(*Integer::fromDouble(*number)), *dtype);
  } else {
    scalar = context.materializeAs(value, *dtype);
  }
  return scalar.isPoison() ? scalar : splat(context, scalar, *shape);
}

static Value zeros(CallContext &context, ShapeRef shape, DType dtype) {
  Type type = Type(dtype).withShape(shape);
  mlir::Value zero =
      isFloat(dtype) ? context.constant(type, 0.0) : context.constant(type, Integer(0));
  return Value::runtime(zero, type);
}

static Value lowerZeros(CallContext &context, const Arguments &arguments) {
  std::optional<Shape> shape = context.shapeConst(arguments, "shape");
  std::optional<DType> dtype = context.dtypeConst(arguments, "dtype");
  return shape && dtype ? zeros(context, *shape, *dtype) : Value::poison();
}

static Value lowerZerosLike(CallContext &context, const Arguments &arguments) {
  Value input = context.runtime(arguments, "input");
  if (input.isPoison())
    return input;
  if (input.type().isPointer())
    return wrongArgument(context, arguments, "input", input, "numbers");
  return zeros(context, input.type().shape(), input.type().dtype());
}

static Value lowerToTensor(CallContext &context, const Arguments &arguments) {
  return context.runtime(arguments, "x");
}

/// A value without dimensions, as itself.
static Value lowerItem(CallContext &context, const Arguments &arguments) {
  const Value &value = arguments["self"];
  return value.type().isScalar() ? value
                                 : wrongArgument(context, arguments, "self", value, "a scalar");
}

void addCreation(Vocabulary &vocabulary) {
  static constexpr LanguageEntry kEntries[] = {
      {"tl.arange", "start, end", lowerArange}, {"tl.full", "shape, value, dtype", lowerFull},
      {"tl.zeros", "shape, dtype", lowerZeros}, {"tl.zeros_like", "input", lowerZerosLike},
      {"tl.to_tensor", "x", lowerToTensor},     {"tensor.item", "self", lowerItem},
  };
  vocabulary.add(kEntries);
}

} // namespace kiln::frontend::triton
