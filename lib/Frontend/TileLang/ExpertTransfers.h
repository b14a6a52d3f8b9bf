//===- ExpertTransfers.h - rows between global memory and UB ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A tile is laid over a part of a tensor (`rowsOf`) and moved in as few instructions as its rows
// allow (`emitRows`). Rows that are too short for a transfer of several go one by one.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_TILELANG_EXPERTTRANSFERS_H
#define KILN_LIB_FRONTEND_TILELANG_EXPERTTRANSFERS_H

#include "Expert.h"

namespace kiln::frontend::tilelang::expert {

/// One dimension of a transfer that has more than one lane.
struct RowDim {
  int64_t lanes;             ///< of the tile
  mlir::OpFoldResult size;   ///< that are inside the tensor
  mlir::OpFoldResult stride; ///< in global memory, in elements
  int64_t tileStride;
};

struct Transfer {
  bool isLoad;
  mlir::Value pointer;
  View tile;
  npu::AtomicAttr atomic;
};

/// What a copy moves.
struct Rows {
  llvm::SmallVector<RowDim> dims;
  mlir::OpFoldResult offset;
  mlir::Value sticksOut; ///< whether lanes are outside the tensor; null: none are
  mlir::Value isInside;  ///< all dimensions of one lane are inside the tensor; null: they are
};

/// The lanes of the tile laid over the tensor; nothing after an error.
std::optional<Rows> rowsOf(CallContext &context, const Arguments &arguments,
                           const RegionData &global, const View &tile, bool isLoad);
/// False, after an error, if the rows of the tile cannot be moved.
bool checkRows(CallContext &context, const Arguments &arguments, const Transfer &transfer,
               const Rows &rows);
void emitRows(CallContext &context, const Transfer &transfer, const Rows &rows);

} // namespace kiln::frontend::tilelang::expert

#endif // KILN_LIB_FRONTEND_TILELANG_EXPERTTRANSFERS_H
