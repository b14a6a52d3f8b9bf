//===- Footprint.h - the room that tiles take ------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// An estimate, from tensors alone, of what kiln-npu-plan-memory will find: each tensor has a buffer
// from where it is made to its last use; what a loop carries is one buffer; splats, broadcasts and
// reshapes have none. Temporaries of lowering are counted where they are as large as tiles.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_FIT_FOOTPRINT_H
#define KILN_LIB_TARGET_NPU_FIT_FOOTPRINT_H

#include "machine/Machine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"

namespace kiln::npu::fit {

/// A tensor that lives at the fullest point.
struct Tenant {
  mlir::Value tensor;
  int64_t bytes;
};

struct Footprint {
  int64_t live = 0;  ///< bytes at the fullest point
  int64_t rings = 0; ///< for a second slot of everything that is loaded or stored
  mlir::Operation *fullest = nullptr;
  llvm::SmallVector<Tenant> tenants; ///< at that point, largest first

  int64_t withRings() const { return live + rings; }
};

/// Of the function; the fullest point and what passes through rings is looked for inside `within`
/// only, unless it is empty.
Footprint footprintOf(mlir::func::FuncOp function, const machine::Machine &machine,
                      llvm::ArrayRef<mlir::Operation *> within = {});

} // namespace kiln::npu::fit

#endif // KILN_LIB_TARGET_NPU_FIT_FOOTPRINT_H
