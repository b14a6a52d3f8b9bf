//===- Reductions.cpp - folding a dimension away ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// All reductions are one `tile.reduce`. Its region is either one plain operation of `arith` (which
// targets recognise) or whatever the combine function of the kernel does. Without an axis the block
// is taken as one row-major dimension. Types, as in Triton 3.9:
//
//   sum      integers below 32 bits in int32, unsigned ones and bool in uint32; or `dtype`
//   max min  below 32 bits in float32 or int32; with indices in the block's own type
//   argmax   compares: a NaN never wins over what is to its right, ties go left (or right)
//
//===-----------------------------------------------------------------------------------------===//

#include "Semantics.h"
#include "Tables.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

namespace kiln::frontend::triton {

using llvm::Twine;
using Values = llvm::SmallVector<Value>;

/// Combines left and right lanes, one per input; fewer results than inputs after an error.
using Combine = llvm::function_ref<Values(llvm::ArrayRef<Value>, llvm::ArrayRef<Value>)>;

namespace {
/// Where to reduce; `axis` is absent for all dimensions at once.
struct Place {
  std::optional<int64_t> axis;
  bool keepDims = false;
};
} // namespace

//===----------------------------------------------------------------------------------------===//
// The reduction itself
//===----------------------------------------------------------------------------------------===//

static std::optional<Place> placeOf(CallContext &context, const Arguments &arguments,
                                    const Value &input) {
  Place place;
  std::optional<bool> keepDims = context.boolConst(arguments, "keep_dims");
  if (!keepDims)
    return std::nullopt;
  place.keepDims = *keepDims;
  if (arguments["axis"].isNone())
    return place;
  place.axis = context.axisConst(arguments, "axis", input.type().rank());
  return place.axis ? std::optional(place) : std::nullopt;
}

/// Whether the operation, or one in it, has to do with blocks.
static bool usesBlocks(mlir::Operation &op) {
  return op
      .walk([](mlir::Operation *inner) {
        auto isBlock = [](mlir::Type type) { return mlir::isa<mlir::TensorType>(type); };
        return llvm::any_of(inner->getOperandTypes(), isBlock) ||
                       llvm::any_of(inner->getResultTypes(), isBlock)
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Fills the region; false after an error.
static bool buildRegion(CallContext &context, tile::ReduceOp op, llvm::ArrayRef<Value> inputs,
                        Combine combine) {
  mlir::OpBuilder::InsertionGuard guard(context.builder());
  llvm::SmallVector<mlir::Type> types;
  for (int side = 0; side < 2; ++side)
    for (const Value &input : inputs)
      types.push_back(input.type().mlirElement(context.mlirContext()));
  llvm::SmallVector<mlir::Location> locations(types.size(), context.loc());
  mlir::Block *body = context.builder().createBlock(&op.getCombine(), {}, types, locations);
  Values lanes[2];
  for (auto [index, argument] : llvm::enumerate(body->getArguments()))
    lanes[index / inputs.size()].push_back(
        Value::runtime(argument, inputs[index % inputs.size()].type().scalar()));

  Values combined = combine(lanes[0], lanes[1]);
  if (combined.size() != inputs.size())
    return false;
  llvm::SmallVector<mlir::Value> yielded;
  for (auto [index, value] : llvm::enumerate(combined)) {
    Type expected = inputs[index].type().scalar();
    if (value.isNumber() && !expected.isPointer())
      value = context.materializeAs(value, expected.dtype());
    if (value.isPoison())
      return false;
    if (!value.isRuntime() || value.type() != expected) {
      context.error("combine function returns " + describe(value) + " at position " + Twine(index) +
                    ", expected " + expected.str());
      return false;
    }
    yielded.push_back(value.ir());
  }
  if (llvm::any_of(*body, usesBlocks)) {
    context.error("combine function works with a block, expected scalars only");
    return false;
  }
  context.create<tile::YieldOp>(yielded);
  return true;
}

/// Reduces blocks of one shape together; empty after an error.
static Values reduce(CallContext &context, Values inputs, Place place, Combine combine) {
  Shape before(inputs[0].type().shape());
  if (!place.axis)
    for (Value &input : inputs)
      input = reshapeTo(context, input, {input.type().numElements()});
  int64_t axis = place.axis.value_or(0);
  Shape reduced(inputs[0].type().shape());
  reduced.erase(reduced.begin() + axis);

  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<mlir::Type> types;
  for (const Value &input : inputs) {
    operands.push_back(input.ir());
    types.push_back(input.type().withShape(reduced).mlir(context.mlirContext()));
  }
  auto op =
      context.create<tile::ReduceOp>(types, operands, context.builder().getI64IntegerAttr(axis));
  if (!buildRegion(context, op, inputs, combine)) {
    op.erase();
    return {};
  }
  Values results;
  for (auto [input, ir] : llvm::zip(inputs, op.getResults())) {
    Value result = Value::runtime(ir, input.type().withShape(reduced));
    if (place.keepDims)
      result = place.axis ? insertUnitDim(context, result, axis)
                          : reshapeTo(context, result, Shape(before.size(), 1));
    results.push_back(result);
  }
  return results;
}

/// The input as a block; scalars have nothing to reduce.
static Value blockArgument(CallContext &context, const Arguments &arguments) {
  Value input = context.runtime(arguments, "input");
  if (input.isPoison())
    return input;
  if (input.type().isScalar() || input.type().isPointer())
    return wrongArgument(context, arguments, "input", input, "a block of numbers");
  return input;
}

static Value first(const Values &values) { return values.empty() ? Value::poison() : values[0]; }

//===----------------------------------------------------------------------------------------===//
// Sums and bit operations
//===----------------------------------------------------------------------------------------===//

template <BinaryOperator op>
static Value reduceWith(CallContext &context, const Arguments &arguments, const Value &input) {
  std::optional<Place> place = placeOf(context, arguments, input);
  if (!place)
    return Value::poison();
  return first(reduce(context, {input}, *place,
                      [&](llvm::ArrayRef<Value> a, llvm::ArrayRef<Value> b) -> Values {
                        return {binaryOperator(context, op, a[0], b[0])};
                      }));
}

static Value lowerSum(CallContext &context, const Arguments &arguments) {
  Value input = blockArgument(context, arguments);
  if (input.isPoison())
    return input;
  DType dtype = input.type().dtype();
  if (!arguments["dtype"].isNone()) {
    std::optional<DType> given = context.dtypeConst(arguments, "dtype");
    if (!given)
      return Value::poison();
    dtype = *given;
  } else if (isInteger(dtype) && bitWidth(dtype) < 32) {
    dtype = isSigned(dtype) ? DType::I32 : DType::U32;
  }
  input = castTo(context, input, dtype);
  return input.isPoison() ? input : reduceWith<BinaryOperator::Add>(context, arguments, input);
}

template <BinaryOperator op>
static Value lowerBits(CallContext &context, const Arguments &arguments) {
  Value input = blockArgument(context, arguments);
  if (input.isPoison())
    return input;
  if (!input.type().isIntegerLike())
    return wrongArgument(context, arguments, "input", input, "integers");
  return reduceWith<op>(context, arguments, input);
}

//===----------------------------------------------------------------------------------------===//
// Extrema
//===----------------------------------------------------------------------------------------===//

/// The extreme value and its index. `tieBreakLeft`: of equal values the one with the smaller index.
static Values reduceWithIndex(CallContext &context, Value input, Place place, bool isMax,
                              bool tieBreakLeft) {
  if (!place.axis && !place.keepDims) {
    input = reshapeTo(context, input, {input.type().numElements()});
    place.axis = 0;
  }
  // Without an axis but with dimensions to keep, indices still count in row-major order.
  Value indices = place.axis ? indicesAlong(context, input.type().shape(), *place.axis)
                             : reshapeTo(context, iota(context, 0, input.type().numElements()),
                                         input.type().shape());
  return reduce(context, {input, indices}, place,
                [&](llvm::ArrayRef<Value> a, llvm::ArrayRef<Value> b) -> Values {
                  using enum CompareOperator;
                  Value better = compareOperator(context, isMax ? Gt : Lt, a[0], b[0]);
                  if (tieBreakLeft) {
                    Value tie = binaryOperator(context, BinaryOperator::And,
                                               compareOperator(context, Eq, a[0], b[0]),
                                               compareOperator(context, Lt, a[1], b[1]));
                    better = binaryOperator(context, BinaryOperator::Or, better, tie);
                  }
                  return {select(context, better, a[0], b[0]), select(context, better, a[1], b[1])};
                });
}

template <bool isMax> static Value lowerExtreme(CallContext &context, const Arguments &arguments) {
  Value input = blockArgument(context, arguments);
  std::optional<bool> indices = context.boolConst(arguments, "return_indices");
  std::optional<bool> left = context.boolConst(arguments, "return_indices_tie_break_left");
  if (input.isPoison() || !indices || !left)
    return Value::poison();
  std::optional<Place> place = placeOf(context, arguments, input);
  if (!place)
    return Value::poison();
  if (*indices) {
    Values results = reduceWithIndex(context, input, *place, isMax, *left);
    return results.empty() ? Value::poison() : Value::tuple({results[0], results[1]});
  }
  DType dtype = input.type().dtype();
  if (bitWidth(dtype) < 32)
    input = castTo(context, input, isFloat(dtype) ? DType::F32 : DType::I32);
  return first(reduce(context, {input}, *place,
                      [&](llvm::ArrayRef<Value> a, llvm::ArrayRef<Value> b) -> Values {
                        return {extremum(context, isMax, /*nan=*/false, a[0], b[0])};
                      }));
}

template <bool isMax>
static Value lowerArgExtreme(CallContext &context, const Arguments &arguments) {
  Value input = blockArgument(context, arguments);
  std::optional<bool> left = context.boolConst(arguments, "tie_break_left");
  if (input.isPoison() || !left)
    return Value::poison();
  std::optional<Place> place = placeOf(context, arguments, input);
  if (!place)
    return Value::poison();
  Values results = reduceWithIndex(context, input, *place, isMax, *left);
  return results.empty() ? Value::poison() : results[1];
}

//===----------------------------------------------------------------------------------------===//
// Any combine function
//===----------------------------------------------------------------------------------------===//

/// One block, or a tuple of blocks that are reduced together; the combine function takes all left
/// lanes, then all right ones.
static Value lowerReduce(CallContext &context, const Arguments &arguments) {
  const Value &given = arguments["input"], &function = arguments["combine_fn"];
  if (!context.isCallable(function))
    return wrongArgument(context, arguments, "combine_fn", function, "a function");
  Values inputs;
  for (const Value &value : given.isTuple() ? given.elements() : llvm::ArrayRef<Value>(given)) {
    if (!value.isRuntime() || value.type().isScalar())
      return wrongArgument(context, arguments, "input", value, "a block");
    inputs.push_back(value);
  }
  if (inputs.empty())
    return wrongArgument(context, arguments, "input", "an empty tuple", "at least one block");
  for (const Value &input : inputs)
    if (input.type().shape() != inputs[0].type().shape())
      return wrongArgument(context, arguments, "input",
                           describe(inputs[0]) + " and " + describe(input), "blocks of one shape");
  std::optional<Place> place = placeOf(context, arguments, inputs[0]);
  if (!place)
    return Value::poison();
  size_t count = inputs.size();
  Values results = reduce(
      context, inputs, *place, [&](llvm::ArrayRef<Value> a, llvm::ArrayRef<Value> b) -> Values {
        Values lanes(a);
        lanes.append(b.begin(), b.end());
        Value combined = context.call(function, lanes);
        if (combined.isPoison())
          return {};
        Values list = {combined};
        if (combined.isTuple())
          list.assign(combined.elements().begin(), combined.elements().end());
        if (list.size() != count)
          context.error("combine function returns " + Twine(list.size()) + " values, expected " +
                        Twine(count) + ", one per input");
        return list;
      });
  if (results.empty())
    return Value::poison();
  return given.isTuple() ? Value::tuple({results.begin(), results.end()}) : results[0];
}

void addReductions(Vocabulary &vocabulary) {
  static constexpr LanguageEntry kEntries[] = {
      {"tl.reduce", "input, axis, combine_fn, keep_dims=False", lowerReduce},
      {"tl.sum", "input, axis=None, keep_dims=False, dtype=None", lowerSum},
      {"tl.xor_sum", "input, axis=None, keep_dims=False", lowerBits<BinaryOperator::Xor>},
      {"tl.reduce_or", "input, axis=None, keep_dims=False", lowerBits<BinaryOperator::Or>},
      {"tl.max",
       "input, axis=None, return_indices=False, return_indices_tie_break_left=True, "
       "keep_dims=False",
       lowerExtreme<true>},
      {"tl.min",
       "input, axis=None, return_indices=False, return_indices_tie_break_left=True, "
       "keep_dims=False",
       lowerExtreme<false>},
      {"tl.argmax", "input, axis, tie_break_left=True, keep_dims=False", lowerArgExtreme<true>},
      {"tl.argmin", "input, axis, tie_break_left=True, keep_dims=False", lowerArgExtreme<false>},
  };
  vocabulary.add(kEntries);
}

} // namespace kiln::frontend::triton
