//===- Passes.td - passes on the tile dialect ------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_DIALECT_TILE_TRANSFORMS_PASSES_TD
#define KILN_DIALECT_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def PromoteBuffersPass : Pass<"kiln-promote-buffers", "::mlir::func::FuncOp"> {
  let summary = "buffers that are read and written whole become values";
  let description = [{
    A `tile.local_alloc` without an address whose uses read and write all of it, in nested `scf.for`, `if` and `while`,
    becomes a tensor; one of a single element that is only written element by element a scalar. A loop carries it if
    it writes it and the content is read later, a branch yields it likewise. What is undefined is `tensor.empty`,
    or zero. Buffers that nobody reads go. All others stay as they are; so do all but scalars where the author
    placed flags (`tile.asynchronous`).
  }];
  let options = [
    Option<"pinned", "pinned", "bool", /*default=*/"false",
           "also buffers with an address: for targets on which addresses mean nothing">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def RaiseAccessPass : Pass<"kiln-raise-access", "::mlir::func::FuncOp"> {
  let summary = "turn pointer arithmetic and masks into views with bounds";
  let description = [{
    Replaces every access through a tensor of pointers by `tile.load`/`tile.store` on a `tile.view` with bounds,
    or by `tile.gather`/`tile.scatter` where the address is not affine in the lane indices. Strides of any sign,
    permuted and repeated dimensions, wrap-around (`% M`) and pointers that loops and branches carry become views;
    comparisons of lane indices become bounds, a condition for all lanes empties the bounds, and what is left of a
    mask stays one.

    Signed address arithmetic must not overflow: 32-bit sums become sums of `index` values term by term. Afterwards
    no tensor of pointers is left, or the pass fails with an error at each that is. An access that has to go lane
    by lane is reported with a remark that says why.
  }];
  let options = [
    Option<"explain", "explain", "bool", /*default=*/"false",
           "one remark per access: what was proved about it, and why not more">,
  ];
  let dependentDialects = ["::kiln::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def ReportMemoryOrderPass : Pass<"kiln-report-memory-order", "::mlir::func::FuncOp"> {
  let summary = "remark which accesses may be reordered or cut into chunks";
  let description = [{
    Changes nothing. For each pair of accesses of a block of which one writes, a remark at the later one says how the
    two relate (`disjoint`, `same lanes`, `unknown`) and what follows: they may be reordered, may run chunk by chunk
    in turn, or the earlier one has to be complete before the later one starts.
  }];
}

#endif // KILN_DIALECT_TILE_TRANSFORMS_PASSES_TD
