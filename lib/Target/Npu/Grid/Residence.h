//===- Residence.h - scalars that stay on the vector unit ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Which scalars live on the vector unit: results of reductions to one scalar,
// what is computed from them with ops that the unit has, and what loops and branches carry of them.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_GRID_RESIDENCE_H
#define KILN_LIB_TARGET_NPU_GRID_RESIDENCE_H

#include "machine/Machine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace kiln::npu {

/// Function attribute: the kind of core that runs the kernel, a string as `machine::name(Core)` in
/// lower case: "aiv".
inline constexpr llvm::StringLiteral kCoreAttr = "npu.core";

class Residence {
public:
  Residence(const machine::Machine &machine, mlir::func::FuncOp function);

  bool contains(mlir::Value value) const { return values.contains(value); }

private:
  /// Whether values of the type, and the op, may be on the vector unit.
  bool mayHold(mlir::Type type) const;
  bool mayCompute(mlir::Operation *op) const;
  /// Looks at all ops once; true if something was added.
  bool spread(mlir::Operation *op);
  bool add(mlir::Value value) { return mayHold(value.getType()) && values.insert(value).second; }

  const machine::Machine &machine;
  llvm::DenseSet<mlir::Value> values;
};

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_GRID_RESIDENCE_H
