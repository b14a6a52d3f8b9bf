//===- ControlFlow.h - tensors that go through loops and branches ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_BUFFERIZE_CONTROLFLOW_H
#define KILN_LIB_TARGET_NPU_BUFFERIZE_CONTROLFLOW_H

#include "Storage.h"

namespace kiln::npu::bufferize {

/// Copies that happen at one place and at the same time: each tensor into the storage of another.
struct Copies {
  mlir::Operation *before;
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> copies;
};

/// Joins what loops and branches want in one place; what cannot be joined becomes a copy.
void joinControlFlow(mlir::func::FuncOp function, Storages &storages,
                     llvm::SmallVectorImpl<Copies> &copies);

/// Moves the pure operations that make `value` in front of `op`, as far as it takes.
bool hoist(mlir::Value value, mlir::Operation *op);

/// Takes all tensors out of the signatures of loops and branches. `placeOf` gives the tile that
/// holds an argument or result.
void dropTensors(mlir::func::FuncOp function, llvm::function_ref<mlir::Value(mlir::Value)> placeOf);

} // namespace kiln::npu::bufferize

#endif // KILN_LIB_TARGET_NPU_BUFFERIZE_CONTROLFLOW_H
