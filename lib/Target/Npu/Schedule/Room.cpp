//===- Room.cpp - whether a scheduled function fits on chip ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Room.h"

#include "../Memory/Lifetimes.h"
#include "../Memory/Packing.h"
#include "kiln/Dialect/Npu/IR/Npu.h"
#include "kiln/Target/Npu/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/Threading.h"

using namespace mlir;

namespace kiln::npu {

bool hasRoom(func::FuncOp function, StringRef chip, const machine::Machine &machine) {
  // What passes say here they say again later; other threads speak for themselves.
  uint64_t thread = llvm::get_threadid();
  ScopedDiagnosticHandler quiet(
      function.getContext(), [&](Diagnostic &) { return success(llvm::get_threadid() == thread); });
  PassManager rest(function.getContext(), func::FuncOp::getOperationName());
  rest.enableVerifier(false);
  BufferizePassOptions bufferize;
  bufferize.chip = chip.str();
  rest.addPass(createBufferizePass(bufferize));
  LowerPassOptions lower;
  lower.chip = chip.str();
  rest.addPass(createLowerPass(lower));
  rest.addPass(createCanonicalizerPass());
  rest.addPass(createCSEPass());
  if (failed(rest.run(function)))
    return true;
  SmallVector<memory::Buffer> buffers = memory::lifetimes(function);
  llvm::erase_if(buffers, [](memory::Buffer &buffer) {
    return memoryOf(buffer.alloc.getType()) != machine::Memory::UB;
  });
  const machine::MemoryFacts &facts = machine.memory(machine::Memory::UB);
  return memory::pack(buffers, DenseMap<size_t, uint64_t>(), {facts.usableBytes, facts.alignment})
      .fits;
}

} // namespace kiln::npu
