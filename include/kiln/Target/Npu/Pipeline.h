//===- Pipeline.h - from tile IR to a program image ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_TARGET_NPU_PIPELINE_H
#define KILN_TARGET_NPU_PIPELINE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>
#include <vector>

namespace kiln::npu {

/// Stretches of the way, in order: tiles made legal and cut; a loop over programs, and rings;
/// buffers and instructions; addresses and flags.
enum class Part { Tiles, Grid, Buffers, Program };

/// Hands the passes of a part to `add`.
void addPart(Part part, llvm::StringRef chip,
             llvm::function_ref<void(std::unique_ptr<mlir::Pass>)> add);

/// The passes after `kiln-raise-access`, in order (docs/design/npu-target.md). `chip` is the name
/// of a stock machine or the path of a machine file.
std::vector<std::unique_ptr<mlir::Pass>> buildPasses(llvm::StringRef chip);

/// The bytes of the program image (.npo) of the module's kernel, after all passes.
mlir::FailureOr<std::string> emitImage(mlir::ModuleOp module, llvm::StringRef chip);

} // namespace kiln::npu

#endif // KILN_TARGET_NPU_PIPELINE_H
