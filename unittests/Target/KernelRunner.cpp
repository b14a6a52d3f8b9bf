//===- KernelRunner.cpp - compile a small kernel of MLIR and call it -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "KernelRunner.h"

#include "kiln/Dialect/Tile/IR/Tile.h"
#include "kiln/Target/Cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/TargetParser/Host.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;

namespace kiln::test {

cpu::CpuSpec hostCpu() {
  std::string features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features += (features.empty() ? "" : ",") + std::string(feature.second ? "+" : "-") +
                feature.first().str();
  return {llvm::sys::getHostCPUName().str(), features};
}

std::vector<char> compileObject(llvm::StringRef mlir, std::string &error, const cpu::CpuSpec &spec,
                                bool contract) {
  DialectRegistry registry;
  cpu::registerEmission(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadDialect<tile::TileDialect, arith::ArithDialect, cf::ControlFlowDialect,
                      func::FuncDialect, LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect,
                      vector::VectorDialect>();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      error += diagnostic.str() + "\n";
  });
  auto module = parseSourceString<ModuleOp>(mlir, ParserConfig(&context));
  if (!module)
    return {};
  PassManager manager(&context);
  if (contract)
    manager.addPass(cpu::createAllowContractionPass());
  manager.addPass(cpu::createExpandMathPass());
  manager.addPass(cpu::createLegalizeArithPass());
  manager.addPass(cpu::createKernelToLLVMPass());
  if (failed(manager.run(*module)))
    return {};
  cpu::EmitOptions options;
  options.cpu = spec;
  options.object = true;
  FailureOr<cpu::EmitResult> result = cpu::emitKernel(*module, options);
  return failed(result) ? std::vector<char>() : std::move(result->object);
}

Kernel::Kernel(llvm::StringRef mlir, bool contract) {
  std::vector<char> object = compileObject(mlir, message, hostCpu(), contract);
  if (object.empty())
    return;
  int file = memfd_create("kernel.so", MFD_CLOEXEC);
  if (write(file, object.data(), object.size()) == static_cast<ssize_t>(object.size()))
    library = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    message = dlerror();
  close(file);
  if (!library)
    return;
  function = reinterpret_cast<KilnKernelFn>(dlsym(library, "kiln_kernel"));
  description = static_cast<const KilnKernelInfo *>(dlsym(library, "kiln_kernel_info"));
}

Kernel::~Kernel() {
  if (library)
    dlclose(library);
}

int Kernel::run(std::vector<uint64_t> args, std::array<uint32_t, 3> grid, uint64_t begin,
                uint64_t end, const KilnServices *services) const {
  KilnLaunch launch{{grid[0], grid[1], grid[2]}, 0, services};
  std::vector<uint8_t> scratch(description->scratchBytes + 64);
  auto aligned = (reinterpret_cast<uintptr_t>(scratch.data()) + 63) & ~uintptr_t(63);
  return function(&launch, args.data(), begin, end, reinterpret_cast<uint8_t *>(aligned));
}

} // namespace kiln::test
