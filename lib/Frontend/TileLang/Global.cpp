//===- Global.cpp - lanes over global memory --------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Accesses are written in pointer form, as Triton's are, so that both languages come to the same
// views. A lane whose index may lie outside the tensor is masked; bounds that hold anyway (for the
// index of the program, for loop variables) are left out.
//
//===-----------------------------------------------------------------------------------------===//

#include "Copies.h"

#include "kiln/Analysis/LaneAffine.h"
#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::frontend::tilelang {

using namespace triton;

namespace {

/// Proves bounds of one index against one extent.
class Bounds {
public:
  Bounds(State &state, const Value &index, const Value &extent)
      : state(state), facts(affines.getFacts()), exprs(&facts) {
    if (index.asInt())
      form = LinearExpr(index.asInt()->asInt64().value_or(LinearExprMax));
    else if (const LaneAffine *affine = affines.get(index.ir()))
      read(*affine, index.type().shape());
    if (extent.asInt())
      size = LinearExpr(extent.asInt()->asInt64().value_or(0));
    else if (extent.isRuntime())
      size = exprs.get(extent.ir());
  }

  /// The index and those behind it.
  void addLanes(int64_t count) { lanes += count - 1; }

  bool isNonNegative() { return form && hasOnlyPositiveLanes && facts.get(*form).isNonNegative(); }
  bool isBelow() {
    if (!form || !size || !hasOnlyPositiveLanes)
      return false;
    LinearExpr last = largest(*form + LinearExpr(lanes));
    LinearExpr room = *size - last - LinearExpr(1);
    return facts.get(room).isNonNegative();
  }

private:
  static constexpr int64_t LinearExprMax = int64_t(1) << 62;

  void read(const LaneAffine &affine, ShapeRef shape) {
    form = affine.offset;
    for (auto [dim, lane] : llvm::enumerate(affine.dims)) {
      std::optional<int64_t> coefficient = lane.coefficient.asConstant();
      hasOnlyPositiveLanes &= !lane.wrap && coefficient && *coefficient >= 0;
      lanes += coefficient.value_or(0) * (shape[dim] - 1);
    }
  }

  /// The expression with what is known to be below something at its largest.
  LinearExpr largest(LinearExpr expr) {
    for (int round = 0; round < 4; ++round) {
      bool changed = false;
      for (const LinearTerm &term : llvm::SmallVector<LinearTerm>(expr.getTerms())) {
        if (term.factors.size() != 1 || term.coefficient < 0)
          continue;
        std::optional<LinearExpr> bound = boundOf(term.factors.front());
        if (!bound)
          continue;
        expr = expr - LinearExpr::leaf(term.factors.front()) * term.coefficient +
               (*bound - LinearExpr(1)) * term.coefficient;
        changed = true;
      }
      if (!changed)
        break;
    }
    return expr;
  }

  /// What a scalar is below: the number of blocks, the end of a loop that counts up.
  std::optional<LinearExpr> boundOf(mlir::Value value) {
    if (auto found = state.below.find(value); found != state.below.end()) {
      const Value &bound = found->second;
      return bound.asInt() ? LinearExpr(bound.asInt()->asInt64().value_or(LinearExprMax))
                           : exprs.get(bound.ir());
    }
    auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
    auto loop = argument
                    ? mlir::dyn_cast_or_null<mlir::scf::ForOp>(argument.getOwner()->getParentOp())
                    : mlir::scf::ForOp();
    if (!loop || loop.getInductionVar() != value || !facts.get(loop.getStep()).isPositive())
      return std::nullopt;
    return exprs.get(loop.getUpperBound());
  }

  State &state;
  LaneAffines affines;
  IntegerFacts &facts;
  LinearExprs exprs;
  std::optional<LinearExpr> form, size;
  int64_t lanes = 0; ///< what the last lane adds
  bool hasOnlyPositiveLanes = true;
};

/// Pointers and the mask of an access; a poison mask: all lanes.
struct Address {
  Value pointer, mask;
};

} // namespace

