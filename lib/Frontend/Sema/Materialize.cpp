//===- Materialize.cpp - compile-time numbers as runtime values --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Sema/ConstEval.h"
#include "lib/Frontend/Sema/Sema.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace kiln;
using namespace kiln::frontend;

/// The attribute of one element.
static mlir::TypedAttr elementAttr(mlir::Type element, const Integer &value) {
  if (auto type = llvm::dyn_cast<mlir::FloatType>(element)) {
    llvm::APFloat number(type.getFloatSemantics());
    number.convertFromAPInt(value.asAPInt(Integer::kMaxBits + 1), /*IsSigned=*/true,
                            llvm::APFloat::rmNearestTiesToEven);
    return mlir::FloatAttr::get(type, number);
  }
  return mlir::IntegerAttr::get(element, value.asAPInt(element.getIntOrFloatBitWidth()));
}

static mlir::TypedAttr elementAttr(mlir::Type element, double value) {
  if (auto type = llvm::dyn_cast<mlir::FloatType>(element)) {
    llvm::APFloat number(value);
    bool losesInfo = false;
    number.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return mlir::FloatAttr::get(type, number);
  }
  return elementAttr(element, Integer::fromDouble(value).value_or(Integer(0)));
}

static mlir::Value createConstant(mlir::OpBuilder &builder, mlir::Location loc, const Type &type,
                                  mlir::TypedAttr element) {
  if (type.isScalar())
    return mlir::arith::ConstantOp::create(builder, loc, element);
  auto tensor = llvm::cast<mlir::RankedTensorType>(type.mlir(builder.getContext()));
  return mlir::arith::ConstantOp::create(builder, loc,
                                         mlir::DenseElementsAttr::get(tensor, element));
}

mlir::Value Sema::constant(mlir::Location loc, const Type &type, const Integer &value) {
  return createConstant(builder, loc, type,
                        elementAttr(type.mlirElement(builder.getContext()), value));
}

mlir::Value Sema::constant(mlir::Location loc, const Type &type, double value) {
  return createConstant(builder, loc, type,
                        elementAttr(type.mlirElement(builder.getContext()), value));
}

mlir::Value Sema::filler(mlir::Location loc, const Type &type) {
  if (!type.isPointer())
    return constant(loc, type, Integer(0));
  Type address = Type(DType::I64).withShape(type.shape());
  return tile::IntToPtrOp::create(builder, loc, type.mlir(builder.getContext()),
                                  constant(loc, address, Integer(0)));
}

Value Sema::materialize(const ast::Node &node, const Value &value) {
  if (value.isPoison() || value.isRuntime())
    return value;
  if (const bool *boolean = value.asBool())
    return Value::runtime(constant(loc(node), DType::I1, Integer(*boolean)), DType::I1);
  if (const Integer *integer = value.asInt()) {
    for (DType dtype : {DType::I32, DType::U32, DType::I64, DType::U64})
      if (integer->fits(bitWidth(dtype), isSigned(dtype)))
        return Value::runtime(constant(loc(node), dtype, *integer), dtype);
    return error(node, "the int " + integer->str() + " is outside the range of every integer type");
  }
  if (const double *number = value.asFloat()) {
    double magnitude = std::fabs(*number);
    bool isNormal = magnitude == 0.0 || !std::isfinite(magnitude) ||
                    (magnitude >= 0x1p-126 && magnitude <= 0x1.fffffep+127);
    DType dtype = isNormal ? DType::F32 : DType::F64;
    return Value::runtime(constant(loc(node), dtype, *number), dtype);
  }
  return error(node, "found " + describe(value) + ", expected a number or a runtime value");
}

Value Sema::materializeAs(const ast::Node &node, const Value &value, DType dtype) {
  if (value.isPoison())
    return value;
  if (std::optional<Integer> integer = asInteger(value)) {
    if (isBool(dtype))
      return Value::runtime(constant(loc(node), dtype, Integer(integer->isZero() ? 0 : 1)), dtype);
    if (isInteger(dtype) && !integer->fits(bitWidth(dtype), isSigned(dtype)))
      return error(node,
                   "the int " + integer->str() + " is outside the range of " + Type(dtype).str());
    return Value::runtime(constant(loc(node), dtype, *integer), dtype);
  }
  if (const double *number = value.asFloat()) {
    if (isInteger(dtype))
      return error(node, "found the float " + pythonRepr(value) + ", expected a value of " +
                             Type(dtype).str());
    return Value::runtime(constant(loc(node), dtype, *number), dtype);
  }
  return error(node, "found " + describe(value) + ", expected a number");
}
