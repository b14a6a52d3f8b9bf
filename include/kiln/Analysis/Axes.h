//===- Axes.h - dimensions that belong together ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Cutting a tile along one dimension cuts all tiles that are computed from it, or that it is
// computed from. Which dimensions go together is a union-find over (value, dimension):
//
//     %x = tile.load %v            : 64x128     one axis: rows of v, x, s, b, y
//     %s = tile.reduce(%x) axis 1  : 64         another: columns of v, x, b, y, reduced by %s and
//     %b = linalg.broadcast %s     : 64x128     made anew by %b
//     %y = arith.subf %x, %b       : 64x128
//
// An axis is fixed if an operation needs all of its lanes at once and is no reduction: such an
// operation is named. Dimensions of size 1 belong to no axis.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_AXES_H
#define KILN_ANALYSIS_AXES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace kiln {

/// One class of dimensions.
struct Axis {
  struct Member {
    mlir::Value value; ///< a tensor or a view
    unsigned dim;
  };
  int64_t size = 0;
  llvm::SmallVector<Member> members;               ///< in the order of the program
  llvm::SmallVector<mlir::Operation *> reductions; ///< that fold it
  /// Set if it must stay whole, and why: a clause about the operation.
  mlir::Operation *fixedBy = nullptr;
  std::string reason;
};

/// The axes of all tensors and views inside an operation. The tables keep SSA values: make a new
/// object after a rewrite. The order of the axes depends on the program alone.
class Axes {
public:
  explicit Axes(mlir::Operation *root);

  llvm::ArrayRef<Axis> all() const { return axes; }
  /// The number of the axis that a dimension belongs to.
  std::optional<unsigned> of(mlir::Value value, unsigned dim) const;
  /// The dimension of the value that lies along the axis.
  std::optional<unsigned> dimAlong(mlir::Value value, unsigned axis) const;

private:
  void visit(mlir::Operation *op);
  void visitShape(mlir::Operation *op);
  void visitControlFlow(mlir::Operation *op);
  void join(mlir::Value a, unsigned dimA, mlir::Value b, unsigned dimB);
  /// All dimensions, one by one.
  void join(mlir::Value a, mlir::Value b);
  void fix(mlir::Value value, mlir::Operation *op, llvm::StringRef reason);
  void fix(mlir::Value value, unsigned dim, mlir::Operation *op, llvm::StringRef reason);
  unsigned node(mlir::Value value, unsigned dim);
  unsigned find(unsigned node);
  void collect();

  using Key = std::pair<mlir::Value, unsigned>;
  llvm::DenseMap<Key, unsigned> nodes;
  llvm::SmallVector<Key> keys;
  llvm::SmallVector<unsigned> parents;
  struct Fixed {
    unsigned node;
    mlir::Operation *op;
    std::string reason;
  };
  llvm::SmallVector<Fixed> fixed;
  llvm::SmallVector<std::pair<unsigned, mlir::Operation *>> reduced;
  llvm::SmallVector<Axis> axes;
  llvm::DenseMap<Key, unsigned> axisOf;
};

} // namespace kiln

#endif // KILN_ANALYSIS_AXES_H
