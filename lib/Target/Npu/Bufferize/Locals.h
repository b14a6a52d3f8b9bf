//===- Locals.h - buffers that the author named ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   %b = tile.local_alloc : !tile.local<16x64xf32>    %b = npu.alloc named "" : memref<16x64xf32>
//   %x = tile.local_load %b[%i, 0]                    %r = npu.window %b[0 + %i · 64] : … -> <64>
//   %y = math.exp %x                             ==>  %x = to_tensor %r
//   tile.local_store %y, %b[%i, 0]                    %y = math.exp %x
//                                                     materialize_in_destination %y in %r'
//
// A load's tensor lies in the buffer if nothing writes there while it is needed, and is a copy
// otherwise. A store's tensor is made in the buffer if it lies nowhere else yet and nothing looks
// at what stood there between; otherwise it is copied.
//
// A region that has the layout of a tile becomes the tile of a window; any other becomes a window
// whose layout says `offset: ?`, of a window that is all of its elements and no more. Where such
// rows begin off a 32-byte boundary lower moves element by element.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_BUFFERIZE_LOCALS_H
#define KILN_LIB_TARGET_NPU_BUFFERIZE_LOCALS_H

#include "ControlFlow.h"
#include "Layout.h"
#include "Touched.h"

#include "kiln/Dialect/Npu/IR/Npu.h"

namespace kiln::npu::bufferize {

class Locals {
public:
  Locals(mlir::func::FuncOp function, const LayoutRule &rule, Storages &storages)
      : function(function), rule(rule), storages(storages), touched(function) {}

  /// What a buffer holds shares its place with nothing else. Before control flow is joined.
  void close();

  /// Replaces all buffers, loads and stores. `places` gets what is made in a buffer; `copies` get
  /// the new names of what was loaded.
  void place(llvm::DenseMap<mlir::Value, mlir::Value> &places,
             llvm::MutableArrayRef<Copies> copies);

private:
  void allocate(tile::LocalAllocOp alloc);
  /// The part of a buffer that a load or store names, made where the builder stands.
  template <typename RegionOp>
  mlir::Value regionOf(mlir::OpBuilder &builder, RegionOp op, mlir::RankedTensorType type);
  bool staysUnwritten(tile::LocalLoadOp load);
  void load(tile::LocalLoadOp load, llvm::MutableArrayRef<Copies> copies);
  /// The operation in front of which the buffer can be named so that the value is made in it; null
  /// if it has to be copied.
  mlir::Operation *makerOf(tile::LocalStoreOp store,
                           const llvm::DenseMap<mlir::Value, mlir::Value> &places);
  void store(tile::LocalStoreOp store, llvm::DenseMap<mlir::Value, mlir::Value> &places);
  void element(mlir::Operation *op);
  mlir::Value elementIndex(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer,
                           mlir::ValueRange indices);

  struct Buffer {
    mlir::Value alloc;
    llvm::SmallVector<int64_t> shape, strides;
    bool isCompact = false; ///< rows follow one another without gaps
  };

  mlir::func::FuncOp function;
  const LayoutRule &rule;
  Storages &storages;
  Touched touched;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
};

} // namespace kiln::npu::bufferize

#endif // KILN_LIB_TARGET_NPU_BUFFERIZE_LOCALS_H
