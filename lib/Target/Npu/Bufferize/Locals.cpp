//===- Locals.cpp - buffers that the author named --------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Locals.h"

#include "kiln/Analysis/IntegerFacts.h"
#include "kiln/Dialect/Tile/IR/LinearOffset.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using bufferization::MaterializeInDestinationOp;
using bufferization::ToTensorOp;

namespace kiln::npu::bufferize {

void Locals::close() {
  function.walk([&](tile::LocalLoadOp load) { storages.close(load.getResult()); });
}

void Locals::place(DenseMap<Value, Value> &places, MutableArrayRef<Copies> copies) {
  auto allocs = llvm::to_vector(function.front().getOps<tile::LocalAllocOp>());
  for (tile::LocalAllocOp alloc : allocs)
    allocate(alloc);
  // Loads are settled first: which stores may be made in place depends on what is read there.
  SmallVector<Operation *> loads, stores, elements;
  function.walk([&](Operation *op) {
    if (isa<tile::LocalLoadOp>(op))
      loads.push_back(op);
    else if (isa<tile::LocalStoreOp>(op))
      stores.push_back(op);
    else if (isa<tile::LocalGetOp, tile::LocalSetOp>(op))
      elements.push_back(op);
  });
  for (Operation *op : loads)
    load(cast<tile::LocalLoadOp>(op), copies);
  for (Operation *op : stores)
    store(cast<tile::LocalStoreOp>(op), places);
  for (Operation *op : elements)
    element(op);
  for (tile::LocalAllocOp alloc : allocs)
    alloc.erase();
}

//===-----------------------------------------------------------------------------------------===//
// Buffers and their parts
//===-----------------------------------------------------------------------------------------===//

void Locals::allocate(tile::LocalAllocOp alloc) {
  tile::LocalType type = alloc.getResult().getType();
  OpBuilder builder(alloc);
  Buffer buffer;
  buffer.shape.assign(type.getShape().begin(), type.getShape().end());
  buffer.isCompact = alloc.getAddress() || llvm::any_of(alloc->getUsers(), llvm::IsaPred<LocalOp>);
  auto plain = MemRefType::get(buffer.shape, type.getElementType(), MemRefLayoutAttrInterface(),
                               ubSpace(builder.getContext()));
  buffer.strides =
      buffer.isCompact ? plain.getStridesAndOffset().first : rule.of(buffer.shape).strides;
  MemRefType held = buffer.isCompact ? plain : rule.bufferType(type.getTensorType());
  auto made = AllocOp::create(builder, alloc.getLoc(), held);
  made.setNameAttr(alloc.getNameAttr() ? alloc.getNameAttr() : builder.getStringAttr(""));
  if (std::optional<int64_t> address = alloc.getAddress()) {
    made.setAddressAttr(builder.getI64IntegerAttr(*address));
    made.setPinned(true);
  }
  buffer.alloc = made;
  for (Operation *user : llvm::make_early_inc_range(alloc->getUsers())) {
    auto local = dyn_cast<LocalOp>(user);
    if (!local)
      continue;
    OpBuilder here(local);
    Value memref = made;
    if (local.getType() != held) {
      // As bits: by way of a row of bytes.
      auto bytes = MemRefType::get({plain.getNumElements()}, plain.getElementType(),
                                   MemRefLayoutAttrInterface(), plain.getMemorySpace());
      if (bytes != held)
        memref = WindowOp::create(here, local.getLoc(), bytes, memref, 0);
      memref = WindowOp::create(here, local.getLoc(), local.getType(), memref, 0);
    }
    local.replaceAllUsesWith(memref);
    local.erase();
  }
  buffers[alloc.getResult()] = std::move(buffer);
}

template <typename RegionOp>
Value Locals::regionOf(OpBuilder &builder, RegionOp op, RankedTensorType type) {
  Location loc = op.getLoc();
  const Buffer &buffer = buffers.find(op.getBuffer())->second;
  auto [constant, dynamic] = tile::linearOffset(builder, loc, op.getMixedOffsets(), buffer.strides);
  TileLayout layout = rule.of(type.getShape());
  bool isWhole = op.isWhole();
  // Where the lanes lie like those of a tile, and instructions that run over all of a tile, gaps
  // and tail included, touch nothing else.
  bool hasStrides = true;
  int64_t inner = -1, last = 0;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    hasStrides &= size == 1 || buffer.strides[dim] == layout.strides[dim];
    inner = size == 1 ? inner : int64_t(dim);
    last += (size - 1) * buffer.strides[dim];
  }
  bool isGapless = layout.lanes == type.getNumElements();
  int64_t rowDim = -1; // of the buffer: where its gaps are
  for (auto [dim, size] : llvm::enumerate(buffer.shape))
    rowDim = size == 1 ? rowDim : int64_t(dim);
  bool hasOwnGaps = !buffer.isCompact && inner == rowDim && inner >= 0 &&
                    type.getDimSize(inner) == buffer.shape[inner];
  int64_t unit = dynamic ? IntegerFacts().get(dynamic).divisibility : 0;
  int64_t block = rule.blockLanes(type.getElementType());
  bool isAligned = constant % block == 0 && unit % block == 0;
  bool isTile = hasStrides && isAligned &&
                ((isWhole && !buffer.isCompact) ||
                 ((isGapless || hasOwnGaps) && layout.lanes % rule.tailUnit() == 0));
  MemRefType tile = rule.tileType(type);
  MemRefType base = rule.bufferType(type);
  if (!isTile) {
    tile = MemRefType::get(
        type.getShape(), type.getElementType(),
        StridedLayoutAttr::get(builder.getContext(), ShapedType::kDynamic, buffer.strides),
        ubSpace(builder.getContext()));
    base = MemRefType::get({last + 1}, type.getElementType(), MemRefLayoutAttrInterface(),
                           ubSpace(builder.getContext()));
  }
  Value start = buffer.alloc;
  if (constant != 0 || dynamic || start.getType() != base)
    start =
        WindowOp::create(builder, loc, base, start, builder.getI64IntegerAttr(constant), dynamic);
  if (isTile)
    return rule.tile(builder, loc, start, type);
  return WindowOp::create(builder, loc, tile, start, 0);
}

