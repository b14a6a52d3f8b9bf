//===- ExpertVector.cpp - arithmetic of the vector unit, call by call -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Tables say which instruction a call is. Arguments are taken by position: the destination, then
// the sources. What the machine has not is two to four instructions here, with barriers between
// those that depend on each other.
//
//===-----------------------------------------------------------------------------------------===//

#include "Expert.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace kiln::frontend::tilelang::expert {

using llvm::StringLiteral;
using llvm::Twine;
using machine::Opcode;
namespace arith = mlir::arith;
using Parts = llvm::ArrayRef<mlir::Value>;

//===----------------------------------------------------------------------------------------===//
// Arguments by position
//===----------------------------------------------------------------------------------------===//

static llvm::StringRef nameOf(const Arguments &arguments, size_t index) {
  return arguments.bound[index].name;
}

namespace {
/// The destination and the buffers among the sources.
struct Operands {
  View dst;
  llvm::SmallVector<View, 2> sources;
};
} // namespace

/// The first `count` arguments after the destination are buffers of its type and shape; `count`,
/// where the call has it, takes so many lanes of each.
static std::optional<Operands> operandsOf(CallContext &context, const Arguments &arguments,
                                          size_t sources) {
  Operands operands;
  std::optional<View> dst = viewArgument(context, arguments, nameOf(arguments, 0));
  if (!dst)
    return std::nullopt;
  operands.dst = *dst;
  for (size_t index = 1; index <= sources; ++index) {
    std::optional<View> source = viewArgument(context, arguments, nameOf(arguments, index));
    if (!source)
      return std::nullopt;
    if (source->dtype != dst->dtype) {
      triton::wrongArgument(context, arguments, source->argument,
                            "elements of " + info(source->dtype).languageName,
                            info(dst->dtype).languageName + ", as '" + dst->argument + "' has");
      return std::nullopt;
    }
    operands.sources.push_back(*source);
  }
  llvm::SmallVector<View *> views = {&operands.dst};
  for (View &source : operands.sources)
    views.push_back(&source);
  const Arguments::Argument *count = arguments.find("count");
  if (count && !count->value.isNone()) {
    std::optional<int64_t> lanes = context.intConst(arguments, "count");
    for (View *view : views) {
      std::optional<View> first =
          lanes ? firstLanes(context, arguments, *view, *lanes) : std::nullopt;
      if (!first)
        return std::nullopt;
      *view = *first;
    }
  }
  return alike(context, arguments, views) ? std::optional(operands) : std::nullopt;
}

//===----------------------------------------------------------------------------------------===//
// Single instructions
//===----------------------------------------------------------------------------------------===//

static Value emitBinary(CallContext &context, const Arguments &arguments, Opcode op,
                        const View &lhs, const View &rhs, const View &dst) {
  return forEachWindow(context, arguments, {dst, lhs, rhs}, [&](Parts part) {
    context.create<npu::VBinaryOp>(op, part[1], part[2], part[0]);
  });
}

static Value emitUnary(CallContext &context, const Arguments &arguments, Opcode op, const View &src,
                       const View &dst) {
  return forEachWindow(context, arguments, {dst, src},
                       [&](Parts part) { context.create<npu::VUnaryOp>(op, part[1], part[0]); });
}

static Value emitScalar(CallContext &context, const Arguments &arguments, Opcode op,
                        const View &src, mlir::Value scalar, const View &dst) {
  bool isLogical = op == Opcode::VShr && !isSigned(dst.dtype);
  return forEachWindow(context, arguments, {dst, src}, [&](Parts part) {
    context.create<npu::VScalarOp>(op, part[1], scalar, part[0], isLogical);
  });
}

static Value emitFill(CallContext &context, const Arguments &arguments, mlir::Value scalar,
                      const View &dst) {
  return forEachWindow(context, arguments, {dst},
                       [&](Parts part) { context.create<npu::VDupOp>(scalar, part[0]); });
}

