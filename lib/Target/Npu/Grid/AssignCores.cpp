//===- AssignCores.cpp - which unit does what ------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A scalar that a reduction made lies on chip, and the scalar unit would have to wait for the
// vector unit to drain before it can read it. So what only goes through arithmetic and back into
// tiles stays on the vector unit:
//   %s = tile.reduce(%x) … : f32              %s = tile.reduce(expand_shape %x) … : tensor<1xf32>
//   %m = arith.divf %s, %n : f32        ->    %m = arith.divf %s, splat %n : tensor<1xf32>
//   %t = tensor.splat %m : tensor<64xf32>     %t = linalg.broadcast of %m, collapsed to 64
// A store of such a scalar becomes a store of one lane; any other user (control, addresses) reads
// it with `tensor.extract`. Scalars that loops carry go along with what is carried into them.
//
//===-----------------------------------------------------------------------------------------===//

#include "../ChipOption.h"
#include "Residence.h"

#include "kiln/Dialect/Npu/IR/Npu.h"
#include "kiln/Target/Npu/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_ASSIGNCORESPASS
#include "kiln/Target/Npu/Passes.h.inc"

namespace {

/// Rewrites scalars that stay on the vector unit, each op after what it uses.
class Mover {
public:
  explicit Mover(const Residence &residence) : residence(residence) {}

  void move(func::FuncOp function) {
    moveBlock(function.getBody().front());
    for (Operation *op : llvm::reverse(dead))
      op->erase();
  }

private:
  static RankedTensorType oneLane(Type element) { return RankedTensorType::get({1}, element); }

  void moveBlock(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      moveOp(&op);
  }

  void moveOp(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return moveLoop(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return moveIf(branch);
    if (!isa<tile::ReduceOp>(op))
      for (Region &region : op->getRegions())
        for (Block &block : region)
          moveBlock(block);
    if (op->getNumResults() == 1 && residence.contains(op->getResult(0)))
      return moveResult(op);
    if (auto reduce = dyn_cast<tile::ReduceOp>(op); reduce && anyResident(op->getResults()))
      return moveReduce(reduce);
    if (auto splat = dyn_cast<tensor::SplatOp>(op); splat && isMoved(splat.getInput()))
      return moveSplat(splat);
    if (auto store = dyn_cast<tile::PtrStoreOp>(op); store && isMoved(store.getValue()))
      return moveStore(store);
    readBack(op);
  }

  bool isMoved(Value value) const { return moved.contains(value); }
  bool anyResident(ValueRange values) const {
    return llvm::any_of(values, [&](Value v) { return residence.contains(v); });
  }

  /// The value as a tensor of one element, made before `op` where it is a scalar.
  Value asTensor(Value value, Operation *op) {
    if (Value tensor = moved.lookup(value))
      return tensor;
    OpBuilder b(op);
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      return arith::ConstantOp::create(
          b, op->getLoc(), DenseElementsAttr::get(oneLane(value.getType()), constant.getValue()));
    return tensor::SplatOp::create(b, op->getLoc(), value, ArrayRef<int64_t>{1});
  }

  /// Scalar users of what has moved read it where they stand.
  void readBack(Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (Value tensor = moved.lookup(operand.get())) {
        ImplicitLocOpBuilder b(op->getLoc(), op);
        Value zero = arith::ConstantIndexOp::create(b, 0);
        operand.set(tensor::ExtractOp::create(b, tensor, zero));
      }
  }

  void moveResult(Operation *op) {
    if (auto reduce = dyn_cast<tile::ReduceOp>(op))
      return moveReduce(reduce);
    Value result = op->getResult(0);
    dead.push_back(op);
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      moved[result] = extract.getTensor();
      return;
    }
    OperationState state(op->getLoc(), op->getName());
    for (Value operand : op->getOperands())
      state.operands.push_back(asTensor(operand, op));
    state.addAttributes(op->getAttrs());
    state.addTypes(oneLane(result.getType()));
    moved[result] = OpBuilder(op).create(state)->getResult(0);
  }

  /// All results of the reduction move: the leading dimension of 1 keeps them tensors.
  void moveReduce(tile::ReduceOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    SmallVector<Value> inputs;
    SmallVector<Type> types;
    for (Value input : op.getInputs()) {
      auto type = cast<RankedTensorType>(input.getType());
      auto wide = RankedTensorType::get({1, type.getDimSize(0)}, type.getElementType());
      inputs.push_back(
          tensor::ExpandShapeOp::create(b, wide, input, ArrayRef<ReassociationIndices>{{0, 1}}));
      types.push_back(oneLane(type.getElementType()));
    }
    auto reduce = tile::ReduceOp::create(b, types, inputs, b.getI64IntegerAttr(1));
    reduce.getCombine().takeBody(op.getCombine());
    for (auto [scalar, tensor] : llvm::zip(op.getResults(), reduce.getResults()))
      moved[scalar] = tensor;
    dead.push_back(op);
  }

