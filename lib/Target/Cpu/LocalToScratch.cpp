//===- LocalToScratch.cpp - buffers that stayed memory, in the thread's arena ----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   %b = tile.local_alloc : <16x64xf32>           func(…, %b: !tile.ptr<f32> {tile.private,
//                                                                             kiln.scratch = 0})
//   %t = tile.local_load %b[%i, 0]            →   %v = tile.view %b[%i * 64] strides [64, 1]
//          -> tensor<1x64xf32>                    %t = tile.load %v
//
// From there on regions are accesses like those of global memory, through a pointer of which
// MemoryOrder knows that no other reaches its bytes. Buffers lie one behind the other and keep
// their place throughout: those that hold values of a few operations became tensors before.
// Buffers that their author put on the same bytes share them here as well; they are an alias set of
// their own.
//
//===-----------------------------------------------------------------------------------------===//

#include "VectorLoops/Scratch.h"

#include "kiln/Analysis/IntegerFacts.h"
#include "kiln/Analysis/PinnedBuffers.h"
#include "kiln/Dialect/Tile/IR/LinearOffset.h"
#include "kiln/Dialect/Tile/IR/Tile.h"
#include "kiln/Target/Cpu/Passes.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln::tile;

namespace kiln::cpu {

#define GEN_PASS_DEF_LOCALTOSCRATCHPASS
#include "kiln/Target/Cpu/Passes.h.inc"

namespace {

/// The number of the element at some indices, as an index.
Value elementNumber(OpBuilder &builder, Location loc, LocalType buffer,
                    ArrayRef<OpFoldResult> indices) {
  auto [constant, sum] = linearOffset(builder, loc, indices, computeStrides(buffer.getShape()));
  if (sum && constant == 0)
    return sum;
  Value rest = arith::ConstantIndexOp::create(builder, loc, constant);
  return sum ? arith::AddIOp::create(builder, loc, sum, rest).getResult() : rest;
}

/// The offsets of a region, moved so far that all of it lies in the buffer. Offsets that facts show
/// to be right stay as they are; wrong ones would reach memory that is not the kernel's.
SmallVector<OpFoldResult> insideBuffer(OpBuilder &builder, Location loc, LocalType buffer,
                                       ArrayRef<OpFoldResult> offsets, ArrayRef<int64_t> region) {
  SmallVector<OpFoldResult> result(offsets);
  for (auto [offset, extent, count] : llvm::zip_equal(result, buffer.getShape(), region)) {
    auto index = dyn_cast<Value>(offset);
    if (!index)
      continue;
    IntegerFact fact = IntegerFacts().get(index);
    if (fact.upper > extent - count)
      index = arith::MinSIOp::create(builder, loc, index,
                                     arith::ConstantIndexOp::create(builder, loc, extent - count));
    if (fact.lower < 0)
      index = arith::MaxSIOp::create(builder, loc, index,
                                     arith::ConstantIndexOp::create(builder, loc, 0));
    offset = index;
  }
  return result;
}

Value viewOf(OpBuilder &builder, Location loc, Value pointer, LocalType buffer,
             ArrayRef<OpFoldResult> offsets, Type region) {
  auto tensor = cast<RankedTensorType>(region);
  SmallVector<OpFoldResult> inside = insideBuffer(builder, loc, buffer, offsets, tensor.getShape());
  return ViewOp::create(builder, loc, ViewType::get(tensor.getShape(), tensor.getElementType()),
                        pointer, elementNumber(builder, loc, buffer, inside), ValueRange(),
                        computeStrides(buffer.getShape()), ArrayRef<int64_t>(), ValueRange(),
                        ValueRange());
}

Value addressOf(OpBuilder &builder, Location loc, Value pointer, LocalType buffer,
                ValueRange indices) {
  Value offset = elementNumber(builder, loc, buffer, getAsOpFoldResult(indices));
  return AddPtrOp::create(builder, loc, pointer.getType(), pointer, offset);
}

/// Writes an access of a buffer as one through its pointer; false if it is none.
bool lowerAccess(Operation *op, Value pointer) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  if (auto load = dyn_cast<LocalLoadOp>(op)) {
    Value view = viewOf(builder, loc, pointer, load.getBuffer().getType(), load.getMixedOffsets(),
                        load.getResult().getType());
    load.replaceAllUsesWith(LoadOp::create(builder, loc, load.getResult().getType(), view,
                                           ValueRange(), ValueRange(), Value(), Value(), false)
                                .getResult());
  } else if (auto store = dyn_cast<LocalStoreOp>(op)) {
    Value view = viewOf(builder, loc, pointer, store.getBuffer().getType(), store.getMixedOffsets(),
                        store.getValue().getType());
    StoreOp::create(builder, loc, view, store.getValue(), ValueRange(), ValueRange(), Value());
  } else if (auto get = dyn_cast<LocalGetOp>(op)) {
    Value address = addressOf(builder, loc, pointer, get.getBuffer().getType(), get.getIndices());
    get.replaceAllUsesWith(
        PtrLoadOp::create(builder, loc, get.getResult().getType(), address, Value(), Value(), false)
            .getResult());
  } else if (auto set = dyn_cast<LocalSetOp>(op)) {
    Value address = addressOf(builder, loc, pointer, set.getBuffer().getType(), set.getIndices());
    PtrStoreOp::create(builder, loc, address, set.getValue(), Value());
  } else {
    return false;
  }
  op->erase();
  return true;
}

struct LocalToScratchPass : impl::LocalToScratchPassBase<LocalToScratchPass> {
  using LocalToScratchPassBase::LocalToScratchPassBase;

