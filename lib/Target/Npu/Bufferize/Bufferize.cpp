//===- Bufferize.cpp - every tensor gets a buffer in UB --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   %r = scf.for … iter_args(%a = %z)       %b = npu.alloc : memref<64xf32, #npu.mem<ub>>
//       -> tensor<64xf32> {                 materialize_in_destination %z in %b
//     %x = tile.load %v                     scf.for … {
//     %s = arith.addf %a, %x                  %a = to_tensor %b
//     scf.yield %s                            %x = tile.load %v
//   }                                         materialize_in_destination %x in %b1
//                                             %s = arith.addf %a, %x
//                                             materialize_in_destination %s in %b
//                                           }
//                                           %r = to_tensor %b
//
// Tensors stay the operands of operations: lower has to see what they are made from. What they lie
// in is said by `bufferization.materialize_in_destination`, directly behind the operation that
// makes the tensor; a later one for the same tensor is a copy. `bufferization.to_tensor` names what
// a buffer holds at that point. No tensor goes through control flow any more.
//
//===-----------------------------------------------------------------------------------------===//

#include "../ChipOption.h"
#include "ControlFlow.h"
#include "Layout.h"
#include "Locals.h"
#include "Storage.h"

#include "kiln/Dialect/Npu/IR/Npu.h"
#include "kiln/Target/Npu/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace kiln::npu::bufferize;

namespace kiln::npu {
#define GEN_PASS_DEF_BUFFERIZEPASS
#include "kiln/Target/Npu/Passes.h.inc"

namespace {

bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

class Bufferizer {
public:
  Bufferizer(func::FuncOp function, const machine::Machine &machine)
      : function(function), rule(function, machine), storages(function) {}

  void run() {
    // What lives in a ring moves from slot to slot: no other storage may be the same.
    function.walk([&](tile::RingPutOp put) { storages.close(put.getResult()); });
    function.walk([&](tile::RingGetOp get) { storages.close(get.getResult()); });
    Locals locals(function, rule, storages);
    locals.close();
    joinControlFlow(function, storages, copies);
    locals.place(places, copies);
    makeRings();
    bindTensors();
    writeCopies();
    dropTensors(function, [&](Value tensor) { return placeOf(tensor); });
  }

private:
  void makeRings();
  void putInSlot(tile::RingPutOp put, Value ring);
  void getFromSlot(tile::RingGetOp get, Value ring);
  void bindTensors();
  void writeCopies();
  Value allocate(Location loc, RankedTensorType type);
  Value placeOf(Value tensor);
  void materialize(OpBuilder &builder, Location loc, Value tensor, Value place) {
    bufferization::MaterializeInDestinationOp::create(builder, loc, TypeRange(), tensor, place,
                                                      /*restrict=*/true, /*writable=*/true);
  }

