//===- Elementwise.cpp - arithmetic lane by lane ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A table says which instruction an operation is, with tiles and with a scalar on the right. What
// the machine lacks is composed here where it takes two or three instructions: a subtraction with a
// scalar adds the negated scalar, or negates and adds; fma starts from a copy of the addend.
//
//===-----------------------------------------------------------------------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace kiln::npu::lower {

using machine::Element;
using machine::Opcode;

namespace {

struct BinaryRow {
  StringLiteral name;
  Opcode tiles;
  std::optional<Opcode> scalar; ///< with a scalar as one operand
  bool commutes;
};

constexpr BinaryRow kBinary[] = {
    {"arith.addf", Opcode::VAdd, Opcode::VAdds, true},
    {"arith.addi", Opcode::VAdd, Opcode::VAdds, true},
    {"arith.subf", Opcode::VSub, std::nullopt, false},
    {"arith.subi", Opcode::VSub, std::nullopt, false},
    {"arith.mulf", Opcode::VMul, Opcode::VMuls, true},
    {"arith.muli", Opcode::VMul, Opcode::VMuls, true},
    {"arith.divf", Opcode::VDiv, std::nullopt, false},
    {"arith.maxnumf", Opcode::VMax, Opcode::VMaxs, true},
    {"arith.minnumf", Opcode::VMin, Opcode::VMins, true},
    {"arith.maxsi", Opcode::VMax, Opcode::VMaxs, true},
    {"arith.minsi", Opcode::VMin, Opcode::VMins, true},
};

struct UnaryRow {
  StringLiteral name;
  Opcode op;
};

constexpr UnaryRow kUnary[] = {
    {"math.exp", Opcode::VExp},     {"math.log", Opcode::VLn},   {"math.sqrt", Opcode::VSqrt},
    {"math.rsqrt", Opcode::VRsqrt}, {"math.absf", Opcode::VAbs},
};

/// The operand as a view.
View tiled(Emitter &emitter, const Operand &operand, const View &dst) {
  return operand.isScalar() ? emitter.dense(operand, dst.sizes) : operand.view;
}

/// 0 - x, or -x of a float.
Value negated(Emitter &emitter, Value scalar) {
  OpBuilder &builder = emitter.builder;
  Type type = scalar.getType();
  if (isa<FloatType>(type))
    return arith::NegFOp::create(builder, emitter.loc, scalar);
  return arith::SubIOp::create(builder, emitter.loc, emitter.integer(type, 0), scalar);
}

bool emitSubtract(Emitter &emitter, const Operand &lhs, const Operand &rhs, const View &dst) {
  if (rhs.isScalar()) {
    emitter.scalar(Opcode::VAdds, lhs.view, negated(emitter, rhs.scalar), dst);
    return true;
  }
  // s - x = -1 · x + s: the product is exact.
  emitter.scalar(Opcode::VMuls, rhs.view, emitter.constant(rhs.element(), -1), dst);
  emitter.scalar(Opcode::VAdds, dst, lhs.scalar, dst);
  return true;
}

bool emitBinary(Emitter &emitter, const BinaryRow &row, Operand lhs, Operand rhs, const View &dst) {
  std::optional<Element> element = elementOf(dst.element);
  if (!element || !emitter.machine.supports(row.tiles, *element))
    return false;
  if (lhs.isScalar() && rhs.isScalar())
    lhs = emitter.dense(lhs, dst.sizes);
  if (!lhs.isScalar() && !rhs.isScalar()) {
    emitter.binary(row.tiles, lhs.view, rhs.view, dst);
    return true;
  }
  if (row.tiles == Opcode::VSub)
    return emitSubtract(emitter, lhs, rhs, dst);
  if (row.scalar && row.commutes) {
    if (lhs.isScalar())
      std::swap(lhs, rhs);
    emitter.scalar(*row.scalar, lhs.view, rhs.scalar, dst);
    return true;
  }
  Operand &single = lhs.isScalar() ? lhs : rhs;
  single = emitter.dense(single, dst.sizes);
  emitter.binary(row.tiles, lhs.view, rhs.view, dst);
  return true;
}

/// dst = c, then dst = dst + a · b, rounded once.
bool emitFma(Emitter &emitter, Operand a, Operand b, const Operand &c, const View &dst) {
  std::optional<Element> element = elementOf(dst.element);
  if (!element || !emitter.machine.supports(Opcode::VMulAdd, *element))
    return false;
  if (a.isScalar())
    std::swap(a, b);
  if (a.isScalar())
    a = emitter.dense(a, dst.sizes);
  // The factors are still read when the addend is in place.
  auto holds = [&](const Operand &factor) {
    return !factor.isScalar() && factor.view.buffer == dst.buffer;
  };
  View sum = dst;
  bool addendIsThere = !c.isScalar() && c.view.buffer == dst.buffer && c.view.isTile();
  if (holds(a) || holds(b)) {
    sum = emitter.temporary(dst.sizes, dst.element);
    addendIsThere = false;
  }
  if (!addendIsThere)
    emitter.put(c, sum);
  if (b.isScalar())
    emitter.scalar(Opcode::VAxpy, a.view, b.scalar, sum);
  else
    emitter.forEachPiece({sum, emitter.readable(a.view), emitter.readable(b.view)},
                         [&](ValueRange part) {
                           VTernaryOp::create(emitter.builder, emitter.loc, Opcode::VMulAdd,
                                              part[1], part[2], part[0]);
                         });
  if (sum.buffer != dst.buffer)
    emitter.copy(sum, dst);
  return true;
}

/// Shifts by one amount; the right one is logical on unsigned elements.
bool emitShift(Emitter &emitter, Operation *op, const Operand &value, const Operand &amount,
               const View &dst) {
  bool isLogical = isa<arith::ShRUIOp>(op);
  std::optional<Element> element = elementOf(dst.element, isLogical);
  Opcode opcode = isa<arith::ShLIOp>(op) ? Opcode::VShl : Opcode::VShr;
  if (value.isScalar() || !amount.isScalar() || !element ||
      !emitter.machine.supports(opcode, *element))
    return false;
  emitter.forEachPiece({dst, emitter.readable(value.view)}, [&](ValueRange part) {
    VScalarOp::create(emitter.builder, emitter.loc, opcode, part[1], amount.scalar, part[0],
                      isLogical);
  });
  return true;
}

} // namespace

