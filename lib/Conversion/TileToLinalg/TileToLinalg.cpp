//===- TileToLinalg.cpp - one form for all that maps lanes one to one ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   %b = linalg.broadcast ins(%m) … dimensions = [1]     %d = linalg.generic {maps of %x and %m}
//   %d = arith.subf %x, %b : tensor<64x128xf32>               ins(%x, %m) { subf; yield }
//
// Elementwise operations on tensors become `linalg.generic`; broadcasts and transposes of their
// operands become indexing maps, splats of scalars scalar operands. A broadcast or transpose with
// another user (a store, a reduction) stays the structured operation that it is. Loads, stores,
// iotas and reductions stay in the tile dialect. Undefined tensors that are computed with are zero.
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Dialect/Tile/IR/Tile.h"
#include "kiln/Target/Cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace kiln::cpu {

#define GEN_PASS_DEF_TILETOLINALGPASS
#include "kiln/Target/Cpu/Passes.h.inc"

namespace {

bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

bool isElementwise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() &&
         llvm::all_of(op->getResults(), isTensor);
}

/// An operand of the generic operation, seen through broadcasts, transposes and splats.
struct Operand {
  Value value;
  AffineMap map;
};

Operand seeThrough(Value value, unsigned rank, MLIRContext *context) {
  Operand operand{value, AffineMap::getMultiDimIdentityMap(rank, context)};
  if (!isTensor(value))
    operand.map = AffineMap::get(rank, 0, context);
  while (Operation *def = operand.value.getDefiningOp()) {
    ArrayRef<AffineExpr> exprs = operand.map.getResults();
    SmallVector<AffineExpr> next;
    if (auto broadcast = dyn_cast<linalg::BroadcastOp>(def)) {
      for (auto [dim, expr] : llvm::enumerate(exprs))
        if (!llvm::is_contained(broadcast.getDimensions(), int64_t(dim)))
          next.push_back(expr);
      operand.value = broadcast.getInput();
    } else if (auto transpose = dyn_cast<linalg::TransposeOp>(def)) {
      // Result dimension i is dimension permutation[i] of the input.
      next.resize(exprs.size());
      for (auto [dim, from] : llvm::enumerate(transpose.getPermutation()))
        next[from] = exprs[dim];
      operand.value = transpose.getInput();
    } else if (auto splat = dyn_cast<tensor::SplatOp>(def)) {
      operand.value = splat.getInput();
    } else {
      break;
    }
    operand.map = AffineMap::get(rank, 0, next, context);
  }
  return operand;
}

void lowerElementwise(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  unsigned rank = type.getRank();
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  for (Value value : op->getOperands()) {
    Operand operand = seeThrough(value, rank, op->getContext());
    inputs.push_back(operand.value);
    maps.push_back(operand.map);
  }
  for (Value result : op->getResults()) {
    inits.push_back(tensor::EmptyOp::create(builder, loc, type.getShape(),
                                            getElementTypeOrSelf(result.getType())));
    maps.push_back(AffineMap::getMultiDimIdentityMap(rank, op->getContext()));
  }
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, op->getResultTypes(), inputs, inits, maps, iterators,
      [&](OpBuilder &body, Location, ValueRange arguments) {
        OperationState state(loc, op->getName(), arguments.take_front(inputs.size()), {},
                             op->getAttrs());
        for (Type result : op->getResultTypes())
          state.types.push_back(getElementTypeOrSelf(result));
        linalg::YieldOp::create(body, loc, body.create(state)->getResults());
      });
  op->replaceAllUsesWith(generic);
  op->erase();
}

/// What is computed from undefined lanes is computed from zeros. Where such a tensor is only handed
/// on, to a loop or out of a branch, it stays: nothing has to be written for it.
void defineUsedLanes(tensor::EmptyOp empty) {
  Value zeros;
  for (OpOperand &use : llvm::make_early_inc_range(empty->getUses())) {
    Operation *user = use.getOwner();
    auto structured = dyn_cast<DestinationStyleOpInterface>(user);
    if ((structured && structured.isDpsInit(&use)) ||
        isa<scf::ForOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp>(user))
      continue;
    if (!zeros) {
      OpBuilder builder(empty);
      zeros =
          arith::ConstantOp::create(builder, empty.getLoc(), builder.getZeroAttr(empty.getType()));
    }
    use.set(zeros);
  }
}

struct TileToLinalgPass : impl::TileToLinalgPassBase<TileToLinalgPass> {
  using TileToLinalgPassBase::TileToLinalgPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> elementwise, shapes;
    getOperation().walk([&](Operation *op) {
      if (auto empty = dyn_cast<tensor::EmptyOp>(op))
        defineUsedLanes(empty);
      else if (isElementwise(op))
        elementwise.push_back(op);
      else if (isa<linalg::BroadcastOp, linalg::TransposeOp, tensor::SplatOp>(op))
        shapes.push_back(op);
    });
    for (Operation *op : elementwise)
      lowerElementwise(op);
    // Those that only elementwise operations have read are of no use any more.
    for (Operation *op : llvm::reverse(shapes))
      if (op->use_empty())
        op->erase();
  }
};

} // namespace
} // namespace kiln::cpu
