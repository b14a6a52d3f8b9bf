//===- Programs.cpp - blocks of the grid ------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// `with T.Kernel(n) as (cid, vid)` runs two programs for each of n blocks: program p is the half
// vid = p mod 2 of block cid = p / 2. With one name, with a vid that is never read, or with
// `threads`, a block is one program. How many programs there are stands on the function as an
// expression over its arguments.
//
//===-----------------------------------------------------------------------------------------===//

#include "Buffers.h"
#include "Tables.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/JSON.h"

namespace kiln::frontend::tilelang {

using llvm::Twine;
namespace arith = mlir::arith;

/// More programs than a launch counts are no number of blocks.
static constexpr int64_t kMostBlocks = (int64_t(1) << 30) - 1;

//===----------------------------------------------------------------------------------------===//
// The number of programs as an expression
//===----------------------------------------------------------------------------------------===//

namespace {
struct OperatorText {
  llvm::StringLiteral op, text;
};
} // namespace

static constexpr OperatorText kOperators[] = {
    {"arith.addi", "+"},    {"arith.subi", "-"},    {"arith.muli", "*"},    {"arith.divsi", "//"},
    {"arith.divui", "//"},  {"arith.remsi", "%"},   {"arith.remui", "%"},   {"arith.minsi", "min"},
    {"arith.maxsi", "max"}, {"arith.minui", "min"}, {"arith.maxui", "max"},
};

static std::optional<llvm::json::Value> expressionOf(mlir::Value value) {
  mlir::APInt constant;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&constant)))
    return llvm::json::Value(constant.getSExtValue());
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
    // What a loop carries is nothing that a launch knows.
    bool isOfKernel = mlir::isa<mlir::FunctionOpInterface>(argument.getOwner()->getParentOp());
    return isOfKernel ? std::optional<llvm::json::Value>(
                            llvm::json::Object{{"arg", int64_t(argument.getArgNumber())}})
                      : std::nullopt;
  }
  mlir::Operation *op = value.getDefiningOp();
  if (mlir::isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp>(op))
    return expressionOf(op->getOperand(0));
  // Where signs may differ, a quotient that floors is `q` or `q - 1`, a remainder `r` or `r + b`.
  if (auto select = mlir::dyn_cast<arith::SelectOp>(op)) {
    mlir::Value result = select.getFalseValue();
    auto less = select.getTrueValue().getDefiningOp<arith::SubIOp>();
    auto more = select.getTrueValue().getDefiningOp<arith::AddIOp>();
    if ((result.getDefiningOp<arith::DivSIOp>() && less && less.getLhs() == result) ||
        (result.getDefiningOp<arith::RemSIOp>() && more && more.getLhs() == result))
      return expressionOf(result);
    return std::nullopt;
  }
  for (auto [name, text] : kOperators) {
    if (op->getName().getStringRef() != name)
      continue;
    std::optional<llvm::json::Value> lhs = expressionOf(op->getOperand(0));
    std::optional<llvm::json::Value> rhs = expressionOf(op->getOperand(1));
    if (!lhs || !rhs)
      return std::nullopt;
    return llvm::json::Object{{"op", text.str()}, {"args", llvm::json::Array{*lhs, *rhs}}};
  }
  return std::nullopt;
}

static std::optional<llvm::json::Value> expressionOf(const Value &value) {
  if (value.asInt())
    return llvm::json::Value(value.asInt()->asInt64().value_or(0));
  return expressionOf(value.ir());
}

//===----------------------------------------------------------------------------------------===//
// T.Kernel
//===----------------------------------------------------------------------------------------===//

static Value programIndex(CallContext &context, const Value &programs) {
  auto op = context.create<tile::ProgramIdOp>(context.builder().getI32Type(),
                                              context.builder().getI32IntegerAttr(0));
  if (programs.asInt())
    op->setAttr(tile::kCountAttr,
                context.builder().getI64IntegerAttr(programs.asInt()->asInt64().value_or(0)));
  return Value::runtime(op.getResult(), DType::I32);
}

/// The index of a block, which is below `blocks`.
static Value blockIndex(CallContext &context, const Value &index, const Value &blocks) {
  if (index.isRuntime())
    stateOf(context).below[index.ir()] = blocks;
  return index;
}

/// Gives the function its number of programs; false after an error.
static bool setGrid(CallContext &context, const Value &programs) {
  std::optional<llvm::json::Value> grid = expressionOf(programs);
  if (!grid) {
    context.error("the number of blocks is " + describe(programs) +
                  ", expected an expression of the tensors' extents and the scalar arguments");
    return false;
  }
  std::string text;
  llvm::raw_string_ostream(text) << *grid;
  context.kernel()->setAttr(tile::kGridAttr, context.builder().getStringAttr(text));
  return true;
}