bool emitElementwise(Emitter &emitter, Operation *op, ArrayRef<Operand> operands, const View &dst) {
  StringRef name = op->getName().getStringRef();
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return emitLogic(emitter, op, operands[0], operands[1], dst);
  for (const BinaryRow &row : kBinary)
    if (row.name == name)
      return emitBinary(emitter, row, operands[0], operands[1], dst);
  for (const UnaryRow &row : kUnary) {
    std::optional<Element> element = elementOf(dst.element);
    if (row.name != name)
      continue;
    if (!element || !emitter.machine.supports(row.op, *element))
      return false;
    emitter.unary(row.op, tiled(emitter, operands[0], dst), dst);
    return true;
  }
  if (isa<arith::NegFOp>(op)) {
    emitter.scalar(Opcode::VMuls, tiled(emitter, operands[0], dst),
                   emitter.constant(dst.element, -1), dst);
    return true;
  }
  if (isa<math::FmaOp>(op))
    return emitFma(emitter, operands[0], operands[1], operands[2], dst);
  if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
    return emitShift(emitter, op, operands[0], operands[1], dst);
  if (isa<arith::CmpFOp, arith::CmpIOp>(op))
    return emitCompare(emitter, op, operands[0], operands[1], dst);
  if (isa<arith::SelectOp>(op))
    return emitSelect(emitter, operands[0], operands[1], operands[2], dst);
  bool toWhole =
      isa<math::FloorOp, math::CeilOp, math::RoundOp, math::RoundEvenOp, math::TruncOp>(op);
  if (toWhole || (isa<CastOpInterface>(op) && op->getNumOperands() == 1))
    return emitCast(emitter, op, operands[0], dst);
  return false;
}

} // namespace kiln::npu::lower
