//===- Passes.td - passes on the tile dialect ------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_DIALECT_TILE_TRANSFORMS_PASSES_TD
#define KILN_DIALECT_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def RaiseAccessPass : Pass<"kiln-raise-access", "::mlir::func::FuncOp"> {
  let summary = "turn pointer arithmetic and masks into views with bounds";
  let description = [{
    Replaces every access through a tensor of pointers by `tile.load`/`tile.store` on a `tile.view` with bounds,
    or by `tile.gather`/`tile.scatter` where the address is not affine in the lane indices.
  }];
  let options = [
    Option<"explain", "explain", "bool", /*default=*/"false",
           "one remark per access: what was proved about it, and why not more">,
  ];
  let dependentDialects = ["::kiln::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif // KILN_DIALECT_TILE_TRANSFORMS_PASSES_TD