//===-----------------------------------------------------------------------------------------===//
// Loads
//===-----------------------------------------------------------------------------------------===//

/// The users of a tensor, seen through broadcasts and reshapes.
static void usersOf(Value tensor, SmallVectorImpl<Operation *> &users) {
  for (Operation *user : tensor.getUsers()) {
    if (isSeenThrough(user) && user->getOperand(0) == tensor)
      usersOf(user->getResult(0), users);
    else
      users.push_back(user);
  }
}

/// Operations of the block from behind `first` to the last that holds one of `users`; nothing if a
/// user is not below the block.
static std::optional<SmallVector<Operation *>> operationsUntil(Operation *first,
                                                               ArrayRef<Operation *> users) {
  Operation *last = first;
  for (Operation *user : users) {
    Operation *above = first->getBlock()->findAncestorOpInBlock(*user);
    if (!above)
      return std::nullopt;
    if (last->isBeforeInBlock(above))
      last = above;
  }
  SmallVector<Operation *> between;
  for (Operation *op = first; op != last;) {
    op = op->getNextNode();
    between.push_back(op);
  }
  return between;
}

bool Locals::staysUnwritten(tile::LocalLoadOp load) {
  SmallVector<Operation *> users;
  usersOf(load.getResult(), users);
  auto between = operationsUntil(load, users);
  return between && llvm::none_of(*between, [&](Operation *op) {
           return touched.touches(op, load.getBuffer(), /*onlyWrites=*/true);
         });
}

void Locals::load(tile::LocalLoadOp load, MutableArrayRef<Copies> copies) {
  auto type = cast<RankedTensorType>(load.getResult().getType());
  Location loc = load.getLoc();
  OpBuilder builder(load);
  bool inPlace = staysUnwritten(load);
  if (inPlace) {
    SmallVector<Operation *> users;
    usersOf(load.getResult(), users);
    for (Operation *user : users)
      touched.addReader(user, load.getBuffer());
  }
  Value held = ToTensorOp::create(builder, loc, type, regionOf(builder, load, type),
                                  /*restrict=*/true);
  touched.addReader(held.getDefiningOp(), load.getBuffer());
  if (!inPlace) {
    OpBuilder entry = OpBuilder::atBlockBegin(&function.front());
    Value copy = rule.tile(entry, loc, AllocOp::create(entry, loc, rule.bufferType(type)), type);
    auto read = MaterializeInDestinationOp::create(builder, loc, TypeRange(), held, copy,
                                                   /*restrict=*/true, /*writable=*/true);
    touched.addReader(read, load.getBuffer());
    held = ToTensorOp::create(builder, loc, type, copy, /*restrict=*/true);
  }
  for (Copies &group : copies)
    for (auto &[from, into] : group.copies)
      if (from == load.getResult())
        from = held;
  load.getResult().replaceAllUsesWith(held);
  touched.forget(load);
  load.erase();
}

//===-----------------------------------------------------------------------------------------===//
// Stores
//===-----------------------------------------------------------------------------------------===//

