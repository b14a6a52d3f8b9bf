//===- Emit.h - from the LLVM dialect to a loadable object -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The last steps of the CPU target: LLVM IR, LLVM's passes, machine code, in-process link.
// Everything happens in memory. Safe to call from several threads; the linker runs one at a time.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_TARGET_CPU_EMIT_H
#define KILN_TARGET_CPU_EMIT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <vector>

namespace kiln::cpu {

/// What the code may use. An empty CPU is x86-64-v3, the least that the target supports.
struct CpuSpec {
  std::string cpu;
  std::string features; // LLVM's form: "+avx512f,-avx512bf16"
};

struct EmitOptions {
  CpuSpec cpu;
  bool llvm = false;
  bool assembly = false;
  bool object = false;
  /// Called after each step with its name; false ends the emission.
  llvm::function_ref<bool(llvm::StringRef step)> afterStep;
};

struct EmitResult {
  std::string llvm;
  std::string assembly;
  std::vector<char> object;
};

/// What the passes have to know of a CPU that checkCpu accepts.
struct CpuFacts {
  int64_t vectorBits; // the widest register worth using
  bool masks;         // registers that mask lanes of every element size
};
CpuFacts factsOf(const CpuSpec &cpu);

/// Adds what the translation to LLVM IR needs.
void registerEmission(mlir::DialectRegistry &registry);

/// Checks the CPU and its features; the error says what was found and expected.
llvm::Error checkCpu(const CpuSpec &cpu);

/// Emits what `options` ask for of a module in the LLVM dialect. Errors go to the module's
/// location; an emission that `afterStep` ended fails without one.
mlir::FailureOr<EmitResult> emitKernel(mlir::ModuleOp module, const EmitOptions &options);

} // namespace kiln::cpu

#endif // KILN_TARGET_CPU_EMIT_H
