//===- Pipeline.cpp - the passes of a compilation, in order ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Pipeline.h"

#include "kiln/Dialect/Tile/Transforms/Passes.h"
#include "kiln/Target/Cpu/Passes.h"
#include "kiln/Target/Npu/Pipeline.h"

#include "mlir/Transforms/Passes.h"

namespace kiln::driver {

std::vector<Step> buildPipeline(const Request &request) {
  std::vector<Step> steps;
  auto add = [&](Stage stage, std::unique_ptr<mlir::Pass> pass) {
    steps.push_back({stage, std::move(pass)});
  };
  auto cleanUp = [&](Stage stage) {
    add(stage, mlir::createCanonicalizerPass());
    add(stage, mlir::createCSEPass());
  };

  if (!request.isNpu())
    add(Stage::Tile, cpu::createCheckSynchronousPass());
  cleanUp(Stage::Tile);
  tile::PromoteBuffersPassOptions buffers;
  buffers.pinned = !request.isNpu();
  add(Stage::Tile, tile::createPromoteBuffersPass(buffers));
  tile::RaiseAccessPassOptions access;
  access.explain = request.explainAccess;
  add(Stage::Tile, tile::createRaiseAccessPass(access));
  cleanUp(Stage::Tile);
  add(Stage::Tile, nullptr);
  if (request.isNpu()) {
    if (request.needsCode())
      for (std::unique_ptr<mlir::Pass> &pass : npu::buildPasses(request.chip))
        add(Stage::Npu, std::move(pass));
    add(Stage::Npu, nullptr);
    return steps;
  }
  if (!request.emitLinalg && !request.needsCode())
    return steps;

  add(Stage::Linalg, cpu::createLocalToScratchPass());
  add(Stage::Linalg, cpu::createTileToLinalgPass());
  add(Stage::Linalg, nullptr);
  if (!request.needsCode())
    return steps;

  cpu::CpuFacts facts = cpu::factsOf(request.cpu);
  cpu::LowerToVectorLoopsPassOptions loops;
  loops.vectorBits = facts.vectorBits;
  loops.maskedTails = facts.masks;
  loops.streaming = request.streaming;
  add(Stage::Llvm, cpu::createLowerToVectorLoopsPass(loops));
  cleanUp(Stage::Llvm);
  if (request.options.enableFpFusion)
    add(Stage::Llvm, cpu::createAllowContractionPass());
  add(Stage::Llvm, cpu::createExpandMathPass());
  add(Stage::Llvm, cpu::createLegalizeArithPass());
  add(Stage::Llvm, cpu::createKernelToLLVMPass());
  return steps;
}

} // namespace kiln::driver
