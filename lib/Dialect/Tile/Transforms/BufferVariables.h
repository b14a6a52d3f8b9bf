//===- BufferVariables.h - the buffers that become values, and what regions do with them -----===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_TILE_TRANSFORMS_BUFFERVARIABLES_H
#define KILN_LIB_DIALECT_TILE_TRANSFORMS_BUFFERVARIABLES_H

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"

namespace kiln::tile {

/// A buffer that becomes a value: a tensor of all that it holds, or its only element.
struct BufferVariable {
  LocalAllocOp buffer;
  mlir::Type type;
};

/// Those of a function; buffers with an address only if `pinned`, and if they share their
/// bytes with no other. Erases buffers that nobody reads.
llvm::SmallVector<BufferVariable> findVariables(mlir::func::FuncOp function, bool pinned);

bool readsBuffer(mlir::Operation *op);
bool writesBuffer(mlir::Operation *op);

/// The splat or constant that holds the only element of a tensor; null if that was computed.
mlir::Operation *scalarSource(mlir::Value tensor);

using VariableSet = llvm::BitVector;

/// Of an operation or block, for each variable.
struct VariableEffects {
  explicit VariableEffects(unsigned count) : reads(count), overwrites(count), writes(count) {}

  /// What must be live before it, if `after` is live behind it.
  VariableSet liveBefore(VariableSet after) const {
    after.reset(overwrites);
    after |= reads;
    return after;
  }

  VariableSet reads;      ///< may read what was there before
  VariableSet overwrites; ///< writes, whatever way is taken
  VariableSet writes;     ///< may write
};

/// What the operations of a block, and the blocks in them, do with the variables.
class VariableUses {
public:
  VariableUses(llvm::ArrayRef<BufferVariable> variables, mlir::Block &block);

  /// The variable that an operation reads or writes itself.
  std::optional<unsigned> variableOf(mlir::Operation *op) const;

  /// Null if it is no access and has no regions.
  const VariableEffects *find(mlir::Operation *op) const;
  const VariableEffects &of(mlir::Operation *op) const { return *find(op); }
  const VariableEffects &of(mlir::Block *block) const { return blocks.find(block)->second; }

private:
  void summarise(mlir::Block &block);
  VariableEffects summarise(mlir::Operation *op);

  unsigned count;
  llvm::DenseMap<mlir::Value, unsigned> indices;
  llvm::DenseMap<mlir::Operation *, VariableEffects> operations;
  llvm::DenseMap<mlir::Block *, VariableEffects> blocks;
};

} // namespace kiln::tile

#endif // KILN_LIB_DIALECT_TILE_TRANSFORMS_BUFFERVARIABLES_H
