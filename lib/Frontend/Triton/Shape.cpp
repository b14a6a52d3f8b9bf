//===- Shape.cpp - the same numbers in another shape -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Semantics.h"
#include "Tables.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

namespace kiln::frontend::triton {

using llvm::Twine;

/// The argument as a block; scalars are an error.
static Value block(CallContext &context, const Arguments &arguments, llvm::StringRef name) {
  Value value = context.runtime(arguments, name);
  if (!value.isPoison() && value.type().isScalar())
    return wrongArgument(context, arguments, name, value, "a block");
  return value;
}

//===----------------------------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------------------------===//

static Value lowerBroadcast(CallContext &context, const Arguments &arguments) {
  Value values[] = {context.runtime(arguments, "input"), context.runtime(arguments, "other")};
  if (!broadcastTogether(context, values))
    return Value::poison();
  return Value::tuple({values[0], values[1]});
}

static Value lowerBroadcastTo(CallContext &context, const Arguments &arguments) {
  Value value = context.runtime(arguments, "input");
  std::optional<Shape> shape = context.shapeConst(arguments.rest());
  if (value.isPoison() || !shape)
    return Value::poison();
  ShapeRef from = value.type().shape();
  if (value.type().isScalar())
    return splat(context, value, *shape);
  if (from.size() != shape->size())
    return context.error("cannot broadcast " + describe(value) + " to [" + shapeText(*shape) +
                         "], expected a shape of " + Twine(from.size()) + " dimensions");
  for (auto [dim, size] : llvm::enumerate(from))
    if (size != 1 && size != (*shape)[dim])
      return context.error("cannot broadcast " + describe(value) + " to [" + shapeText(*shape) +
                           "]: dimension " + Twine(dim) + " has size " + Twine(size) +
                           ", expected 1 or " + Twine((*shape)[dim]));
  return broadcastTo(context, value, *shape);
}

//===----------------------------------------------------------------------------------------===//
// Unit dimensions
//===----------------------------------------------------------------------------------------===//

static Value lowerExpandDims(CallContext &context, const Arguments &arguments) {
  Value value = context.runtime(arguments, "input");
  auto axes = context.intsConst(arguments, "axis");
  if (value.isPoison() || !axes)
    return Value::poison();
  int64_t rank = value.type().rank() + axes->size();
  for (int64_t &axis : *axes) {
    if (axis < -rank || axis >= rank)
      return wrongArgument(context, arguments, "axis", Twine(axis),
                           Twine(-rank) + " to " + Twine(rank - 1));
    axis += axis < 0 ? rank : 0;
  }
  llvm::sort(*axes);
  if (std::adjacent_find(axes->begin(), axes->end()) != axes->end())
    return wrongArgument(context, arguments, "axis", "a dimension twice", "each one once");
  for (int64_t axis : *axes)
    value = insertUnitDim(context, value, axis);
  return value;
}

static Value lowerUnsqueeze(CallContext &context, const Arguments &arguments) {
  Value value = context.runtime(arguments, "x");
  if (value.isPoison())
    return value;
  std::optional<int64_t> dim = context.axisConst(arguments, "dim", value.type().rank() + 1);
  return dim ? insertUnitDim(context, value, *dim) : Value::poison();
}

static Value lowerSqueeze(CallContext &context, const Arguments &arguments) {
  Value value = block(context, arguments, "x");
  if (value.isPoison())
    return value;
  std::optional<int64_t> dim = context.axisConst(arguments, "dim", value.type().rank());
  if (!dim)
    return Value::poison();
  Shape shape(value.type().shape());
  if (shape[*dim] != 1)
    return wrongArgument(context, arguments, "dim", "a dimension of size " + Twine(shape[*dim]),
                         "one of size 1");
  if (shape.size() == 1)
    return wrongArgument(context, arguments, "x", value, "at least 2 dimensions");
  shape.erase(shape.begin() + *dim);
  return reshapeTo(context, value, shape);
}

//===----------------------------------------------------------------------------------------===//
// Reshape and transpose
//===----------------------------------------------------------------------------------------===//

/// Always row-major: `can_reorder` would allow more, and is accepted.
static Value lowerReshape(CallContext &context, const Arguments &arguments) {
  Value value = context.runtime(arguments, "input");
  std::optional<Shape> shape = context.shapeConst(arguments.rest());
  if (value.isPoison() || !shape)
    return Value::poison();
  int64_t count = Type(DType::I1).withShape(*shape).numElements();
  int64_t have = value.type().isBlock() ? value.type().numElements() : 1;
  if (count != have)
    return context.error("shape [" + shapeText(*shape) + "] has " + Twine(count) +
                         " elements, expected the " + Twine(have) + " of " + describe(value));
  return reshapeTo(context, value, *shape);
}

static Value lowerRavel(CallContext &context, const Arguments &arguments) {
  Value value = context.runtime(arguments, "x");
  if (value.isPoison())
    return value;
  return reshapeTo(context, value, {value.type().isBlock() ? value.type().numElements() : 1});
}

/// Dimensions as one tuple or one by one.
static std::optional<Shape> dims(CallContext &context, const Arguments &arguments) {
  Shape result;
  llvm::SmallVector<Value> values = arguments.restValues();
  if (values.size() == 1 && values[0].isTuple())
    values.assign(values[0].elements().begin(), values[0].elements().end());
  for (const Value &value : values) {
    const Integer *dim = value.asInt();
    if (!dim || !dim->asInt64()) {
      context.error("dims has " + describe(value) + ", expected constant ints");
      return std::nullopt;
    }
    result.push_back(*dim->asInt64());
  }
  return result;
}

static Value permute(CallContext &context, const Value &value, Shape order) {
  int64_t rank = value.type().rank();
  for (int64_t &dim : order)
    dim += dim < 0 ? rank : 0;
  Shape sorted = order;
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, rank)))
    return context.error("dims is [" + shapeText(order) + "], expected a permutation of the " +
                         Twine(rank) + " dimensions of " + describe(value));
  return permuteDims(context, value, order);
}

