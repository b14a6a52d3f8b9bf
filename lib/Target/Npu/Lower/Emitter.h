//===- Emitter.h - instructions on tiles -----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A `View` is what the lowering knows of a tensor: which lanes of which buffer. Views of one shape
// go into an instruction together; `Emitter` finds the windows: it runs flat over whole tiles where
// all of them have the layout of the rule, and otherwise joins dimensions until three are left,
// more become several instructions. A view that repeats one value along a row is first spread over
// a 32-byte block (`vbrcb`), which an instruction then reads again and again with a stride of 0.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_LOWER_EMITTER_H
#define KILN_LIB_TARGET_NPU_LOWER_EMITTER_H

#include "../Bufferize/Layout.h"
#include "kiln/Dialect/Npu/IR/Npu.h"

namespace kiln::npu::lower {

using Sizes = llvm::SmallVector<int64_t, 4>;

/// A strided set of lanes of a buffer (an alloc or a slot). All numbers are in elements of
/// `element`.
struct View {
  mlir::Value buffer;
  mlir::Type element;
  int64_t offset = 0;
  Sizes sizes, strides;
  int64_t rowLanes = 0; ///< of the innermost row, including those behind it that may be touched
  int64_t lanes = 0;    ///< of the whole tile if it lies by the layout rule from offset 0; else 0
  bool blocked = false; ///< the row repeats one 32-byte block: strides.back() is 0

  explicit operator bool() const { return bool(buffer); }
  bool isTile() const { return lanes != 0; }
  bool isMask() const { return element.isInteger(1); }
  int64_t count() const { return mlir::ShapedType::getNumElements(sizes); }
};

/// A tile, or a scalar that stands for one filled with it.
struct Operand {
  View view;
  mlir::Value scalar;

  Operand() = default;
  Operand(View view) : view(std::move(view)) {}
  Operand(mlir::Value scalar) : scalar(scalar) {}
  bool isScalar() const { return bool(scalar); }
  mlir::Type element() const { return scalar ? scalar.getType() : view.element; }
};

class Emitter {
public:
  Emitter(mlir::func::FuncOp function, const machine::Machine &machine)
      : machine(machine), builder(function.getContext()), rule(function, machine),
        function(function) {}

  const machine::Machine &machine;
  mlir::OpBuilder builder;
  mlir::Location loc = mlir::UnknownLoc::get(builder.getContext());
  LayoutRule rule;

  // Views.
  View temporary(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// The view of a tile memref: an alloc or slot, or a window at its start.
  View viewOf(mlir::Value tile);
  /// Rows are neighbouring lanes and begin at 32-byte blocks: instructions can work on them.
  bool hasAlignedRows(const View &view) const;
  /// The memref of lanes of a buffer.
  mlir::Value window(const View &view, int64_t offset, llvm::ArrayRef<int64_t> sizes,
                     llvm::ArrayRef<int64_t> strides);
  mlir::Value window(const View &view) {
    return window(view, view.offset, view.sizes, view.strides);
  }
  /// `lanes` lanes from the start of a tile, as one row; rounded up to whole repeats of
  /// comparisons.
  mlir::Value flat(const View &tile, bool wholeRepeats = false);
  /// The whole buffer as one row of the view's elements, for access to single ones.
  mlir::Value row(const View &view);
  /// The same bytes as elements of another type; the view is a tile.
  mlir::Value flatAs(const View &tile, mlir::Type element);
  View reinterpret(View view, mlir::Type element);

  // Instructions on views of one shape. The first view is written.
  using Windows = llvm::function_ref<void(mlir::ValueRange)>;
  void forEachPiece(llvm::ArrayRef<View> views, Windows emit);

  void binary(machine::Opcode op, const View &lhs, const View &rhs, const View &dst);
  void unary(machine::Opcode op, const View &src, const View &dst);
  void scalar(machine::Opcode op, const View &src, mlir::Value scalar, const View &dst);
  void copy(const View &src, const View &dst);
  void fill(mlir::Value scalar, const View &dst);
  void put(const Operand &from, const View &dst);
  /// Row k of `dst` becomes column k of `src`; `isReversed`: the column with k's bits the other way
  /// round. False if elements are not of 16 or 32 bits.
  bool transpose(llvm::ArrayRef<View> src, llvm::ArrayRef<View> dst, bool isReversed = false);
  /// A tile with these values: the view itself if it is one.
  View dense(const Operand &operand, llvm::ArrayRef<int64_t> shape);
  /// A view that instructions can read: rows of stride 1 or repeated blocks.
  View readable(const View &view);
  /// `a` and `b` may share bytes, and not lane by lane.
  static bool clash(const View &a, const View &b);

  // Scalars.
  mlir::Value index(int64_t value);
  mlir::Value constant(mlir::Type type, double value);
  mlir::Value integer(mlir::Type type, int64_t value);

private:
  View spread(const View &view);

  mlir::func::FuncOp function;
};

} // namespace kiln::npu::lower

#endif // KILN_LIB_TARGET_NPU_LOWER_EMITTER_H