  void moveSplat(tensor::SplatOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Value lane = moved.lookup(op.getInput());
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<int64_t> shape(type.getShape()), added;
    if (llvm::all_of(shape, [](int64_t size) { return size == 1; }) && shape.size() == 1) {
      op.replaceAllUsesWith(lane);
      dead.push_back(op);
      return;
    }
    shape.insert(shape.begin(), 1);
    for (int64_t dim = 1; dim != int64_t(shape.size()); ++dim)
      added.push_back(dim);
    Value init = tensor::EmptyOp::create(b, shape, type.getElementType());
    Value wide = linalg::BroadcastOp::create(b, lane, init, added)->getResult(0);
    SmallVector<ReassociationIndices> groups = {{0, 1}};
    for (int64_t dim = 2; dim != int64_t(shape.size()); ++dim)
      groups.push_back({dim});
    op.replaceAllUsesWith(tensor::CollapseShapeOp::create(b, type, wide, groups).getResult());
    dead.push_back(op);
  }

  /// One lane to memory by the transfer pipe, which waits for the vector unit alone. A mask of one
  /// bit is the upper bound of the lane.
  void moveStore(tile::PtrStoreOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Value zero = arith::ConstantIndexOp::create(b, 0);
    auto element = cast<tile::PtrType>(op.getPtr().getType()).getPointee();
    auto type = tile::ViewType::get({1}, element);
    Value view =
        tile::ViewOp::create(b, type, op.getPtr(), zero, ValueRange(), b.getDenseI64ArrayAttr({1}),
                             b.getDenseI64ArrayAttr({}), ValueRange(), ValueRange());
    SmallVector<Value> lower, upper;
    if (Value mask = op.getMask()) {
      lower.push_back(zero);
      Value one = arith::ConstantIndexOp::create(b, 1);
      upper.push_back(arith::SelectOp::create(b, mask, one, zero));
    }
    tile::StoreOp::create(b, view, moved.lookup(op.getValue()), lower, upper, Value());
    dead.push_back(op);
  }

  void moveLoop(scf::ForOp loop) {
    SmallVector<Value> inits;
    for (auto [init, argument] : llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs()))
      inits.push_back(residence.contains(argument) ? asTensor(init, loop) : init);
    if (!anyResident(loop.getRegionIterArgs())) {
      readBack(loop);
      moveBlock(*loop.getBody());
      return;
    }
    OpBuilder b(loop);
    auto changed = scf::ForOp::create(b, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                      loop.getStep(), inits);
    changed->setAttrs(loop->getAttrs());
    changed.getRegion().takeBody(loop.getRegion());
    for (auto [argument, result, init, old] :
         llvm::zip(changed.getRegionIterArgs(), changed.getResults(), inits, loop.getResults())) {
      if (residence.contains(argument)) {
        carry(argument, init.getType());
        moved[old] = result;
      } else {
        old.replaceAllUsesWith(result);
      }
    }
    readBack(changed);
    moveBlock(*changed.getBody());
    yieldMoved(changed.getBody()->getTerminator(), changed.getResultTypes());
    dead.push_back(loop);
  }

  /// A block argument takes its new type; a stand-in of the old type keeps its users until each of
  /// them has been looked at.
  void carry(BlockArgument argument, Type type) {
    OpBuilder b = OpBuilder::atBlockBegin(argument.getOwner());
    Type old = argument.getType();
    auto standIn = UnrealizedConversionCastOp::create(b, argument.getLoc(), old, argument);
    argument.setType(type);
    argument.replaceAllUsesExcept(standIn.getResult(0), standIn);
    moved[standIn.getResult(0)] = argument;
    dead.push_back(standIn);
  }

  void moveIf(scf::IfOp branch) {
    readBack(branch);
    SmallVector<Type> types;
    for (Value result : branch.getResults())
      types.push_back(residence.contains(result) ? Type(oneLane(result.getType()))
                                                 : result.getType());
    for (Region &region : branch->getRegions())
      if (!region.empty())
        moveBlock(region.front());
    if (!anyResident(branch.getResults()))
      return;
    OpBuilder b(branch);
    auto changed = scf::IfOp::create(b, branch.getLoc(), types, branch.getCondition(), true);
    changed->setAttrs(branch->getAttrs());
    for (auto [to, from] : llvm::zip(changed->getRegions(), branch->getRegions())) {
      to.takeBody(from);
      yieldMoved(to.front().getTerminator(), types);
    }
    for (auto [old, result] : llvm::zip(branch.getResults(), changed.getResults())) {
      if (residence.contains(old))
        moved[old] = result;
      else
        old.replaceAllUsesWith(result);
    }
    dead.push_back(branch);
  }

  /// The terminator yields tensors where the types ask for them; `readBack` has made scalars.
  void yieldMoved(Operation *yield, TypeRange types) {
    for (auto [operand, type] : llvm::zip(yield->getOpOperands(), types)) {
      if (operand.get().getType() == type)
        continue;
      auto extract = operand.get().getDefiningOp<tensor::ExtractOp>();
      operand.set(extract ? extract.getTensor() : asTensor(operand.get(), yield));
      if (extract && extract->use_empty())
        extract.erase();
    }
  }

  const Residence &residence;
  DenseMap<Value, Value> moved;
  SmallVector<Operation *> dead;
};

struct AssignCoresPass : impl::AssignCoresPassBase<AssignCoresPass> {
  using AssignCoresPassBase::AssignCoresPassBase;

  void runOnOperation() override {
    auto machine = machineOf(chip, getOperation());
    if (!machine)
      return signalPassFailure();
    Residence residence(*machine, getOperation());
    Mover(residence).move(getOperation());
    getOperation()->setAttr(kCoreAttr, StringAttr::get(&getContext(), "aiv"));
  }
};

} // namespace
} // namespace kiln::npu