static Value lowerPermute(CallContext &context, const Arguments &arguments) {
  Value value = block(context, arguments, "input");
  std::optional<Shape> order = dims(context, arguments);
  return value.isPoison() || !order ? Value::poison() : permute(context, value, *order);
}

/// Without dims, swaps the last two.
static Value lowerTrans(CallContext &context, const Arguments &arguments) {
  if (!arguments.rest().empty())
    return lowerPermute(context, arguments);
  Value value = block(context, arguments, "input");
  if (value.isPoison())
    return value;
  int64_t rank = value.type().rank();
  if (rank < 2)
    return wrongArgument(context, arguments, "input", value, "at least 2 dimensions");
  Shape order(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
  std::swap(order[rank - 2], order[rank - 1]);
  return permuteDims(context, value, order);
}

//===----------------------------------------------------------------------------------------===//
// Joining and splitting, along a new last dimension of 2
//===----------------------------------------------------------------------------------------===//

/// Lane (…, 0) is a's, lane (…, 1) is b's: a select on the last index.
static Value join(CallContext &context, const Value &a, const Value &b) {
  Value values[] = {a, b};
  if (a.isPoison() || b.isPoison() || !promote(context, values))
    return Value::poison();
  Shape shape(values[0].type().shape());
  shape.push_back(2);
  for (Value &value : values)
    value = broadcastTo(context, insertUnitDim(context, value, value.type().rank()), shape);
  Value index = indicesAlong(context, shape, shape.size() - 1);
  Value isFirst = compareOperator(context, CompareOperator::Eq, index, Value::integer(0));
  return select(context, isFirst, values[0], values[1]);
}

static Value lowerJoin(CallContext &context, const Arguments &arguments) {
  return join(context, context.runtime(arguments, "a"), context.runtime(arguments, "b"));
}

/// One half of `split`: folding (left, right) to one of the two takes the first or last lane.
static Value takeLane(CallContext &context, const Value &value, bool first) {
  const Type &type = value.type();
  Shape shape(type.shape());
  shape.pop_back();
  Type resultType = type.withShape(shape);
  mlir::Type element = type.mlirElement(context.mlirContext());
  auto op = context.create<tile::ReduceOp>(mlir::TypeRange{resultType.mlir(context.mlirContext())},
                                           mlir::ValueRange{value.ir()},
                                           context.builder().getI64IntegerAttr(shape.size()));
  mlir::OpBuilder::InsertionGuard guard(context.builder());
  mlir::Block *body = context.builder().createBlock(&op.getCombine(), {}, {element, element},
                                                    {context.loc(), context.loc()});
  context.create<tile::YieldOp>(mlir::ValueRange{body->getArgument(first ? 0 : 1)});
  return Value::runtime(op.getResult(0), resultType);
}

static Value lowerSplit(CallContext &context, const Arguments &arguments) {
  Value value = block(context, arguments, "a");
  if (value.isPoison())
    return value;
  if (value.type().shape().back() != 2)
    return wrongArgument(context, arguments, "a", value, "a last dimension of size 2");
  return Value::tuple({takeLane(context, value, true), takeLane(context, value, false)});
}

static Value lowerInterleave(CallContext &context, const Arguments &arguments) {
  Value joined = join(context, context.runtime(arguments, "a"), context.runtime(arguments, "b"));
  if (joined.isPoison())
    return joined;
  Shape shape(joined.type().shape());
  if (shape.size() == 1)
    return joined;
  shape.pop_back();
  shape.back() *= 2;
  return reshapeTo(context, joined, shape);
}

/// a's lanes, then b's along `dim`; row-major order also where `can_reorder` allows another.
static Value lowerCat(CallContext &context, const Arguments &arguments) {
  Value a = block(context, arguments, "input"), b = block(context, arguments, "other");
  if (a.isPoison() || b.isPoison())
    return Value::poison();
  if (a.type().shape() != b.type().shape())
    return wrongArgument(context, arguments, "other", b,
                         "the shape of input, [" + Twine(shapeText(a.type().shape())) + "]");
  std::optional<int64_t> dim = context.axisConst(arguments, "dim", a.type().rank());
  if (!dim)
    return Value::poison();
  Value joined = join(context, a, b);
  if (joined.isPoison())
    return joined;
  // The dimension of 2 goes before `dim`, and both become one.
  Shape order(llvm::to_vector(llvm::seq<int64_t>(0, a.type().rank())));
  order.insert(order.begin() + *dim, a.type().rank());
  Shape shape(a.type().shape());
  shape[*dim] *= 2;
  return reshapeTo(context, permuteDims(context, joined, order), shape);
}

//===----------------------------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------------------------===//

/// The place of (i, j) of a row-major matrix if groups of `size_g` rows are walked column by
/// column.
static Value lowerSwizzle2d(CallContext &context, const Arguments &arguments) {
  auto apply = [&](BinaryOperator op, const Value &lhs, const Value &rhs) {
    return lhs.isPoison() || rhs.isPoison() ? Value::poison() : context.binary(op, lhs, rhs);
  };
  using enum BinaryOperator;
  const Value &i = arguments["i"], &j = arguments["j"], &sizeI = arguments["size_i"],
              &sizeJ = arguments["size_j"], &sizeG = arguments["size_g"];
  Value linear = apply(Add, apply(Mul, i, sizeJ), j);
  Value perGroup = apply(Mul, sizeG, sizeJ);
  Value firstRow = apply(Mul, apply(FloorDiv, linear, perGroup), sizeG);
  Value rowsLeft = apply(Sub, sizeI, firstRow);
  if (rowsLeft.isPoison())
    return rowsLeft;
  Value rows = context.callLanguage("tl.minimum", {rowsLeft, sizeG});
  Value within = apply(Mod, linear, perGroup);
  Value newI = apply(Add, firstRow, apply(Mod, within, rows));
  return Value::tuple({newI, apply(FloorDiv, within, rows)});
}

void addShape(Vocabulary &vocabulary) {
  static constexpr LanguageEntry kEntries[] = {
      {"tl.broadcast", "input, other", lowerBroadcast},
      {"tl.broadcast_to", "input, *shape", lowerBroadcastTo},
      {"tl.expand_dims", "input, axis", lowerExpandDims},
      {"tl.squeeze", "x, dim", lowerSqueeze},
      {"tl.unsqueeze", "x, dim", lowerUnsqueeze},
      {"tl.reshape", "input, *shape, can_reorder=False", lowerReshape},
      {"tl.view", "input, *shape", lowerReshape},
      {"tl.ravel", "x, can_reorder=False", lowerRavel},
      {"tl.permute", "input, *dims", lowerPermute},
      {"tl.trans", "input, *dims", lowerTrans},
      {"tl.join", "a, b", lowerJoin},
      {"tl.split", "a", lowerSplit},
      {"tl.interleave", "a, b", lowerInterleave},
      {"tl.cat", "input, other, can_reorder=False, dim=0", lowerCat},
      {"tl.swizzle2d", "i, j, size_i, size_j, size_g", lowerSwizzle2d},
  };
  vocabulary.add(kEntries);
}

} // namespace kiln::frontend::triton