Operation *Locals::makerOf(tile::LocalStoreOp store, const DenseMap<Value, Value> &places) {
  // Where nobody but the author orders accesses of the buffer, it is written in one instruction.
  if (function->hasAttr(kAuthorSyncAttr))
    return nullptr;
  Value value = store.getValue();
  if (storedTensor(value) != value ||
      (value.getDefiningOp() && isSeenThrough(value.getDefiningOp())))
    return nullptr;
  if (places.count(storages.leader(value)))
    return nullptr;
  Operation *first = store;
  SmallVector<Operation *> users;
  for (Value member : storages.members(value)) {
    Operation *def = member.getDefiningOp();
    Operation *above = store->getBlock()->findAncestorOpInBlock(
        def ? *def : *member.getParentBlock()->getParentOp());
    // What lies in a slot of a ring, or in another buffer, is copied.
    if (!above || isa<ToTensorOp, tile::RingPutOp, tile::RingGetOp>(above) ||
        (def && isSeenThrough(def)))
      return nullptr;
    if (above->isBeforeInBlock(first))
      first = above;
    usersOf(member, users);
  }
  // Nobody looks at the buffer from there on to the store, and nobody else writes it as long as the
  // value is needed. What makes the value lane by lane may read what it overwrites.
  bool laneByLane = storages.members(value).size() == 1 && first->getNumRegions() == 0 &&
                    OpTrait::hasElementwiseMappableTraits(first);
  if (!laneByLane && touched.touches(first, store.getBuffer(), /*onlyWrites=*/false))
    return nullptr;
  for (Operation *op = first->getNextNode(); op != store; op = op->getNextNode())
    if (touched.touches(op, store.getBuffer(), /*onlyWrites=*/false))
      return nullptr;
  auto later = operationsUntil(store, users);
  if (!later || llvm::any_of(*later, [&](Operation *op) {
        return touched.touches(op, store.getBuffer(), /*onlyWrites=*/true);
      }))
    return nullptr;
  for (OpFoldResult offset : store.getMixedOffsets())
    if (auto dynamic = dyn_cast<Value>(offset); dynamic && !hoist(dynamic, first))
      return nullptr;
  touched.addWriter(first, store.getBuffer());
  for (Operation *user : users)
    touched.addReader(user, store.getBuffer());
  return first;
}

void Locals::store(tile::LocalStoreOp store, DenseMap<Value, Value> &places) {
  auto type = cast<RankedTensorType>(store.getValue().getType());
  // What is made there must have the layout of a tile: the region is named first, and asked.
  OpBuilder builder(store);
  Value region = regionOf(builder, store, type);
  bool isTile = region.getType() == rule.tileType(type);
  Operation *maker = isTile ? makerOf(store, places) : nullptr;
  if (!maker) {
    auto copy = MaterializeInDestinationOp::create(builder, store.getLoc(), TypeRange(),
                                                   store.getValue(), region, /*restrict=*/true,
                                                   /*writable=*/true);
    touched.addWriter(copy, store.getBuffer());
  } else {
    builder.setInsertionPoint(maker);
    places[storages.leader(store.getValue())] = regionOf(builder, store, type);
  }
  touched.forget(store);
  store.erase();
}

//===-----------------------------------------------------------------------------------------===//
// Single elements
//===-----------------------------------------------------------------------------------------===//

Value Locals::elementIndex(OpBuilder &builder, Location loc, Value buffer, ValueRange indices) {
  auto [constant, dynamic] = tile::linearOffset(builder, loc, getAsOpFoldResult(indices),
                                                buffers.find(buffer)->second.strides);
  Value index = arith::ConstantIndexOp::create(builder, loc, constant);
  if (!dynamic)
    return index;
  return constant ? Value(arith::AddIOp::create(builder, loc, dynamic, index)) : dynamic;
}

void Locals::element(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto row = [&](Value buffer) -> Value {
    Value alloc = buffers.find(buffer)->second.alloc;
    auto type = cast<MemRefType>(alloc.getType());
    auto flat = MemRefType::get({type.getNumElements()}, type.getElementType(),
                                MemRefLayoutAttrInterface(), type.getMemorySpace());
    return flat == type ? alloc : Value(WindowOp::create(builder, loc, flat, alloc, 0));
  };
  if (auto get = dyn_cast<tile::LocalGetOp>(op)) {
    Value index = elementIndex(builder, loc, get.getBuffer(), get.getIndices());
    Value read =
        SLoadOp::create(builder, loc, get.getResult().getType(), row(get.getBuffer()), index);
    get.getResult().replaceAllUsesWith(read);
  } else {
    auto set = cast<tile::LocalSetOp>(op);
    Value index = elementIndex(builder, loc, set.getBuffer(), set.getIndices());
    SStoreOp::create(builder, loc, set.getValue(), row(set.getBuffer()), index);
  }
  op->erase();
}

} // namespace kiln::npu::bufferize
