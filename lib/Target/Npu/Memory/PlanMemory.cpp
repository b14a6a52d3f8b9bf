//===- PlanMemory.cpp - addresses of buffers -------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   %b = npu.alloc : memref<…>   =>   %b = npu.alloc at 4096 : memref<…>
//
// Lifetimes.h says when a buffer is needed, Packing.h where it goes. Buffers that the author pinned
// stay. Buffers that nothing uses go away.
//
//===-----------------------------------------------------------------------------------------===//

#include "../ChipOption.h"
#include "../Tiles.h"
#include "Packing.h"

#include "kiln/Target/Npu/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace kiln::npu::memory;

namespace kiln::npu {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "kiln/Target/Npu/Passes.h.inc"

namespace {

/// What a buffer is, for a note.
template <typename Stream> void describe(Stream &note, AllocOp alloc) {
  if (alloc.getName() && !alloc.getName()->empty())
    note << "'" << *alloc.getName() << "', ";
  note << tileText(cast<ShapedType>(alloc.getType()));
}

/// The error for a memory that is too small, with a note for each buffer of the fullest point.
LogicalResult overflow(func::FuncOp function, ArrayRef<Buffer> buffers, const Packed &packed,
                       const Space &space, StringRef memory, StringRef chip) {
  SmallVector<size_t> alive = fullestPoint(buffers, space.alignment);
  uint64_t needed = 0;
  for (size_t index : alive)
    needed += llvm::alignTo(buffers[index].bytes, space.alignment);
  // Where the sum would fit, the gaps between buffers do not.
  if (needed <= space.bytes)
    needed = packed.top;
  InFlightDiagnostic error = function.emitError() << memory << " needs " << needed << " bytes, but "
                                                  << chip << " has " << space.bytes;
  llvm::stable_sort(alive, [&](size_t a, size_t b) { return buffers[a].bytes > buffers[b].bytes; });
  for (size_t index : alive) {
    AllocOp alloc = buffers[index].alloc;
    Diagnostic &note = error.attachNote(alloc.getLoc());
    note << buffers[index].bytes << " bytes for ";
    describe(note, alloc);
  }
  return error;
}

/// The author's own memory: one buffer behind the other in the order in which they were made, those
/// that lowering made last, around the ones that have addresses. Those may lie on one another.
Packed bump(ArrayRef<Buffer> buffers, const DenseMap<size_t, uint64_t> &fixed, const Space &space) {
  Packed packed;
  packed.addresses.assign(buffers.size(), 0);
  packed.fits = true;
  auto put = [&](size_t index, uint64_t address) {
    packed.addresses[index] = address;
    packed.top = std::max(packed.top, address + buffers[index].bytes);
    packed.fits &= address + buffers[index].bytes <= space.bytes;
  };
  for (auto [index, address] : fixed)
    put(index, address);
  uint64_t next = 0;
  for (bool isNamed : {true, false})
    for (size_t index : llvm::seq(buffers.size())) {
      AllocOp alloc = buffers[index].alloc;
      if (fixed.count(index) || alloc.getName().has_value() != isNamed)
        continue;
      // Behind every given one that is in the way, until none is.
      for (bool moved = true; std::exchange(moved, false);)
        for (auto [other, address] : fixed)
          if (next < address + buffers[other].bytes && address < next + buffers[index].bytes) {
            next = llvm::alignTo(address + buffers[other].bytes, space.alignment);
            moved = true;
          }
      put(index, next);
      next = llvm::alignTo(next + buffers[index].bytes, space.alignment);
    }
  return packed;
}

LogicalResult explicitOverflow(ArrayRef<Buffer> buffers, const Packed &packed, const Space &space,
                               StringRef memory, StringRef chip) {
  auto endOf = [&](size_t index) { return packed.addresses[index] + buffers[index].bytes; };
  size_t beyond = 0;
  while (endOf(beyond) <= space.bytes)
    ++beyond;
  InFlightDiagnostic error = AllocOp(buffers[beyond].alloc).emitError()
                             << "capacity overflow in explicit placement: the buffer ends at byte "
                             << endOf(beyond) << ", but " << memory << " of " << chip << " has "
                             << space.bytes;
  for (size_t index : llvm::seq(buffers.size())) {
    AllocOp alloc = buffers[index].alloc;
    Diagnostic &note = error.attachNote(alloc.getLoc());
    note << "bytes " << packed.addresses[index] << " to " << endOf(index) << " for ";
    describe(note, alloc);
  }
  return error;
}

LogicalResult planMemory(func::FuncOp function, machine::Memory memory, ArrayRef<Buffer> buffers,
                         const machine::Machine &machine) {
  const machine::MemoryFacts &facts = machine.memory(memory);
  Space space{facts.usableBytes, facts.alignment};
  DenseMap<size_t, uint64_t> fixed;
  for (size_t index : llvm::seq(buffers.size())) {
    AllocOp alloc = buffers[index].alloc;
    if (alloc.getPinned())
      fixed[index] = alloc.getAddress().value_or(0);
  }
  bool isAuthors = function->hasAttr(kAuthorMemoryAttr);
  Packed packed = isAuthors ? bump(buffers, fixed, space) : pack(buffers, fixed, space);
  if (!packed.fits && (isAuthors || llvm::any_of(fixed, [&](auto &given) {
                         return given.second + buffers[given.first].bytes > space.bytes;
                       })))
    return explicitOverflow(buffers, packed, space, machine::name(memory), machine.name);
  if (!packed.fits)
    return overflow(function, buffers, packed, space, machine::name(memory), machine.name);
  Builder builder(function.getContext());
  for (size_t index : llvm::seq(buffers.size())) {
    AllocOp alloc = buffers[index].alloc;
    alloc.setAddressAttr(builder.getI64IntegerAttr(packed.addresses[index]));
  }
  return success();
}

struct PlanMemoryPass : impl::PlanMemoryPassBase<PlanMemoryPass> {
  using PlanMemoryPassBase::PlanMemoryPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto machine = machineOf(chip, function);
    if (!machine)
      return signalPassFailure();
    SmallVector<Buffer> all = lifetimes(function);
    for (unsigned memory = 0; memory < machine::memoryCount; ++memory) {
      SmallVector<Buffer> buffers;
      for (const Buffer &buffer : all)
        if (memoryOf(AllocOp(buffer.alloc).getType()) == machine::Memory(memory))
          buffers.push_back(buffer);
      if (!buffers.empty() &&
          failed(planMemory(function, machine::Memory(memory), buffers, *machine)))
        return signalPassFailure();
    }
    for (const Buffer &buffer : all)
      if (AllocOp alloc = buffer.alloc; alloc->use_empty())
        alloc.erase();
  }
};

} // namespace
} // namespace kiln::npu
