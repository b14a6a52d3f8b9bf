//===- ExpertComposed.cpp - calls that are several instructions --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// What the machine has not is two to four instructions here, with barriers between those that
// depend on each other. A buffer of the call's own is written behind a barrier too: the call may
// stand in a loop.
//
//===-----------------------------------------------------------------------------------------===//

#include "ExpertVector.h"

#include "llvm/Support/MathExtras.h"

namespace kiln::frontend::tilelang::expert {

using machine::Opcode;

//===----------------------------------------------------------------------------------------===//
// One block for all
//===----------------------------------------------------------------------------------------===//

Value emitWithBlock(CallContext &context, const Arguments &arguments, Opcode op, const View &lhs,
                    mlir::Value scalar, const View &dst) {
  int64_t block = kBlockBytes / dst.elementBytes();
  View filled = scratch(context, {block}, dst.dtype);
  orderVector(context);
  emitFill(context, arguments, scalar, filled);
  orderVector(context);
  int64_t row = dst.sizes.empty() ? 1 : dst.sizes.back();
  auto part = [&](int64_t skipped, Shape inner) {
    View views[] = {dst, lhs, filled};
    for (View &view : views) {
      bool isFilled = &view == &views[2];
      Shape sizes(llvm::ArrayRef(dst.sizes).drop_back(dst.sizes.empty() ? 0 : 1));
      Shape strides(sizes.size(), 0);
      if (!isFilled)
        strides.assign(view.strides.begin(), view.strides.begin() + sizes.size());
      view.bytes += isFilled ? 0 : skipped * dst.elementBytes();
      int64_t last = !isFilled && !view.strides.empty() ? view.strides.back() : 1;
      for (auto [index, size] : llvm::enumerate(inner)) {
        bool isInner = index + 1 == inner.size();
        strides.push_back(isInner ? last : isFilled ? 0 : block * last);
        sizes.push_back(size);
      }
      view.sizes = sizes;
      view.strides = strides;
    }
    return emitBinary(context, arguments, op, views[1], views[2], views[0]);
  };
  Value done = Value::none();
  if (row >= block)
    done = part(0, {row / block, block});
  if (row % block && !done.isPoison())
    done = part(row / block * block, {row % block});
  return done;
}

//===----------------------------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------------------------===//

/// All operands as 16-bit words, which is what the instructions know.
static bool asWords(CallContext &context, const Arguments &arguments, Operands &operands) {
  llvm::SmallVector<View *> views = {&operands.dst};
  for (View &source : operands.sources)
    views.push_back(&source);
  for (View *view : views) {
    if (isFloat(view->dtype)) {
      triton::wrongArgument(context, arguments, view->argument, info(view->dtype).languageName,
                            "integers");
      return false;
    }
    std::optional<View> words = reinterpret(*view, context.builder().getI16Type());
    if (!words) {
      triton::wrongArgument(context, arguments, view->argument, "rows of an odd number of bytes",
                            "an even one");
      return false;
    }
    *view = *words;
  }
  return true;
}

static Value lowerNot(CallContext &context, const Arguments &arguments) {
  std::optional<Operands> operands = operandsOf(context, arguments, 1);
  if (!operands || !asWords(context, arguments, *operands))
    return Value::poison();
  return emitUnary(context, arguments, Opcode::VNot, operands->sources[0], operands->dst);
}

/// A scalar of any width, as the words of one block.
static Value emitLogicWithScalar(CallContext &context, const Arguments &arguments, Opcode op,
                                 Operands &operands) {
  DType dtype = operands.dst.dtype;
  mlir::Value scalar = scalarArgument(context, arguments, nameOf(arguments, 2), dtype);
  if (!scalar || !asWords(context, arguments, operands))
    return Value::poison();
  if (bitWidth(dtype) == 16)
    return emitWithBlock(context, arguments, op, operands.sources[0], scalar, operands.dst);
  return context.errorAt(arguments, nameOf(arguments, 2),
                         "a scalar with elements of " + info(dtype).languageName +
                             " is not there yet at the level of instructions: fill a buffer with "
                             "it");
}

template <Opcode op> static Value lowerLogic(CallContext &context, const Arguments &arguments) {
  bool isScalar = isScalarOperand(arguments[nameOf(arguments, 2)]);
  std::optional<Operands> operands = operandsOf(context, arguments, isScalar ? 1 : 2);
  if (!operands)
    return Value::poison();
  if (isScalar)
    return emitLogicWithScalar(context, arguments, op, *operands);
  if (!asWords(context, arguments, *operands))
    return Value::poison();
  return emitBinary(context, arguments, op, operands->sources[0], operands->sources[1],
                    operands->dst);
}

/// A buffer of the call's own whose rows go with those of `view`.
static View scratchLike(CallContext &context, const View &view) {
  int64_t block = kBlockBytes / int64_t(bitWidth(view.dtype) / 8);
  Shape shape = view.sizes.empty() ? Shape{1} : view.sizes;
  Shape wanted = shape;
  if (shape.size() > 1)
    shape.back() = llvm::alignTo(shape.back(), block);
  View result = scratch(context, shape, view.dtype);
  result.sizes = view.sizes.empty() ? Shape() : wanted;
  if (view.sizes.empty())
    result.strides.clear();
  return result;
}

/// Either, but not both.
static Value lowerXor(CallContext &context, const Arguments &arguments) {
  std::optional<Operands> operands = operandsOf(context, arguments, 2);
  if (!operands)
    return Value::poison();
  operands->sources.push_back(scratchLike(context, operands->dst));
  if (!asWords(context, arguments, *operands))
    return Value::poison();
  const View &dst = operands->dst, &a = operands->sources[0], &b = operands->sources[1],
             &both = operands->sources[2];
  orderVector(context);
  if (emitBinary(context, arguments, Opcode::VAnd, a, b, both).isPoison())
    return Value::poison();
  orderVector(context);
  emitBinary(context, arguments, Opcode::VOr, a, b, dst);
  emitUnary(context, arguments, Opcode::VNot, both, both);
  orderVector(context);
  return emitBinary(context, arguments, Opcode::VAnd, dst, both, dst);
}

//===----------------------------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------------------------===//

/// `dst = 1 + exp(-src)`.
static Value emitDenominator(CallContext &context, const Arguments &arguments, const View &src,
                             const View &dst) {
  mlir::Value minus = constantOf(context, dst.dtype, -1), one = constantOf(context, dst.dtype, 1);
  if (emitScalar(context, arguments, Opcode::VMuls, src, minus, dst).isPoison())
    return Value::poison();
  orderVector(context);
  emitUnary(context, arguments, Opcode::VExp, dst, dst);
  orderVector(context);
  emitScalar(context, arguments, Opcode::VAdds, dst, one, dst);
  orderVector(context);
  return Value::none();
}

static Value lowerSigmoid(CallContext &context, const Arguments &arguments) {
  std::optional<Operands> operands = operandsOf(context, arguments, 1);
  if (!operands ||
      !expectElement(context, arguments, nameOf(arguments, 0), Opcode::VExp, operands->dst.dtype))
    return Value::poison();
  const View &dst = operands->dst;
  if (emitDenominator(context, arguments, operands->sources[0], dst).isPoison())
    return Value::poison();
  return emitUnary(context, arguments, Opcode::VRec, dst, dst);
}

/// src / (1 + exp(-src)); the source may be the destination.
static Value lowerSilu(CallContext &context, const Arguments &arguments) {
  std::optional<Operands> operands = operandsOf(context, arguments, 1);
  if (!operands ||
      !expectElement(context, arguments, nameOf(arguments, 0), Opcode::VExp, operands->dst.dtype))
    return Value::poison();
  const View &src = operands->sources[0];
  View below = scratchLike(context, operands->dst);
  orderVector(context);
  if (emitDenominator(context, arguments, src, below).isPoison())
    return Value::poison();
  return emitBinary(context, arguments, Opcode::VDiv, src, below, operands->dst);
}

static Value lowerClamp(CallContext &context, const Arguments &arguments) {
  std::optional<Operands> operands = operandsOf(context, arguments, 1);
  if (!operands ||
      !expectElement(context, arguments, nameOf(arguments, 0), Opcode::VMaxs, operands->dst.dtype))
    return Value::poison();
  const View &dst = operands->dst;
  mlir::Value low = scalarArgument(context, arguments, nameOf(arguments, 2), dst.dtype);
  mlir::Value high = scalarArgument(context, arguments, nameOf(arguments, 3), dst.dtype);
  if (!low || !high ||
      emitScalar(context, arguments, Opcode::VMaxs, operands->sources[0], low, dst).isPoison())
    return Value::poison();
  orderVector(context);
  return emitScalar(context, arguments, Opcode::VMins, dst, high, dst);
}

/// first, first + diff, …
static Value lowerProgression(CallContext &context, const Arguments &arguments) {
  std::optional<Operands> operands = operandsOf(context, arguments, 0);
  if (!operands ||
      !expectElement(context, arguments, nameOf(arguments, 0), Opcode::VIota, operands->dst.dtype))
    return Value::poison();
  const View &dst = operands->dst;
  mlir::Value first = scalarArgument(context, arguments, nameOf(arguments, 1), dst.dtype);
  mlir::Value diff = scalarArgument(context, arguments, nameOf(arguments, 2), dst.dtype);
  if (!first || !diff)
    return Value::poison();
  if (arguments[2].asInt() && *arguments[2].asInt() == Integer(1))
    return emitIota(context, arguments, first, dst);
  if (emitIota(context, arguments, constantOf(context, dst.dtype, 0), dst).isPoison())
    return Value::poison();
  orderVector(context);
  emitScalar(context, arguments, Opcode::VMuls, dst, diff, dst);
  orderVector(context);
  return emitScalar(context, arguments, Opcode::VAdds, dst, first, dst);
}

llvm::ArrayRef<Row> composedRows() {
  static constexpr Row kRows[] = {
      {"T.tile.bitwise_and", lowerLogic<Opcode::VAnd>},
      {"T.tile.bitwise_or", lowerLogic<Opcode::VOr>},
      {"T.tile.bitwise_xor", lowerXor},
      {"T.tile.bitwise_not", lowerNot},
      {"T.tile.sigmoid", lowerSigmoid},
      {"T.tile.silu", lowerSilu},
      {"T.tile.clamp", lowerClamp},
      {"T.tile.arith_progression", lowerProgression},
  };
  return kRows;
}

} // namespace kiln::frontend::tilelang::expert
