//===- Kernel.h - steps of kiln-cpu-kernel-to-llvm -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A kernel goes to LLVM in four steps, one file each:
//   1. KernelBody.cpp    the function gets the program's coordinates as arguments and returns a
//   status; program
//                        ids, prints and masked scalar accesses become plain ops
//   2. (upstream)        scf becomes branches; KernelBody.cpp then turns assertions into early
//   returns
//   3. TileToLLVM.cpp    pointers and scalar accesses, beside MLIR's own conversion patterns
//   4. KernelEntry.cpp   the exported function that loops over programs, and the kernel's
//   description
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_CPU_KERNEL_H
#define KILN_LIB_TARGET_CPU_KERNEL_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace kiln::cpu {

/// Arguments that step 1 appends to the kernel's own.
enum BodyArg : unsigned {
  ProgramX,
  ProgramY,
  ProgramZ,
  GridX,
  GridY,
  GridZ,
  ProgramIndex, // i64, the linear program id
  Launch,       // const KilnLaunch *
  kBodyArgCount
};

/// What the exported function has to know of the kernel; taken before the conversion erases it.
struct KernelLayout {
  std::string name;
  // For each of the kernel's own arguments: where in scratch it points, if it does.
  llvm::SmallVector<std::optional<int64_t>> scratchOffsets;
  int64_t scratchBytes = 0;

  unsigned slotCount() const { return llvm::count(scratchOffsets, std::nullopt); }
};

/// Step 1. Fails, with an error, on an argument that has no slot form.
llvm::FailureOr<KernelLayout> prepareKernelBody(mlir::func::FuncOp kernel);

/// Step 2, once the body is a graph of blocks.
void lowerAssertions(mlir::func::FuncOp kernel);

/// Step 3.
void populateTileToLLVMPatterns(const mlir::LLVMTypeConverter &converter,
                                mlir::RewritePatternSet &patterns);

/// Step 4.
void buildKernelEntry(mlir::LLVM::LLVMFuncOp body, const KernelLayout &layout);

} // namespace kiln::cpu

#endif // KILN_LIB_TARGET_CPU_KERNEL_H
