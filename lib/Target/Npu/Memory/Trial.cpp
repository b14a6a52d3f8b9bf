//===- Trial.cpp - whether a program will find room on chip ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Trial.h"

#include "Lifetimes.h"
#include "Packing.h"

#include "kiln/Dialect/Npu/IR/Npu.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Threading.h"

using namespace mlir;

namespace kiln::npu::memory {

int64_t overflowOf(func::FuncOp copy, Part part, StringRef chip, const machine::Machine &machine) {
  // What passes say here they say again later; other threads speak for themselves.
  uint64_t thread = llvm::get_threadid();
  ScopedDiagnosticHandler quiet(
      copy.getContext(), [&](Diagnostic &) { return success(llvm::get_threadid() == thread); });
  PassManager rest(copy.getContext(), func::FuncOp::getOperationName());
  rest.enableVerifier(false);
  for (Part next : {Part::Grid, Part::Buffers})
    if (next >= part)
      addPart(next, chip, [&](std::unique_ptr<Pass> pass) { rest.addPass(std::move(pass)); });
  if (failed(rest.run(copy)))
    return 0;
  SmallVector<Buffer> buffers = lifetimes(copy);
  llvm::erase_if(buffers, [](Buffer &buffer) {
    return memoryOf(buffer.alloc.getType()) != machine::Memory::UB;
  });
  const machine::MemoryFacts &facts = machine.memory(machine::Memory::UB);
  if (pack(buffers, DenseMap<size_t, uint64_t>(), {facts.usableBytes, facts.alignment}).fits)
    return 0;
  uint64_t needed = 0;
  for (size_t index : fullestPoint(buffers, facts.alignment))
    needed += llvm::alignTo(buffers[index].bytes, facts.alignment);
  return std::max(needed, facts.usableBytes);
}

} // namespace kiln::npu::memory
