//===- Verdict.cpp - whether a program finds room on chip ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Verdict.h"

#include "../Memory/Packing.h"

#include "kiln/Dialect/Npu/IR/Npu.h"
#include "kiln/Target/Npu/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/Threading.h"

using namespace mlir;

namespace kiln::npu::fit {

int64_t overflowOf(func::FuncOp function, StringRef chip, const machine::Machine &machine) {
  OwningOpRef<func::FuncOp> copy = function.clone();
  // What passes say here they say again later; other threads speak for themselves.
  uint64_t thread = llvm::get_threadid();
  ScopedDiagnosticHandler quiet(
      function.getContext(), [&](Diagnostic &) { return success(llvm::get_threadid() == thread); });
  auto add = [&]<typename Options>(PassManager &passes, std::unique_ptr<Pass> (*create)(Options)) {
    Options options;
    options.chip = chip.str();
    passes.addPass(create(std::move(options)));
  };
  PassManager rest(function.getContext(), func::FuncOp::getOperationName());
  rest.enableVerifier(false);
  add(rest, createMapGridPass);
  rest.addPass(createCanonicalizerPass());
  rest.addPass(createCSEPass());
  add(rest, createSchedulePass);
  add(rest, createBufferizePass);
  add(rest, createLowerPass);
  rest.addPass(createCanonicalizerPass());
  rest.addPass(createCSEPass());
  if (failed(rest.run(*copy)))
    return 0;
  SmallVector<memory::Buffer> buffers = memory::lifetimes(*copy);
  llvm::erase_if(buffers, [](memory::Buffer &buffer) {
    return memoryOf(buffer.alloc.getType()) != machine::Memory::UB;
  });
  const machine::MemoryFacts &facts = machine.memory(machine::Memory::UB);
  memory::Packed packed =
      memory::pack(buffers, DenseMap<size_t, uint64_t>(), {facts.usableBytes, facts.alignment});
  if (packed.fits)
    return 0;
  uint64_t needed = 0;
  for (size_t index : memory::fullestPoint(buffers, facts.alignment))
    needed += llvm::alignTo(buffers[index].bytes, facts.alignment);
  return std::max(needed, facts.usableBytes);
}

} // namespace kiln::npu::fit
