//===- Pipeline.cpp - from tile IR to a program image ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Target/Npu/Pipeline.h"

#include "ChipOption.h"
#include "image/File.h"
#include "kiln/Dialect/Tile/IR/Tile.h"
#include "kiln/Target/Npu/Assemble.h"
#include "kiln/Target/Npu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

namespace kiln::npu {

std::vector<std::unique_ptr<mlir::Pass>> buildPasses(llvm::StringRef chip) {
  std::vector<std::unique_ptr<mlir::Pass>> passes;
  auto add = [&]<typename Options>(std::unique_ptr<mlir::Pass> (*create)(Options)) {
    Options options;
    options.chip = chip.str();
    passes.push_back(create(std::move(options)));
  };
  auto cleanUp = [&] {
    passes.push_back(mlir::createCanonicalizerPass());
    passes.push_back(mlir::createCSEPass());
  };
  add(createLegalizePass);
  cleanUp();
  add(createAssignCoresPass);
  add(createFitAxesPass);
  add(createMapGridPass);
  cleanUp();
  // Nothing in between: which tensor lies where holds for the program as it is then.
  add(createSchedulePass);
  add(createBufferizePass);
  add(createLowerPass);
  cleanUp();
  add(createPlanMemoryPass);
  add(createInsertSyncPass);
  add(createVerifyProgramPass);
  return passes;
}

mlir::FailureOr<std::string> emitImage(mlir::ModuleOp module, llvm::StringRef chip) {
  std::shared_ptr<const machine::Machine> machine = machineOf(chip, module);
  if (!machine)
    return mlir::failure();
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (!function->hasAttr(tile::kKernelAttr) || function.isDeclaration())
      continue;
    mlir::FailureOr<image::Image> image = assemble(function, *machine);
    if (mlir::failed(image))
      return mlir::failure();
    return image::serialize(*image);
  }
  return module.emitError("found no function with the attribute '")
         << tile::kKernelAttr << "', expected one";
}

} // namespace kiln::npu
