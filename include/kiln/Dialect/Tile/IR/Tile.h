//===- Tile.h - the tile dialect -------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_DIALECT_TILE_IR_TILE_H
#define KILN_DIALECT_TILE_IR_TILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "kiln/Dialect/Tile/IR/TileDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "kiln/Dialect/Tile/IR/TileTypes.h.inc"

namespace kiln::tile {

/// Names of the function and argument attributes that the dialect's description explains.
inline constexpr llvm::StringLiteral kKernelAttr = "tile.kernel";
inline constexpr llvm::StringLiteral kDivisibilityAttr = "tile.divisibility";
inline constexpr llvm::StringLiteral kAliasSetAttr = "tile.alias_set";
inline constexpr llvm::StringLiteral kPrivateAttr = "tile.private";
inline constexpr llvm::StringLiteral kExtentAttr = "tile.extent";
inline constexpr llvm::StringLiteral kGridAttr = "tile.grid";
/// On `tile.program_id`: the number of programs along its axis, where it is known.
inline constexpr llvm::StringLiteral kCountAttr = "tile.count";
inline constexpr llvm::StringLiteral kAsynchronousAttr = "tile.asynchronous";

/// A pointer or a ranked tensor of pointers.
bool isPtrLike(mlir::Type type);

} // namespace kiln::tile

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/IR/TileOps.h.inc"

#endif // KILN_DIALECT_TILE_IR_TILE_H
