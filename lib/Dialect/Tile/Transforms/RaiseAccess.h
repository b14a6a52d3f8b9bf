//===- RaiseAccess.h - the steps of kiln-raise-access ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_TILE_TRANSFORMS_RAISEACCESS_H
#define KILN_LIB_DIALECT_TILE_TRANSFORMS_RAISEACCESS_H

#include "AccessEmitter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::tile {

/// Computes what is the same in all lanes once, on scalars, and moves pointer casts to the scalar
/// base.
void hoistUniformValues(mlir::func::FuncOp function);

/// Makes loops and branches carry scalars (a base, an offset) instead of tensors of pointers and of
/// offsets.
mlir::LogicalResult splitCarriedPointers(mlir::func::FuncOp function);

/// Pointers as one scalar base and a tensor of offsets, for addresses that are not affine.
class IndexedPointers {
public:
  IndexedPointers(LaneAffines &lanes, AccessEmitter &emitter) : lanes(lanes), emitter(emitter) {}

  struct Indexed {
    mlir::Value base;
    LinearExpr scalar;   ///< elements from the base to offset 0
    mlir::Value offsets; ///< signed elements; null stands for zeros
  };

  /// Emits next to the pointers' definitions. Fails with an error where pointers come out of memory
  /// or are carried in a way that is not there yet.
  mlir::FailureOr<Indexed> get(mlir::Value pointers);

  /// The same with everything but the base in the offsets, of type i64.
  mlir::FailureOr<Indexed> getMaterialized(mlir::Value pointers);

  /// The byte addresses, a tensor of i64.
  mlir::FailureOr<mlir::Value> getAddresses(mlir::Value pointers);

  /// The form of a value that a loop or a branch carries.
  void assume(mlir::Value pointers, Indexed form) { known[pointers] = std::move(form); }

private:
  mlir::FailureOr<Indexed> compute(mlir::Value pointers);
  mlir::FailureOr<Indexed> absolute(mlir::Value pointers);

  LaneAffines &lanes;
  AccessEmitter &emitter;
  llvm::DenseMap<mlir::Value, Indexed> known;
};

} // namespace kiln::tile

#endif // KILN_LIB_DIALECT_TILE_TRANSFORMS_RAISEACCESS_H