  func::FuncOp function;
  LayoutRule rule;
  Storages storages;
  SmallVector<Copies> copies;
  DenseMap<Value, Value> places; ///< by leader: the tile
};

Value Bufferizer::allocate(Location loc, RankedTensorType type) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  return rule.tile(builder, loc, AllocOp::create(builder, loc, rule.bufferType(type)), type);
}

Value Bufferizer::placeOf(Value tensor) {
  Value &place = places[storages.leader(tensor)];
  if (!place)
    place = allocate(tensor.getLoc(), cast<RankedTensorType>(tensor.getType()));
  return place;
}

/// Rings become buffers. Where everything that ends in a slot is made after the slot is known, it
/// is made there; otherwise it is copied.
void Bufferizer::makeRings() {
  SmallVector<tile::RingCreateOp> rings;
  function.walk([&](tile::RingCreateOp ring) { rings.push_back(ring); });
  for (tile::RingCreateOp ring : rings) {
    OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
    tile::RingType type = ring.getType();
    Value buffer = AllocOp::create(builder, ring.getLoc(),
                                   rule.ringType(type.getTensorType(), type.getDepth()));
    for (Operation *user : llvm::make_early_inc_range(ring->getUsers()))
      if (auto put = dyn_cast<tile::RingPutOp>(user))
        putInSlot(put, buffer);
      else
        getFromSlot(cast<tile::RingGetOp>(user), buffer);
    ring.erase();
  }
}

void Bufferizer::putInSlot(tile::RingPutOp put, Value ring) {
  auto type = cast<RankedTensorType>(put.getValue().getType());
  Value value = put.getValue();
  Operation *first = put;
  bool forward = !places.count(storages.leader(value));
  for (Value member : storages.members(value)) {
    Operation *def = member.getDefiningOp();
    Operation *above = put->getBlock()->findAncestorOpInBlock(
        def ? *def : *member.getParentBlock()->getParentOp());
    // What a slot of another ring holds is copied.
    forward &= above && !isa<tile::RingPutOp, tile::RingGetOp, bufferization::ToTensorOp>(above) &&
               !(def && isSeenThrough(def));
    if (forward && above->isBeforeInBlock(first))
      first = above;
  }
  forward = forward && hoist(put.getNumber(), first);
  OpBuilder builder(forward ? first : put.getOperation());
  Value slot = SlotOp::create(builder, put.getLoc(), rule.bufferType(type), ring, put.getNumber());
  Value place = rule.tile(builder, put.getLoc(), slot, type);
  Value held = value;
  if (forward) {
    places[storages.leader(value)] = place;
  } else {
    materialize(builder, put.getLoc(), value, place);
    held = bufferization::ToTensorOp::create(builder, put.getLoc(), type, place,
                                             /*restrict=*/true);
  }
  for (Copies &group : copies)
    for (auto &[from, into] : group.copies)
      if (from == put.getResult())
        from = held;
  put.getResult().replaceAllUsesWith(held);
  put.erase();
}

void Bufferizer::getFromSlot(tile::RingGetOp get, Value ring) {
  auto type = cast<RankedTensorType>(get.getType());
  OpBuilder builder(get);
  Value slot = SlotOp::create(builder, get.getLoc(), rule.bufferType(type), ring, get.getNumber());
  Value held = bufferization::ToTensorOp::create(
      builder, get.getLoc(), type, rule.tile(builder, get.getLoc(), slot, type), /*restrict=*/true);
  for (Copies &group : copies)
    for (auto &[from, into] : group.copies)
      if (from == get.getResult())
        from = held;
  get.getResult().replaceAllUsesWith(held);
  get.erase();
}

/// Says behind each operation where its tensors lie.
void Bufferizer::bindTensors() {
  SmallVector<Operation *> makers;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (llvm::any_of(op->getResults(), isTensor) && !isSeenThrough(op) &&
        !isa<scf::ForOp, scf::WhileOp, scf::IfOp, bufferization::ToTensorOp>(op))
      makers.push_back(op);
  });
  for (Operation *op : makers) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults())
      if (isTensor(result))
        materialize(builder, op->getLoc(), result, placeOf(result));
  }
}

/// Copies of one group happen at the same time: what another of them overwrites is saved first.
void Bufferizer::writeCopies() {
  for (Copies &group : copies) {
    OpBuilder builder(group.before);
    Location loc = group.before->getLoc();
    for (auto &[from, into] : group.copies) {
      Value source = storages.leader(storedTensor(from));
      bool overwritten = llvm::any_of(group.copies, [&](auto &other) {
        return other.second != into && storages.leader(other.second) == source;
      });
      if (!overwritten)
        continue;
      auto type = cast<RankedTensorType>(from.getType());
      Value saved = allocate(loc, type);
      materialize(builder, loc, from, saved);
      from = bufferization::ToTensorOp::create(builder, loc, type, saved, /*restrict=*/true);
    }
    for (auto &[from, into] : group.copies)
      materialize(builder, loc, from, placeOf(into));
  }
}

struct BufferizePass : impl::BufferizePassBase<BufferizePass> {
  using BufferizePassBase::BufferizePassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    BufferizePassBase::getDependentDialects(registry);
    registry.insert<bufferization::BufferizationDialect>();
  }

  void runOnOperation() override {
    auto machine = machineOf(chip, getOperation());
    if (!machine)
      return signalPassFailure();
    Bufferizer(getOperation(), *machine).run();
  }
};

} // namespace
} // namespace kiln::npu