/// `dst = lhs op s` where the instruction has no form with a scalar: s fills one 32-byte block,
/// which the instruction reads again and again.
static Value emitWithBlock(CallContext &context, const Arguments &arguments, Opcode op,
                           const View &lhs, mlir::Value scalar, const View &dst) {
  int64_t block = 32 / dst.elementBytes();
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
// Two operands
//===----------------------------------------------------------------------------------------===//

namespace {
struct BinaryRow {
  StringLiteral name;
  Opcode buffers;
  std::optional<Opcode> scalar;
};
} // namespace

static constexpr BinaryRow kBinary[] = {
    {"T.tile.add", Opcode::VAdd, Opcode::VAdds}, {"T.tile.sub", Opcode::VSub, Opcode::VAdds},
    {"T.tile.mul", Opcode::VMul, Opcode::VMuls}, {"T.tile.div", Opcode::VDiv, std::nullopt},
    {"T.tile.max", Opcode::VMax, Opcode::VMaxs}, {"T.tile.min", Opcode::VMin, Opcode::VMins},
};

/// 1 / s, where that is exact: s is a power of two.
static std::optional<double> exactReciprocal(const Value &value) {
  double number = value.asFloat() ? *value.asFloat()
                  : value.asInt() ? value.asInt()->asDouble()
                                  : 0;
  int exponent = 0;
  bool isPower = number != 0 && std::isfinite(number) &&
                 std::abs(std::frexp(number, &exponent)) == 0.5 && std::abs(exponent) < 14;
  return isPower ? std::optional(1 / number) : std::nullopt;
}

static Value lowerBinary(CallContext &context, const Arguments &arguments) {
  const BinaryRow &row =
      *llvm::find_if(kBinary, [&](const BinaryRow &each) { return each.name == context.callee(); });
  llvm::StringRef last = nameOf(arguments, 2);
  bool isScalar = isScalarOperand(arguments[last]);
  std::optional<Operands> operands = operandsOf(context, arguments, isScalar ? 1 : 2);
  if (!operands)
    return Value::poison();
  const View &dst = operands->dst, &lhs = operands->sources[0];
  if (!expectElement(context, arguments, nameOf(arguments, 0), row.buffers, dst.dtype))
    return Value::poison();
  if (!isScalar)
    return emitBinary(context, arguments, row.buffers, lhs, operands->sources[1], dst);
  mlir::Value scalar = scalarArgument(context, arguments, last, dst.dtype);
  if (!scalar)
    return Value::poison();
  if (row.buffers == Opcode::VSub)
    scalar = isFloat(dst.dtype)
                 ? context.fold<arith::NegFOp>(scalar)
                 : context.fold<arith::SubIOp>(constantOf(context, dst.dtype, 0), scalar);
  if (row.scalar)
    return emitScalar(context, arguments, *row.scalar, lhs, scalar, dst);
  if (std::optional<double> reciprocal = exactReciprocal(arguments[last]))
    return emitScalar(context, arguments, Opcode::VMuls, lhs,
                      constantOf(context, dst.dtype, *reciprocal), dst);
  return emitWithBlock(context, arguments, row.buffers, lhs, scalar, dst);
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
  int64_t block = 32 / int64_t(bitWidth(view.dtype) / 8);
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
// One operand
//===----------------------------------------------------------------------------------------===//

namespace {
struct UnaryRow {
  StringLiteral name;
  Opcode op;
};
} // namespace

static constexpr UnaryRow kUnary[] = {
    {"T.tile.exp", Opcode::VExp},   {"T.tile.ln", Opcode::VLn},
    {"T.tile.abs", Opcode::VAbs},   {"T.tile.reciprocal", Opcode::VRec},
    {"T.tile.sqrt", Opcode::VSqrt}, {"T.tile.rsqrt", Opcode::VRsqrt},
    {"T.tile.relu", Opcode::VRelu},
};

static Value lowerUnary(CallContext &context, const Arguments &arguments) {
  const UnaryRow &row =
      *llvm::find_if(kUnary, [&](const UnaryRow &each) { return each.name == context.callee(); });
  std::optional<Operands> operands = operandsOf(context, arguments, 1);
  if (!operands ||
      !expectElement(context, arguments, nameOf(arguments, 0), row.op, operands->dst.dtype))
    return Value::poison();
  return emitUnary(context, arguments, row.op, operands->sources[0], operands->dst);
}

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

//===----------------------------------------------------------------------------------------===//
// One operand and a scalar; three operands
//===----------------------------------------------------------------------------------------===//

static constexpr UnaryRow kScalar[] = {
    {"T.tile.leaky_relu", Opcode::VLrelu},   {"T.tile.axpy", Opcode::VAxpy},
    {"T.tile.bitwise_lshift", Opcode::VShl}, {"T.tile.bitwise_rshift", Opcode::VShr},
    {"T.tile.clamp_max", Opcode::VMins},     {"T.tile.clamp_min", Opcode::VMaxs},
};

static Value lowerScalar(CallContext &context, const Arguments &arguments) {
  const UnaryRow &row =
      *llvm::find_if(kScalar, [&](const UnaryRow &each) { return each.name == context.callee(); });
  std::optional<Operands> operands = operandsOf(context, arguments, 1);
  if (!operands ||
      !expectElement(context, arguments, nameOf(arguments, 0), row.op, operands->dst.dtype))
    return Value::poison();
  llvm::StringRef last = nameOf(arguments, 2);
  bool isShift = row.op == Opcode::VShl || row.op == Opcode::VShr;
  if (const Integer *amount = arguments[last].asInt();
      isShift && amount &&
      (amount->isNegative() || !(*amount < Integer(bitWidth(operands->dst.dtype)))))
    return triton::wrongArgument(context, arguments, last, amount->str(),
                                 "from 0 to " + Twine(bitWidth(operands->dst.dtype) - 1));
  mlir::Value scalar = scalarArgument(context, arguments, last, operands->dst.dtype);
  if (!scalar)
    return Value::poison();
  return emitScalar(context, arguments, row.op, operands->sources[0], scalar, operands->dst);
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

static Value lowerMulAdd(CallContext &context, const Arguments &arguments) {
  std::optional<Operands> operands = operandsOf(context, arguments, 2);
  if (!operands || !expectElement(context, arguments, nameOf(arguments, 0), Opcode::VMulAdd,
                                  operands->dst.dtype))
    return Value::poison();
  return forEachWindow(
      context, arguments, {operands->dst, operands->sources[0], operands->sources[1]},
      [&](Parts part) {
        context.create<npu::VTernaryOp>(Opcode::VMulAdd, part[1], part[2], part[0]);
      });
}

//===----------------------------------------------------------------------------------------===//
// From scalars
//===----------------------------------------------------------------------------------------===//

static Value lowerFill(CallContext &context, const Arguments &arguments) {
  std::optional<Operands> operands = operandsOf(context, arguments, 0);
  if (!operands ||
      !expectElement(context, arguments, nameOf(arguments, 0), Opcode::VDup, operands->dst.dtype))
    return Value::poison();
  bool isClear = arguments.size() < 2 || context.callee().ends_with("clear");
  mlir::Value scalar =
      isClear ? constantOf(context, operands->dst.dtype, 0)
              : scalarArgument(context, arguments, nameOf(arguments, 1), operands->dst.dtype);
  return scalar ? emitFill(context, arguments, scalar, operands->dst) : Value::poison();
}

static Value emitIota(CallContext &context, const Arguments &arguments, mlir::Value start,
                      const View &dst) {
  return forEachWindow(context, arguments, {dst},
                       [&](Parts part) { context.create<npu::VIotaOp>(start, part[0]); });
}

static Value lowerIota(CallContext &context, const Arguments &arguments) {
  std::optional<Operands> operands = operandsOf(context, arguments, 0);
  if (!operands ||
      !expectElement(context, arguments, nameOf(arguments, 0), Opcode::VIota, operands->dst.dtype))
    return Value::poison();
  mlir::Value first = scalarArgument(context, arguments, nameOf(arguments, 1), operands->dst.dtype);
  return first ? emitIota(context, arguments, first, operands->dst) : Value::poison();
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

llvm::ArrayRef<Row> vectorRows() {
  static constexpr Row kRows[] = {
      {"T.tile.add", lowerBinary},
      {"T.tile.sub", lowerBinary},
      {"T.tile.mul", lowerBinary},
      {"T.tile.div", lowerBinary},
      {"T.tile.max", lowerBinary},
      {"T.tile.min", lowerBinary},
      {"T.tile.bitwise_and", lowerLogic<Opcode::VAnd>},
      {"T.tile.bitwise_or", lowerLogic<Opcode::VOr>},
      {"T.tile.bitwise_xor", lowerXor},
      {"T.tile.bitwise_not", lowerNot},
      {"T.tile.exp", lowerUnary},
      {"T.tile.ln", lowerUnary},
      {"T.tile.abs", lowerUnary},
      {"T.tile.reciprocal", lowerUnary},
      {"T.tile.sqrt", lowerUnary},
      {"T.tile.rsqrt", lowerUnary},
      {"T.tile.relu", lowerUnary},
      {"T.tile.sigmoid", lowerSigmoid},
      {"T.tile.silu", lowerSilu},
      {"T.tile.leaky_relu", lowerScalar},
      {"T.tile.axpy", lowerScalar},
      {"T.tile.bitwise_lshift", lowerScalar},
      {"T.tile.bitwise_rshift", lowerScalar},
      {"T.tile.clamp_max", lowerScalar},
      {"T.tile.clamp_min", lowerScalar},
      {"T.tile.clamp", lowerClamp},
      {"T.tile.mul_add_dst", lowerMulAdd},
      {"T.tile.fill", lowerFill},
      {"T.tile.clear", lowerFill},
      {"T.fill", lowerFill},
      {"T.clear", lowerFill},
      {"T.tile.createvecindex", lowerIota},
      {"T.tile.arith_progression", lowerProgression},
  };
  return kRows;
}

} // namespace kiln::frontend::tilelang::expert
