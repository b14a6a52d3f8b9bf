//===- Casts.cpp - conversions ---------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kiln::npu::lower {

using machine::Element;
using machine::Opcode;
using machine::Rounding;

namespace {

/// What a conversion means.
struct Meaning {
  Rounding rounding; ///< where it is not exact
  bool fromUnsigned = false, toUnsigned = false;
};

std::optional<Meaning> meaningOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Meaning>>(op)
      .Case<arith::ExtFOp, arith::SIToFPOp, arith::ExtSIOp>(
          [](Operation *) { return Meaning{Rounding::Rint}; })
      .Case([](arith::TruncFOp truncate) -> std::optional<Meaning> {
        switch (truncate.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even)) {
        case arith::RoundingMode::to_nearest_even:
          return Meaning{Rounding::Rint};
        case arith::RoundingMode::downward:
          return Meaning{Rounding::Floor};
        case arith::RoundingMode::upward:
          return Meaning{Rounding::Ceil};
        case arith::RoundingMode::toward_zero:
          return Meaning{Rounding::Trunc};
        case arith::RoundingMode::to_nearest_away:
          return Meaning{Rounding::Round};
        }
        return std::nullopt;
      })
      .Case<arith::FPToSIOp>([](Operation *) { return Meaning{Rounding::Trunc}; })
      .Case<arith::FPToUIOp>([](Operation *) { return Meaning{Rounding::Trunc, false, true}; })
      .Case<arith::UIToFPOp>([](Operation *) { return Meaning{Rounding::Rint, true}; })
      .Case<arith::ExtUIOp>([](Operation *) { return Meaning{Rounding::None, true, true}; })
      .Case<arith::TruncIOp>([](Operation *) { return Meaning{Rounding::None}; })
      .Case<math::RoundEvenOp>([](Operation *) { return Meaning{Rounding::Rint}; })
      .Case<math::FloorOp>([](Operation *) { return Meaning{Rounding::Floor}; })
      .Case<math::CeilOp>([](Operation *) { return Meaning{Rounding::Ceil}; })
      .Case<math::RoundOp>([](Operation *) { return Meaning{Rounding::Round}; })
      .Case<math::TruncOp>([](Operation *) { return Meaning{Rounding::Trunc}; })
      .Default([](Operation *) { return std::nullopt; });
}

/// The machine's conversion, exact where there is an exact one.
bool convert(Emitter &emitter, const Meaning &meaning, const View &src, const View &dst) {
  std::optional<Element> from = elementOf(src.element, meaning.fromUnsigned);
  std::optional<Element> to = elementOf(dst.element, meaning.toUnsigned);
  if (!from || !to)
    return false;
  const machine::Conversion *row = emitter.machine.conversion(Opcode::VConv, *from, *to);
  if (!row)
    return false;
  Rounding rounding = meaning.rounding;
  if (row->roundings.contains(Rounding::None))
    rounding = Rounding::None;
  else if (!row->roundings.contains(rounding))
    return false;
  View read = emitter.readable(src);
  // A repeated block of 32 bytes would become a row of fewer, which nothing can write.
  if (read.blocked && dst.element.getIntOrFloatBitWidth() < src.element.getIntOrFloatBitWidth())
    read = emitter.dense(read, dst.sizes);
  emitter.forEachPiece({dst, read}, [&](ValueRange part) {
    VCastOp::create(emitter.builder, emitter.loc, rounding, part[1], part[0], meaning.fromUnsigned,
                    meaning.toUnsigned);
  });
  return true;
}

/// A mask's bits as numbers 0 and 1, or -1 for a signed extension.
bool fromMask(Emitter &emitter, Operation *op, const Operand &from, const View &dst) {
  std::optional<Element> element = elementOf(dst.element);
  if (!element)
    return false;
  View mask = denseMask(emitter, from, dst.sizes);
  bool isSigned = isa<arith::ExtSIOp, arith::SIToFPOp>(op);
  auto numbers = [&](const View &target) {
    emitMaskAsNumbers(emitter, mask, target);
    if (isSigned)
      emitter.scalar(Opcode::VMuls, target, emitter.constant(target.element, -1), target);
  };
  if (emitter.machine.supports(Opcode::VSel, *element) &&
      emitter.machine.supports(Opcode::VMuls, *element)) {
    numbers(dst);
    return true;
  }
  // Through a type that the unit selects in.
  for (Type type : {Type(emitter.builder.getF16Type()), Type(emitter.builder.getF32Type()),
                    Type(emitter.builder.getI32Type())}) {
    if (!emitter.machine.conversion(Opcode::VConv, *elementOf(type), *element))
      continue;
    View between = emitter.temporary(dst.sizes, type);
    numbers(between);
    return convert(emitter, {Rounding::Trunc}, between, dst);
  }
  return false;
}

/// The lowest bits, as a mask.
bool toMask(Emitter &emitter, const View &src, const View &dst) {
  OpBuilder &builder = emitter.builder;
  Type element = src.element;
  View bit = emitter.temporary(dst.sizes, element), one = emitter.temporary(dst.sizes, element);
  View between = bit;
  if (!element.isInteger(32)) {
    Type type = element.isInteger(8) ? Type(builder.getF16Type()) : Type(builder.getF32Type());
    if (!emitter.machine.conversion(Opcode::VConv, *elementOf(element), *elementOf(type)))
      return false;
    between = emitter.temporary(dst.sizes, type);
  }
  emitter.fill(emitter.integer(element, 1), one);
  Type word = builder.getI16Type();
  VBinaryOp::create(builder, emitter.loc, Opcode::VAnd,
                    emitter.flatAs(emitter.dense(src, dst.sizes), word), emitter.flatAs(one, word),
                    emitter.flatAs(bit, word));
  if (between.buffer != bit.buffer) {
    convert(emitter, {Rounding::Trunc}, bit, between);
    emitNumbersAsMask(emitter, between, dst);
    return true;
  }
  VCmpOp::create(builder, emitter.loc, machine::Predicate::EQ, emitter.flat(bit, true),
                 emitter.integer(element, 1), emitter.flat(dst, true));
  return true;
}

} // namespace

bool emitCast(Emitter &emitter, Operation *op, const Operand &from, const View &dst) {
  if (from.element().isInteger(1))
    return isa<arith::ExtUIOp, arith::ExtSIOp, arith::UIToFPOp, arith::SIToFPOp>(op) &&
           fromMask(emitter, op, from, dst);
  View src = from.isScalar() ? emitter.dense(from, dst.sizes) : from.view;
  if (isa<arith::BitcastOp>(op)) {
    emitter.copy(emitter.reinterpret(src, dst.element), dst);
    return true;
  }
  if (isa<arith::TruncIOp>(op) && dst.isMask())
    return toMask(emitter, src, dst);
  std::optional<Meaning> meaning = meaningOf(op);
  return meaning && convert(emitter, *meaning, src, dst);
}

} // namespace kiln::npu::lower
