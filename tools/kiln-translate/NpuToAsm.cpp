//===- NpuToAsm.cpp - npu functions as text of the image language ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "NpuToAsm.h"

#include "kiln/Dialect/Npu/IR/Npu.h"
#include "kiln/Target/Npu/Assemble.h"
#include "machine/MachineFile.h"
#include "sim/asm/Assembly.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/ToolUtilities.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static LogicalResult translate(const kiln::machine::Machine &machine, llvm::SourceMgr &sources,
                               MLIRContext &context, llvm::raw_ostream &output) {
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return failure();
  for (auto function : module->getOps<func::FuncOp>()) {
    FailureOr<kiln::image::Image> image = kiln::npu::assemble(function, machine);
    if (failed(image))
      return failure();
    output << kiln::sim::disassemble(*image);
  }
  return success();
}

int kiln::npuToAsm(std::unique_ptr<llvm::MemoryBuffer> buffer, const std::string &chip, bool split,
                   bool verify) {
  Result<machine::MachineRef> machine = machine::findMachine(chip);
  if (!machine) {
    llvm::errs() << machine.error().message() << "\n";
    return 1;
  }
  auto piece = [&](std::unique_ptr<llvm::MemoryBuffer> text, llvm::raw_ostream &output) {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    context.loadDialect<cf::ControlFlowDialect, func::FuncDialect, math::MathDialect,
                        npu::NpuDialect, scf::SCFDialect>();
    context.printOpOnDiagnostic(false);
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
    if (!verify) {
      SourceMgrDiagnosticHandler handler(sources, &context);
      return translate(**machine, sources, context, output);
    }
    SourceMgrDiagnosticVerifierHandler handler(sources, &context);
    (void)translate(**machine, sources, context, output);
    return handler.verify();
  };
  LogicalResult result = splitAndProcessBuffer(std::move(buffer), piece, llvm::outs(),
                                               split ? kDefaultSplitMarker : llvm::StringRef());
  return succeeded(result) ? 0 : 1;
}