  /// The bytes of a buffer, rounded up; nothing if it alone is over the limit.
  std::optional<int64_t> sizeOf(LocalType type) const {
    int64_t bytes = storageBytes(type.getElementType());
    for (int64_t extent : type.getShape()) {
      if (extent > limit / bytes)
        return std::nullopt;
      bytes *= extent;
    }
    return llvm::alignTo(bytes, kScratchAlignment);
  }

  /// Bytes behind those of the other buffers; where they begin.
  FailureOr<int64_t> reserve(LocalAllocOp buffer, std::optional<int64_t> bytes) {
    if (!bytes || *bytes > limit - end)
      return buffer.emitError("buffer ")
             << (buffer.getName() ? "'" + *buffer.getName() + "' " : "") << "of type "
             << buffer.getResult().getType() << " does not fit: found " << end
             << " bytes of other buffers, expected at most " << int64_t(limit) << " bytes of all";
    return std::exchange(end, end + *bytes);
  }

  /// Makes accesses at `offset` of the scratch memory of those of a buffer. `sharing`: what says
  /// which bytes other arguments reach too, or that none does.
  LogicalResult lower(LocalAllocOp buffer, int64_t offset, NamedAttribute sharing) {
    func::FuncOp function = getOperation();
    OpBuilder builder(buffer);
    unsigned number = function.getNumArguments();
    int64_t alignment = llvm::MinAlign(kScratchAlignment, offset);
    NamedAttribute attributes[] = {
        sharing, builder.getNamedAttr(kDivisibilityAttr, builder.getI64IntegerAttr(alignment)),
        builder.getNamedAttr(kScratchArgAttr, builder.getI64IntegerAttr(offset))};
    PtrType type = PtrType::get(buffer.getResult().getType().getElementType());
    if (failed(function.insertArgument(number, type, builder.getDictionaryAttr(attributes),
                                       buffer.getLoc())))
      return buffer.emitError("found a function that takes no more arguments, expected a kernel");
    for (Operation *user : llvm::make_early_inc_range(buffer->getUsers()))
      if (!lowerAccess(user, function.getArgument(number)))
        return user->emitOpError("uses a buffer in a way that the CPU target does not know");
    buffer.erase();
    return success();
  }

  /// Buffers on the same bytes, as far from each other as their author put them. Alias sets of
  /// kernel arguments are not negative.
  LogicalResult lowerShared(const PinnedGroup &group, int64_t aliasSet) {
    FailureOr<int64_t> begin =
        reserve(group.buffers.back(), llvm::alignTo(group.end - group.begin, kScratchAlignment));
    if (failed(begin))
      return failure();
    Builder builder(&getContext());
    NamedAttribute sharing =
        builder.getNamedAttr(kAliasSetAttr, builder.getI64IntegerAttr(aliasSet));
    for (LocalAllocOp buffer : group.buffers)
      if (failed(lower(buffer, *begin + int64_t(*buffer.getAddress()) - group.begin, sharing)))
        return failure();
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    end = 0;
    int64_t aliasSet = 0;
    for (const PinnedGroup &group : pinnedGroups(function))
      if (group.buffers.size() > 1 && failed(lowerShared(group, --aliasSet)))
        return signalPassFailure();
    Builder builder(&getContext());
    NamedAttribute unshared = builder.getNamedAttr(kPrivateAttr, builder.getUnitAttr());
    for (auto buffer : llvm::make_early_inc_range(function.front().getOps<LocalAllocOp>())) {
      FailureOr<int64_t> offset = reserve(buffer, sizeOf(buffer.getResult().getType()));
      if (failed(offset) || failed(lower(buffer, *offset, unshared)))
        return signalPassFailure();
    }
    if (end)
      function->setAttr(kScratchBytesAttr, builder.getI64IntegerAttr(end));
  }

private:
  int64_t end = 0; ///< of the bytes that buffers take so far
};

} // namespace
} // namespace kiln::cpu