bool isInside(CallContext &context, const Value &start, int64_t count, const Value &extent) {
  Bounds bounds(stateOf(context), start, extent);
  bounds.addLanes(count);
  return bounds.isNonNegative() && bounds.isBelow();
}

Value meetMasks(CallContext &context, const Value &a, const Value &b) {
  if (a.isPoison() || b.isPoison())
    return a.isPoison() ? b : a;
  return context.binary(BinaryOperator::LogicalAnd, a, b);
}

static std::optional<Address> addressOf(CallContext &context, const BufferData &buffer,
                                        llvm::ArrayRef<Value> indices, ShapeRef shape,
                                        const Value &mask) {
  if (indices.size() != buffer.shape.size()) {
    context.error("found " + llvm::Twine(indices.size()) + " indices for " +
                  describe(Value::buffer(std::make_shared<BufferData>(buffer))) + ", expected " +
                  llvm::Twine(buffer.shape.size()));
    return std::nullopt;
  }
  Value offset = Value::integer(0), stride = Value::integer(1);
  Address address{Value::poison(), mask};
  for (size_t dim = indices.size(); dim-- > 0;) {
    const Value &index = indices[dim], &extent = buffer.shape[dim];
    Value term = context.binary(BinaryOperator::Mul, index, stride);
    offset = dim + 1 == indices.size() ? term : context.binary(BinaryOperator::Add, term, offset);
    if (dim)
      stride = context.binary(BinaryOperator::Mul, stride, extent);
    if (offset.isPoison())
      return std::nullopt;
    Bounds bounds(stateOf(context), index, extent);
    if (!bounds.isBelow())
      address.mask =
          meetMasks(context, address.mask, context.compare(CompareOperator::Lt, index, extent));
    if (!bounds.isNonNegative())
      address.mask = meetMasks(context, address.mask,
                               context.compare(CompareOperator::Ge, index, Value::integer(0)));
  }
  Value base = Value::runtime(buffer.handle, Type::pointer(buffer.dtype));
  offset = context.materialize(offset);
  Value parts[] = {offset, address.mask.isPoison() ? Value::boolean(true) : address.mask};
  for (Value &part : parts) {
    part = context.materialize(part);
    if (part.isPoison())
      return std::nullopt;
    if (!shape.empty())
      part =
          part.type().isScalar() ? splat(context, part, shape) : broadcastTo(context, part, shape);
  }
  address.pointer = addPointer(context, base, parts[0]);
  if (!address.mask.isPoison())
    address.mask = parts[1];
  return address.pointer.isPoison() ? std::nullopt : std::optional(address);
}

Value loadGlobal(CallContext &context, const BufferData &buffer, llvm::ArrayRef<Value> indices,
                 ShapeRef shape, const Value &mask, const Value &pad) {
  std::optional<Address> address = addressOf(context, buffer, indices, shape, mask);
  if (!address)
    return Value::poison();
  llvm::SmallVector<std::pair<std::string, Value>> keywords;
  if (!address->mask.isPoison()) {
    keywords.push_back({"mask", address->mask});
    if (!pad.isPoison())
      keywords.push_back({"other", pad});
  }
  return context.callLanguage("tl.load", {address->pointer}, keywords);
}

Value storeGlobal(CallContext &context, const BufferData &buffer, llvm::ArrayRef<Value> indices,
                  ShapeRef shape, const Value &mask, const Value &value) {
  std::optional<Address> address = addressOf(context, buffer, indices, shape, mask);
  if (!address || value.isPoison())
    return Value::poison();
  llvm::SmallVector<std::pair<std::string, Value>> keywords;
  if (!address->mask.isPoison())
    keywords.push_back({"mask", address->mask});
  return context.callLanguage("tl.store", {address->pointer, value}, keywords);
}

} // namespace kiln::frontend::tilelang