static Value enterKernel(CallContext &context, llvm::ArrayRef<Value> extents, bool hasThreads,
                         size_t targets) {
  State &state = stateOf(context);
  if (state.isInKernel)
    return context.error("found T.Kernel inside T.Kernel");
  if (state.hasKernel)
    return context.error(
        "found a second T.Kernel; one function with two launches is not there yet");
  state.isInKernel = state.hasKernel = true;
  for (mlir::Operation *around = context.builder().getInsertionBlock()->getParentOp();
       around != context.kernel(); around = around->getParentOp())
    if (mlir::isa<mlir::LoopLikeOpInterface>(around))
      return context.error("found T.Kernel inside a loop, expected it in the function's body");
  bool hasHalves = extents.size() == 1 && targets == 2 && !hasThreads;
  bool fits =
      targets <= 1 ? extents.size() == 1 || targets == 0 : hasHalves || targets == extents.size();
  if (!fits)
    return context.error("T.Kernel has " + Twine(extents.size()) + " extent" +
                         (extents.size() == 1 ? "" : "s") + (hasThreads ? " and threads" : "") +
                         " and gives as many indices: found " + Twine(targets) + " name" +
                         (targets == 1 ? "" : "s"));
  // Halves that nothing tells apart do the same, and would write the same bytes twice.
  bool isWhole = hasHalves && !context.readsTarget(1);
  hasHalves &= !isWhole;
  Value blocks = productOf(context, extents);
  if (const Integer *known = blocks.asInt(); known && Integer(kMostBlocks) < *known)
    return context.error("found " + known->str() + " blocks, expected from 0 to 2^30");
  Value programs =
      hasHalves ? context.binary(BinaryOperator::Mul, blocks, Value::integer(2)) : blocks;
  if (programs.isPoison() || !setGrid(context, programs))
    return Value::poison();
  Value index = programIndex(context, programs);
  std::vector<Value> result;
  if (hasHalves) {
    Value half = context.binary(BinaryOperator::FloorDiv, index, Value::integer(2));
    result.push_back(blockIndex(context, half, blocks));
    result.push_back(blockIndex(
        context, context.binary(BinaryOperator::Mod, index, Value::integer(2)), Value::integer(2)));
    return Value::tuple(std::move(result));
  }
  if (extents.size() == 1) {
    index = blockIndex(context, index, blocks);
    return isWhole ? Value::tuple({index, Value::integer(0)}) : index;
  }
  // The first index is the fastest. Without blocks, no program asks for its index.
  for (Value extent : extents) {
    if (knownInt(extent) == 0)
      extent = Value::integer(1);
    bool isLast = result.size() + 1 == extents.size();
    Value one = isLast ? index : context.binary(BinaryOperator::Mod, index, extent);
    result.push_back(blockIndex(context, one, extent));
    if (!isLast)
      index = context.binary(BinaryOperator::FloorDiv, index, extent);
  }
  return Value::tuple(std::move(result));
}

static Value kernelScope(CallContext &context, const Arguments &arguments) {
  std::vector<Value> extents;
  for (const Arguments::Argument &argument : arguments.rest()) {
    Value extent = context.read(argument.value);
    if (const Integer *known = extent.asInt();
        known && (known->isNegative() || Integer(kMostBlocks) < *known))
      return context.errorAt(argument,
                             "found " + known->str() + " blocks, expected from 0 to 2^30");
    bool isInteger = extent.asInt() || (extent.isRuntime() && extent.type().isScalar() &&
                                        extent.type().isIntegerLike());
    if (!isInteger)
      return extent.isPoison() ? extent
                               : context.errorAt(argument, "found " + describe(extent) +
                                                               " as the number of blocks, expected "
                                                               "an integer");
    extents.push_back(extent);
  }
  if (extents.empty() || extents.size() > 3)
    return context.error("found " + Twine(extents.size()) +
                         " extents of blocks, expected one to three");
  const Value &threads = arguments["threads"];
  bool hasThreads = !threads.isNone();
  for (const Value &count : threads.isTuple() ? threads.elements() : llvm::ArrayRef(threads))
    if (hasThreads && (!count.asInt() || *count.asInt() < Integer(1)))
      return triton::wrongArgument(context, arguments, "threads", count, "an int of at least 1");
  ScopeData scope;
  scope.enter = [extents, hasThreads](CallContext &inner, size_t targets) {
    return enterKernel(inner, extents, hasThreads, targets);
  };
  scope.leave = [](CallContext &inner) { stateOf(inner).isInKernel = false; };
  return Value::scope(std::move(scope));
}

static Value lowerKernel(CallContext &context, const Arguments &arguments) {
  Value scope = kernelScope(context, arguments);
  // What is wrong has been said: the block is one of a kernel all the same.
  if (scope.isPoison())
    stateOf(context).isInKernel = true;
  return scope;
}

/// Attributes for back ends that Kiln does not have: nothing of a kernel's meaning hangs on them.
static Value lowerNothing(CallContext &, const Arguments &) { return Value::none(); }

void addPrograms(Vocabulary &vocabulary) {
  static constexpr LanguageEntry kEntries[] = {
      {"T.Kernel",
       "*blocks, threads=None, is_npu=False, is_cpu=False, pipeline=False, prelude=None",
       lowerKernel},
      {"T.func_attr", "attributes", lowerNothing},
  };
  vocabulary.add(kEntries);
}

} // namespace kiln::frontend::tilelang
