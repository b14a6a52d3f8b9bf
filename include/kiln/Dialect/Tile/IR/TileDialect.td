//===- TileDialect.td - the tile dialect and its types ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_DIALECT_TILE_IR_TILEDIALECT_TD
#define KILN_DIALECT_TILE_IR_TILEDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def TileDialect : Dialect {
  let name = "tile";
  let cppNamespace = "::kiln::tile";
  let summary = "what a tile kernel computes: values, views, reductions, programs";
  let description = [{
    A tile kernel is a `func.func` that carries the unit attribute `tile.kernel`; every program of the grid runs
    it once. Values are scalars and statically shaped tensors of `arith` element types. Whatever upstream
    dialects already say is said with them: `arith` and `math` on tensors, `scf`, `tensor.splat`,
    `tensor.expand_shape`, `tensor.collapse_shape`, `linalg.broadcast`, `linalg.transpose`. This dialect adds
    programs, pointers, views, memory access, reductions with any combine region, hints and debug output.

    Memory comes in two forms. Front ends write **pointer form**: `tile.addptr`, `tile.ptr_load`,
    `tile.ptr_store` on pointers and tensors of pointers. The pass `kiln-raise-access` turns it into **view
    form**: `tile.view`, `tile.load`, `tile.store`, and `tile.gather`/`tile.scatter` for what has no affine
    address. After that pass no tensor of pointers is left; loads and stores of one scalar stay in pointer form.

    Integers are signless; front ends choose the signed or unsigned op. `i1` never lives in memory: its pointer
    has element type `i8`.

    Kernel argument attributes:
    * `tile.divisibility = N : i64`: the integer, or the pointer's byte address, is a multiple of N;
    * `tile.alias_set = K : i64` on pointers: two pointer arguments can overlap only if their sets are equal;
    * `tile.private` on pointers: memory of this program that is reached through this argument only;
    * `tile.extent` on integers: an extent of a tensor, at least 0.

    Kernel attribute `tile.grid = "…"`: the number of programs as a JSON expression over the arguments, for kernels
    that say it themselves.

    On operations: `tile.count = N : i64` of `tile.program_id`, the number of programs along its axis, where it is known;
    `tile.num_stages = N : i64` of `scf.for`, into how many slots its loads and stores go in turn, where the author says so.

    Buffers that an author named (`tile.local_alloc`) are read and written by region. `kiln-promote-buffers` makes
    tensors of those that are only written and read whole; the others stay memory.

    Kernel attribute `tile.asynchronous`: the author placed flags or barriers; instructions of different pipes have no
    order but what those give, and what is written stays as it is written.
  }];
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
}

class TileType<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<TileDialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def TilePtrType : TileType<"Ptr", "ptr"> {
  let summary = "a typed pointer into global memory";
  let description = [{ `!tile.ptr<f32>`. A tensor of pointers is `tensor<128x!tile.ptr<f32>>`. }];
  let parameters = (ins "::mlir::Type":$pointee);
  let assemblyFormat = "`<` $pointee `>`";
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee), [{
    return $_get(pointee.getContext(), pointee);
  }]>];
}

def TileViewType : TileType<"View", "view"> {
  let summary = "a strided rectangle of global memory";
  let description = [{
    `!tile.view<64x128xf32>`: a static number of lanes per dimension; `tile.view` says where they lie.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let builders = [TypeBuilderWithInferredContext<
    (ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType), [{
    return $_get(elementType.getContext(), shape, elementType);
  }]>];
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    /// The type that a load of the whole view yields.
    ::mlir::RankedTensorType getTensorType() const;
  }];
}

def TileRingType : TileType<"Ring", "ring"> {
  let summary = "slots that a value passes through in turn";
  let description = [{
    `!tile.ring<16x64xf32, 2>`: two slots for tiles of 16 × 64. The n-th value lies in slot n mod depth, so a
    producer may run ahead of its consumer by as many steps as there are slots.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "int64_t":$depth);
  let hasCustomAssemblyFormat = 1;
  let builders = [TypeBuilderWithInferredContext<
    (ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType, "int64_t":$depth), [{
    return $_get(elementType.getContext(), shape, elementType, depth);
  }]>];
  let extraClassDeclaration = [{
    /// The type of one slot's value.
    ::mlir::RankedTensorType getTensorType() const;
  }];
}

def TileLocalType : TileType<"Local", "local"> {
  let summary = "a buffer of one program, that its author named";
  let description = [{
    `!tile.local<16x64xf32>`: memory that only this program sees, written and read in program order. What it holds
    at first is undefined. `i1` elements lie in it as `i8`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let builders = [TypeBuilderWithInferredContext<
    (ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType), [{
    return $_get(elementType.getContext(), shape, elementType);
  }]>];
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    /// The type of all that it holds.
    ::mlir::RankedTensorType getTensorType() const;
  }];
}

#endif // KILN_DIALECT_TILE_IR_TILEDIALECT_TD
