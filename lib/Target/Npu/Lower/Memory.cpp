//===- Memory.cpp - accesses to global memory ------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Lowering.h"
#include "Transfers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using bufferization::MaterializeInDestinationOp;

namespace kiln::npu::lower {

//===-----------------------------------------------------------------------------------------===//
// Pads
//===-----------------------------------------------------------------------------------------===//

/// The tile lies in a ring, or in a buffer that the author named, from which something else may
/// read it.
static bool isSharedSlot(Value tile) {
  while (auto window = tile.getDefiningOp<WindowOp>())
    tile = window.getSource();
  if (auto alloc = tile.getDefiningOp<AllocOp>(); alloc && alloc.getName())
    return true;
  auto slot = tile.getDefiningOp<SlotOp>();
  return slot && !slot.getRing().hasOneUse();
}

/// Lanes that the store writes are lanes that the load has read.
static bool staysInside(tile::StoreOp store, tile::LoadOp load) {
  if (load.getMask() && load.getMask() != store.getMask())
    return false;
  for (int64_t dim = 0, rank = load.getView().getType().getRank(); dim < rank; ++dim) {
    if (load.getUpper().empty())
      return true;
    int64_t size = load.getView().getType().getShape()[dim];
    OpFoldResult read = getAsOpFoldResult(load.getUpper()[dim]);
    std::optional<int64_t> constant = getConstantIntValue(read);
    if (!constant || *constant < size) {
      if (store.getUpper().empty() || !isEqualConstantIntOrValue(read, store.getUpper()[dim]))
        return false;
    }
    std::optional<int64_t> low = getConstantIntValue(load.getLower()[dim]);
    if ((!low || *low > 0) &&
        (store.getLower().empty() ||
         !isEqualConstantIntOrValue(load.getLower()[dim], store.getLower()[dim])))
      return false;
  }
  return true;
}

bool Lowering::padMatters(tile::LoadOp load) const {
  SmallVector<Value> reached{load.getResult()};
  for (size_t next = 0; next < reached.size(); ++next)
    for (OpOperand &use : reached[next].getUses()) {
      Operation *user = use.getOwner();
      if (auto bind = dyn_cast<MaterializeInDestinationOp>(user)) {
        // The buffer has another name, under which it may be read.
        if (bind.getDest().hasOneUse() && !isSharedSlot(bind.getDest()))
          continue;
        return true;
      }
      auto store = dyn_cast<tile::StoreOp>(user);
      if (store && use.get() == store.getValue() && use.get() != store.getMask() &&
          staysInside(store, load))
        continue;
      if (!OpTrait::hasElementwiseMappableTraits(user) || user->getNumResults() != 1)
        return true;
      if (!llvm::is_contained(reached, user->getResult(0)))
        reached.push_back(user->getResult(0));
    }
  return false;
}

//===-----------------------------------------------------------------------------------------===//
// Loads and stores
//===-----------------------------------------------------------------------------------------===//

void Lowering::reportElements(const Transfer &transfer) {
  if (transfer.hasMask())
    slowPath(transfer.op, "a mask that is no range decides for each lane");
  else if (!transfer.global().getWrapDims().empty())
    slowPath(transfer.op, "its lanes wrap around");
  else
    slowPath(transfer.op, "neighbouring lanes are not neighbours in memory");
}

LogicalResult Lowering::lowerLoad(tile::LoadOp load) {
  auto view = load.getView().getDefiningOp<tile::ViewOp>();
  if (!view)
    return load.emitOpError("reads a view that comes from a block argument");
  View dst = destination(load.getResult());
  Transfer transfer(load, view, dst, load.getLower(), load.getUpper());
  if (load.getMask())
    transfer.mask = operandOf(load.getMask());
  Operand pad =
      load.getPad() ? operandOf(load.getPad()) : Operand(emitter.constant(dst.element, 0));
  const Operand *needed = padMatters(load) ? &pad : nullptr;
  if (emitRows(emitter, transfer, needed) || emitSpan(emitter, transfer, needed) ||
      emitColumns(emitter, transfer, needed))
    return success();
  reportElements(transfer);
  emitElements(emitter, transfer, needed);
  return success();
}

LogicalResult Lowering::lowerStore(tile::StoreOp store) {
  auto view = store.getView().getDefiningOp<tile::ViewOp>();
  if (!view)
    return store.emitOpError("writes a view that comes from a block argument");
  ArrayRef<int64_t> shape = store.getView().getType().getShape();
  Transfer transfer(store, view, emitter.dense(operandOf(store.getValue()), shape),
                    store.getLower(), store.getUpper());
  if (store.getMask())
    transfer.mask = operandOf(store.getMask());
  if (emitRows(emitter, transfer, nullptr) || emitColumns(emitter, transfer, nullptr))
    return success();
  reportElements(transfer);
  emitElements(emitter, transfer, nullptr);
  return success();
}

void Lowering::lowerIndexed(Operation *op) {
  slowPath(op, "every lane has an address of its own");
  if (auto gather = dyn_cast<tile::GatherOp>(op)) {
    View dst = destination(gather.getResult());
    View offsets = emitter.dense(operandOf(gather.getOffsets()), dst.sizes);
    Operand pad =
        gather.getPad() ? operandOf(gather.getPad()) : Operand(emitter.constant(dst.element, 0));
    Operand mask = gather.getMask() ? operandOf(gather.getMask()) : Operand();
    View target = apart(dst, {offsets, pad, mask});
    emitIndexed(emitter, true, gather.getBase(), offsets, gather.getMask() ? &mask : nullptr,
                target, &pad);
    if (target.buffer != dst.buffer)
      emitter.copy(target, dst);
    return;
  }
  auto scatter = cast<tile::ScatterOp>(op);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(scatter.getValue().getType()).getShape();
  View offsets = emitter.dense(operandOf(scatter.getOffsets()), shape);
  View source = emitter.dense(operandOf(scatter.getValue()), shape);
  Operand mask = scatter.getMask() ? operandOf(scatter.getMask()) : Operand();
  emitIndexed(emitter, false, scatter.getBase(), offsets, scatter.getMask() ? &mask : nullptr,
              source, nullptr);
}

//===-----------------------------------------------------------------------------------------===//
// Single elements of global memory
//===-----------------------------------------------------------------------------------------===//

LogicalResult Lowering::lowerScalarLoad(tile::PtrLoadOp load) {
  OpBuilder &builder = emitter.builder;
  Type type = load.getResult().getType();
  if (isa<RankedTensorType>(type))
    return load.emitOpError("loads through a tensor of pointers, which kiln-raise-access removes");
  auto read = [&] {
    return SLoadOp::create(builder, emitter.loc, type, load.getPtr(), emitter.index(0));
  };
  Value value;
  if (!load.getMask()) {
    value = read();
  } else {
    auto branch = scf::IfOp::create(builder, emitter.loc, type, load.getMask(), true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, emitter.loc, ValueRange(read()));
    builder.setInsertionPointToStart(branch.elseBlock());
    Value other = load.getOther() ? load.getOther() : emitter.constant(type, 0);
    scf::YieldOp::create(builder, emitter.loc, other);
    value = branch.getResult(0);
  }
  load.getResult().replaceAllUsesWith(value);
  load.erase();
  return success();
}

LogicalResult Lowering::lowerScalarStore(tile::PtrStoreOp store) {
  OpBuilder &builder = emitter.builder;
  if (isa<RankedTensorType>(store.getValue().getType()))
    return store.emitOpError(
        "stores through a tensor of pointers, which kiln-raise-access removes");
  if (store.getMask())
    builder.setInsertionPointToStart(
        scf::IfOp::create(builder, emitter.loc, store.getMask(), false).thenBlock());
  SStoreOp::create(builder, emitter.loc, store.getValue(), store.getPtr(), emitter.index(0));
  store.erase();
  return success();
}

} // namespace kiln::npu::lower
