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

void addPart(Part part, llvm::StringRef chip,
             llvm::function_ref<void(std::unique_ptr<mlir::Pass>)> add) {
  auto addForChip = [&]<typename Options>(std::unique_ptr<mlir::Pass> (*create)(Options)) {
    Options options;
    options.chip = chip.str();
    add(create(std::move(options)));
  };
  auto cleanUp = [&] {
    add(mlir::createCanonicalizerPass());
    add(mlir::createCSEPass());
  };
  switch (part) {
  case Part::Tiles:
    addForChip(createLegalizePass);
    cleanUp();
    addForChip(createAssignCoresPass);
    addForChip(createFitAxesPass);
    break;
  case Part::Grid:
    addForChip(createMapGridPass);
    cleanUp();
    addForChip(createSchedulePass);
    break;
  case Part::Buffers:
    // Nothing in between: which tensor lies where holds for the program as it is then.
    addForChip(createBufferizePass);
    addForChip(createLowerPass);
    cleanUp();
    break;
  case Part::Program:
    addForChip(createPlanMemoryPass);
    addForChip(createInsertSyncPass);
    addForChip(createVerifyProgramPass);
    break;
  }
}

std::vector<std::unique_ptr<mlir::Pass>> buildPasses(llvm::StringRef chip) {
  std::vector<std::unique_ptr<mlir::Pass>> passes;
  for (Part part : {Part::Tiles, Part::Grid, Part::Buffers, Part::Program})
    addPart(part, chip,
            [&](std::unique_ptr<mlir::Pass> pass) { passes.push_back(std::move(pass)); });
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
