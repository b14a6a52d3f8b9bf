//===- Verdict.cpp - whether a program finds room on chip ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Verdict.h"

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

bool findsRoom(func::FuncOp function, StringRef chip) {
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
    return true;
  PassManager plan(function.getContext(), func::FuncOp::getOperationName());
  plan.enableVerifier(false);
  add(plan, createPlanMemoryPass);
  return succeeded(plan.run(*copy));
}

} // namespace kiln::npu::fit
