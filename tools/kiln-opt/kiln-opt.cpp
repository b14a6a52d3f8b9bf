//===- kiln-opt.cpp - run Kiln's and MLIR's passes on textual IR -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Dialect/Npu/IR/Npu.h"
#include "kiln/Dialect/Tile/IR/Tile.h"
#include "kiln/Dialect/Tile/Transforms/Passes.h"
#include "kiln/Target/Cpu/Passes.h"
#include "kiln/Target/Npu/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registry.insert<kiln::tile::TileDialect, kiln::npu::NpuDialect>();
  mlir::registerTransformsPasses();
  kiln::tile::registerTilePasses();
  kiln::cpu::registerCpuPasses();
  kiln::npu::registerNpuPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Kiln optimiser driver\n", registry));
}
