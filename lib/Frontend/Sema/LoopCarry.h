//===- LoopCarry.h - what a loop hands from one iteration to the next --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The names that a loop carries are known before its body is visited (LiveNames.h), and so are
// their types: a carried value has the type of its initial value, numbers that are known at compile
// time becoming runtime values. Tuples are carried by element. What has no runtime form (None,
// strings, types, functions) may stay in a carried name as long as no iteration changes it.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_SEMA_LOOPCARRY_H
#define KILN_LIB_FRONTEND_SEMA_LOOPCARRY_H

#include "lib/Frontend/Sema/Sema.h"

namespace kiln::frontend {

class LoopCarry {
public:
  /// Takes the names' present values as initial ones; may write constants before the loop.
  LoopCarry(Sema &sema, const ast::Node &loop, llvm::ArrayRef<ast::NameId> ids);

  llvm::ArrayRef<mlir::Value> initial() const { return leaves; }
  llvm::SmallVector<mlir::Type> types() const;
  /// Gives the names the values of an iteration (block arguments) or of the whole loop (results).
  void enter(mlir::ValueRange values);
  /// The names' values as an iteration leaves them; errors where a type changed.
  llvm::SmallVector<mlir::Value> leave();
  /// Puts back the values from before the loop.
  void restore();

private:
  /// How one carried value is put together.
  struct Plan {
    Value known; ///< no leaf, no children: must not change
    std::optional<size_t> leaf;
    Type type;
    std::optional<std::vector<Plan>> children;
    const TupleData *shape = nullptr;
  };

  Plan plan(const Value &value);
  Value realize(const Plan &plan, mlir::ValueRange values) const;
  bool collect(const Plan &plan, const Value &value, llvm::SmallVectorImpl<mlir::Value> &result);

  Sema &sema;
  const ast::Node &loop;
  llvm::SmallVector<ast::NameId> ids;
  std::vector<Binding> before;
  std::vector<Plan> plans;
  llvm::SmallVector<mlir::Value> leaves;
};

} // namespace kiln::frontend

#endif // KILN_LIB_FRONTEND_SEMA_LOOPCARRY_H
