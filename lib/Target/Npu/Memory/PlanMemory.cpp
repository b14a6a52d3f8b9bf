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
    error.attachNote(alloc.getLoc()) << buffers[index].bytes << " bytes for " << alloc.getType();
  }
  return error;
}

/// Pinned buffers that live at the same time must not share bytes.
LogicalResult checkPinned(ArrayRef<Buffer> buffers, const DenseMap<size_t, uint64_t> &fixed) {
  for (auto [index, address] : fixed)
    for (auto [other, start] : fixed) {
      const Buffer &a = buffers[index], &b = buffers[other];
      if (index >= other || !a.isUsed || !b.isUsed || !a.livesWith(b) ||
          address >= start + b.bytes || start >= address + a.bytes)
        continue;
      InFlightDiagnostic error = AllocOp(a.alloc).emitError()
                                 << "pinned bytes " << address << " to " << address + a.bytes
                                 << " are also those of another buffer that lives at the same time";
      error.attachNote(AllocOp(b.alloc).getLoc())
          << "which is pinned to bytes " << start << " to " << start + b.bytes;
      return error;
    }
  return success();
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
  if (failed(checkPinned(buffers, fixed)))
    return failure();
  Packed packed = pack(buffers, fixed, space);
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
