//===- Shapes.cpp - operations that move lanes -----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Masks lie packed, without the padding of rows: an op that changes the shape of a mask moves the
// numbers 0 and 1 instead. Broadcasts and transpositions of bytes go through f16, for the unit
// moves elements of 16 and 32 bits.
//
//===-----------------------------------------------------------------------------------------===//

#include "Legalizer.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::npu::legal {
namespace {

Value empty(ImplicitLocOpBuilder &b, RankedTensorType type) {
  return tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
}

/// The same movement of other elements.
Value moved(ImplicitLocOpBuilder &b, Operation *op, Value input) {
  Type element = getElementTypeOrSelf(input.getType());
  auto type = cast<RankedTensorType>(op->getResult(0).getType()).clone(element);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return tensor::ExpandShapeOp::create(b, type, input, expand.getReassociationIndices());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return tensor::CollapseShapeOp::create(b, type, input, collapse.getReassociationIndices());
  if (auto broadcast = dyn_cast<linalg::BroadcastOp>(op))
    return linalg::BroadcastOp::create(b, input, empty(b, type), broadcast.getDimensions())
        ->getResult(0);
  auto transpose = cast<linalg::TransposeOp>(op);
  return linalg::TransposeOp::create(b, input, empty(b, type), transpose.getPermutation())
      ->getResult(0);
}

Value legalizeMove(Legalizer &legalizer, Operation *op) {
  ImplicitLocOpBuilder &b = legalizer.at(op);
  Num x = legalizer.num(op->getOperand(0));
  if (isI1(x.element()))
    return numberToMask(legalizer.num(moved(b, op, maskToNumber(legalizer, x).v))).v;
  if (!x.element().isInteger(8) || isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return nullptr;
  Num bytes = legalizer.num(moved(b, op, x.to<arith::SIToFPOp>(b.getF16Type()).v));
  return inRange(legalizer, bytes, x.element()).v;
}

Value legalizeSplat(Legalizer &legalizer, Operation *op) {
  auto splat = cast<tensor::SplatOp>(op);
  ImplicitLocOpBuilder &b = legalizer.at(op);
  Num scalar = legalizer.num(splat.getInput());
  if (!isI1(scalar.element()))
    return nullptr;
  Num number = maskToNumber(legalizer, scalar);
  Value numbers = tensor::SplatOp::create(b, number.v, splat.getType().getShape());
  return numberToMask(legalizer.num(numbers)).v;
}

Value legalizeIota(Legalizer &legalizer, Operation *op) {
  auto iota = cast<tile::IotaOp>(op);
  ImplicitLocOpBuilder &b = legalizer.at(op);
  RankedTensorType type = iota.getType();
  Type i32 = b.getI32Type();
  if (!type.getElementType().isInteger() || legalizer.has(machine::Opcode::VIota, type))
    return nullptr;
  Num narrow = legalizer.num(tile::IotaOp::create(b, type.clone(i32), iota.getStart()));
  return type.getElementType().isInteger(64) ? narrow.to<arith::ExtSIOp>(type.getElementType()).v
                                             : cut(narrow, type.getElementType()).v;
}

/// A hint is an identity that analyses have read by now.
Value legalizeHint(Legalizer &, Operation *op) { return op->getOperand(0); }

constexpr RuleEntry kRules[] = {
    {"linalg.broadcast", legalizeMove},    {"linalg.transpose", legalizeMove},
    {"tensor.expand_shape", legalizeMove}, {"tensor.collapse_shape", legalizeMove},
    {"tensor.splat", legalizeSplat},       {"tile.iota", legalizeIota},
    {"tile.hint", legalizeHint},
};

} // namespace

ArrayRef<RuleEntry> shapeRules() { return kRules; }

} // namespace kiln::npu::legal
