//===- TileOps.td - operations of the tile dialect -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_DIALECT_TILE_IR_TILEOPS_TD
#define KILN_DIALECT_TILE_IR_TILEOPS_TD

include "kiln/Dialect/Tile/IR/TileDialect.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

class TileOp<string mnemonic, list<Trait> traits = []> : Op<TileDialect, mnemonic, traits>;

def PtrLike : Type<
  CPred<"::kiln::tile::isPtrLike($_self)">, "pointer or ranked tensor of pointers">;
def IntegerLike : Type<
  CPred<"::mlir::getElementTypeOrSelf($_self).isIntOrIndex()">, "integer or tensor of integers">;
def MaskLike : Type<
  CPred<"::mlir::getElementTypeOrSelf($_self).isInteger(1)">, "i1 or tensor of i1">;

//===-----------------------------------------------------------------------------------------===//
// Programs
//===-----------------------------------------------------------------------------------------===//

class ProgramOp<string mnemonic> : TileOp<mnemonic, [Pure]> {
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<2>]>:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}
def ProgramIdOp : ProgramOp<"program_id"> {
  let summary = "index of this program along one axis of the grid";
  let description = [{ `%i = tile.program_id 0`, an `i32` from 0 to `tile.num_programs 0` - 1; axes 0 to 2. }];
}
def NumProgramsOp : ProgramOp<"num_programs"> {
  let summary = "number of programs along one axis of the grid";
  let description = [{ `%n = tile.num_programs 0`, an `i32` of at least 1; axes 0 to 2. }];
}

//===-----------------------------------------------------------------------------------------===//
// Values
//===-----------------------------------------------------------------------------------------===//

def IotaOp : TileOp<"iota", [Pure]> {
  let summary = "start, start + 1, … along the only dimension";
  let description = [{ `%r = tile.iota 0 : tensor<128xi32>`. (C1) The size is static and positive. }];
  let arguments = (ins I64Attr:$start);
  let results = (outs 1DTensorOf<[AnySignlessInteger, Index]>:$result);
  let assemblyFormat = "$start attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def ReduceOp : TileOp<"reduce", [
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"::kiln::tile::YieldOp">]> {
  let summary = "reduces one dimension of N tensors together with a combine region";
  let description = [{
    The region takes N left and N right scalars and yields N. No identity is given: the first lane seeds the
    result. Lanes are combined in an order that the target states; the region need not be commutative in exact
    arithmetic terms of rounding but must be associative in meaning. Constraints:
    (C1) all inputs have the same shape of rank >= 1; (C2) 0 <= axis < rank; (C3) the region's arguments are the
    element types twice and it yields them once. A rank-1 input gives scalars.
    ```mlir
    %s = tile.reduce(%x) axis 1 {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      tile.yield %0 : f32
    } : (tensor<64x128xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, I64Attr:$axis);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    `(` $inputs `)` `axis` $axis $combine attr-dict `:` functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def YieldOp : TileOp<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["ReduceOp"]>]> {
  let summary = "ends a combine region";
  let description = [{ `tile.yield %x, %i : f32, i32`: what two lanes combine to. }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def HintOp : TileOp<"hint", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "an identity that tells what the author knows about a value";
  let description = [{
    `%b = tile.hint %a "multiple_of" [16] : i32`: along each dimension, the first of every group of contiguous
    values (for a scalar, the value) is a multiple of 16; `max_contiguous` and `max_constancy` bound the groups of
    values that count up by one, or are equal. (C1) The kind is one of the three; (C2) there is one positive number
    per dimension, one for a scalar.
  }];
  let arguments = (ins AnyType:$input, StrAttr:$kind, DenseI64ArrayAttr:$values);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input $kind $values attr-dict `:` type($input)";
  let hasVerifier = 1;
}

//===-----------------------------------------------------------------------------------------===//
// Memory, pointer form
//===-----------------------------------------------------------------------------------------===//

def AddPtrOp : TileOp<"addptr", [Pure, Elementwise, Scalarizable, Vectorizable, Tensorizable,
                                 AllTypesMatch<["ptr", "result"]>]> {
  let summary = "moves pointers by a signed number of elements";
  let description = [{
    `%q = tile.addptr %p, %o : tensor<128x!tile.ptr<f32>>, tensor<128xi32>`. The offset counts elements and must not
    overflow its type on the way to it. (C1) The offset has the pointers' shape.
  }];
  let arguments = (ins PtrLike:$ptr, IntegerLike:$offset);
  let results = (outs PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($ptr) `,` type($offset)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def PtrCastOp : TileOp<"ptr_cast", [Pure]> {
  let summary = "reinterprets the pointee type";
  let description = [{ The byte address stays. (C1) Operand and result have the same shape. }];
  let arguments = (ins PtrLike:$ptr);
  let results = (outs PtrLike:$result);
  let assemblyFormat = "$ptr attr-dict `:` type($ptr) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def PtrToIntOp : TileOp<"ptr_to_int", [Pure]> {
  let summary = "the byte address as an integer";
  let description = [{ Truncated to the result's type. (C1) Operand and result have the same shape. }];
  let arguments = (ins PtrLike:$ptr);
  let results = (outs IntegerLike:$result);
  let assemblyFormat = "$ptr attr-dict `:` type($ptr) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def IntToPtrOp : TileOp<"int_to_ptr", [Pure]> {
  let summary = "a pointer from a byte address";
  let description = [{
    Such a pointer may alias every other; its address is a multiple of the pointee's size. (C1) Operand and result
    have the same shape.
  }];
  let arguments = (ins IntegerLike:$address);
  let results = (outs PtrLike:$result);
  let assemblyFormat = "$address attr-dict `:` type($address) `->` type($result)";
  let hasVerifier = 1;
}

def PtrLoadOp : TileOp<"ptr_load", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "reads one element per pointer";
  let description = [{
    (C1) mask, other and result have the pointers' shape; (C2) the result's element type is the pointee.
    A lane whose mask is off does not touch memory and yields `other`, or zero where there is none.
  }];
  let arguments = (ins PtrLike:$ptr, Optional<MaskLike>:$mask, Optional<AnyType>:$other,
                       UnitAttr:$is_volatile);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $ptr (`mask` $mask^)? (`other` $other^)? attr-dict
    `:` type($ptr) (`mask` type($mask)^)? (`other` type($other)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def PtrStoreOp : TileOp<"ptr_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes one element per pointer";
  let description = [{ (C1) value and mask have the pointers' shape; (C2) the value's element type is the pointee. }];
  let arguments = (ins PtrLike:$ptr, AnyType:$value, Optional<MaskLike>:$mask);
  let assemblyFormat = [{
    $ptr `,` $value (`mask` $mask^)? attr-dict `:` type($ptr) `,` type($value) (`mask` type($mask)^)?
  }];
  let hasVerifier = 1;
}

//===-----------------------------------------------------------------------------------------===//
// Memory, view form
//===-----------------------------------------------------------------------------------------===//

def ViewOp : TileOp<"view", [Pure, AttrSizedOperandSegments]> {
  let summary = "lays lanes over global memory";
  let description = [{
    Lane (i0, i1, …) of the result is the element at
    `base + offset + sum_d stride_d * x_d`, where `x_d = i_d`, or, in a dimension listed in `wrap_dims`,
    `x_d = (wrap_start + i_d) mod wrap_size` (the non-negative remainder). Offsets and strides count elements;
    a stride of 0 repeats one element, a negative one walks backwards. Sizes of wrapped dimensions are positive.
    (C1) There is one stride per dimension; (C2) `wrap_dims` is sorted, with one start and one size for each; (C3)
    the view's elements are what the base points to.
    ```mlir
    %v = tile.view %x[%o] strides [%s, 1] : !tile.ptr<f32> -> !tile.view<64x128xf32>
    %w = tile.view %x[%o] strides [1] wrap [0] start(%i) size(%m) : !tile.ptr<f32> -> !tile.view<64xf32>
    ```
  }];
  let arguments = (ins TilePtrType:$base, Index:$offset, Variadic<Index>:$strides,
                       DenseI64ArrayAttr:$static_strides,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$wrap_dims,
                       Variadic<Index>:$wrap_starts, Variadic<Index>:$wrap_sizes);
  let results = (outs TileViewType:$result);
  let assemblyFormat = [{
    $base `[` $offset `]` `strides` custom<DynamicIndexList>($strides, $static_strides)
    (`wrap` $wrap_dims^ `start` `(` $wrap_starts `)` `size` `(` $wrap_sizes `)`)?
    attr-dict `:` type($base) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedStrides();
  }];
}

def LoadOp : TileOp<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "reads a view";
  let description = [{
    Lane i is read if `lower_d <= i_d < upper_d` in every dimension and its `mask` lane is on; any other lane
    does not touch memory and yields `pad` (a scalar, or a tensor lane by lane), zero where there is none.
    Bounds may lie outside [0, size). (C1) lower and upper are both absent or both one per dimension; (C2) mask and
    result have the view's shape; (C3) the pad is an element or a tensor of the result's type.
    ```mlir
    %t = tile.load %v valid [%c0] to [%n] pad %zero : !tile.view<128xf32> pad f32 -> tensor<128xf32>
    ```
  }];
  let arguments = (ins TileViewType:$view, Variadic<Index>:$lower, Variadic<Index>:$upper,
                       Optional<MaskLike>:$mask, Optional<AnyType>:$pad, UnitAttr:$is_volatile);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $view (`valid` `[` $lower^ `]` `to` `[` $upper `]`)? (`mask` $mask^)? (`pad` $pad^)? attr-dict
    `:` type($view) (`mask` type($mask)^)? (`pad` type($pad)^)? `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def StoreOp : TileOp<"store", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "writes a view";
  let description = [{
    Lanes outside the bounds or masked off do not touch memory. (C1) and (C2) as for `tile.load`. Where two lanes
    share an address the one later in row-major order wins.
  }];
  let arguments = (ins TileViewType:$view, AnyRankedTensor:$value, Variadic<Index>:$lower,
                       Variadic<Index>:$upper, Optional<MaskLike>:$mask);
  let assemblyFormat = [{
    $value `,` $view (`valid` `[` $lower^ `]` `to` `[` $upper `]`)? (`mask` $mask^)? attr-dict
    `:` type($value) `,` type($view) (`mask` type($mask)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def GatherOp : TileOp<"gather", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "reads elements at offsets from one base";
  let description = [{
    Lane i is the element at `base + offsets[i]` (signed elements). (C1) Offsets, mask and result share a shape;
    (C2) offsets are integers, the result's elements are what the base points to; (C3) the pad is an element or a
    tensor of the result's type.
    A lane whose mask is off does not touch memory and yields `pad`, zero where there is none.
  }];
  let arguments = (ins TilePtrType:$base, AnyRankedTensor:$offsets, Optional<MaskLike>:$mask,
                       Optional<AnyType>:$pad, UnitAttr:$is_volatile);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $base `[` $offsets `]` (`mask` $mask^)? (`pad` $pad^)? attr-dict
    `:` type($base) `[` type($offsets) `]` (`mask` type($mask)^)? (`pad` type($pad)^)? `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def ScatterOp : TileOp<"scatter", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes elements at offsets from one base";
  let description = [{
    (C1) and (C2) as for `tile.gather`. Where two lanes share an address the one later in row-major order wins.
  }];
  let arguments = (ins TilePtrType:$base, AnyRankedTensor:$offsets, AnyRankedTensor:$value,
                       Optional<MaskLike>:$mask);
  let assemblyFormat = [{
    $value `,` $base `[` $offsets `]` (`mask` $mask^)? attr-dict
    `:` type($value) `,` type($base) `[` type($offsets) `]` (`mask` type($mask)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

//===-----------------------------------------------------------------------------------------===//
// Rings
//===-----------------------------------------------------------------------------------------===//

def RingCreateOp : TileOp<"ring_create", [MemoryEffects<[MemAlloc]>]> {
  let summary = "slots for one value of each step of a loop";
  let description = [{ `%r = tile.ring_create : !tile.ring<16x64xf32, 2>`. Targets turn it into one static buffer. }];
  let results = (outs TileRingType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def RingPutOp : TileOp<"ring_put", [AllTypesMatch<["value", "result"]>, MemoryEffects<[MemWrite]>]> {
  let summary = "puts a value into slot n mod depth; the result is the value, which lives there";
  let description = [{
    `%y = tile.ring_put %x, %r[%n] : tensor<16x64xf32>, !tile.ring<16x64xf32, 2>`. The number is not negative and
    counts on through all enclosing loops. The result must not be used once the number has advanced by the
    depth. (C1) The value has the type of a slot.
  }];
  let arguments = (ins AnyRankedTensor:$value, TileRingType:$ring, Index:$number);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value `,` $ring `[` $number `]` attr-dict `:` type($value) `,` type($ring)";
  let hasVerifier = 1;
}

def RingGetOp : TileOp<"ring_get", [MemoryEffects<[MemRead]>]> {
  let summary = "the value that was put into slot n mod depth last";
  let description = [{
    `%x = tile.ring_get %r[%n] : !tile.ring<16x64xf32, 2> -> tensor<16x64xf32>`: for values that are put an iteration
    before they are used. (C1) The result has the type of a slot.
  }];
  let arguments = (ins TileRingType:$ring, Index:$number);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$ring `[` $number `]` attr-dict `:` type($ring) `->` type($result)";
  let hasVerifier = 1;
}

//===-----------------------------------------------------------------------------------------===//
// Buffers that the author named
//===-----------------------------------------------------------------------------------------===//

def LocalAllocOp : TileOp<"local_alloc"> {
  let summary = "a buffer of this program";
  let description = [{
    `%b = tile.local_alloc at 1024 "scores" : !tile.local<16x64xf32>`. `address`, in bytes, is where the author put it
    in the memory `memory` (`ub` if that is absent): it stays there. The name shows in messages only. (C1) Static
    positive sizes, one to four; (C2) elements have bytes of their own: no i1; (C3) an address is a multiple of 32 and
    not negative; (C4) stands in the entry block.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$address, OptionalAttr<StrAttr>:$name,
                       OptionalAttr<StrAttr>:$memory);
  let results = (outs Res<TileLocalType, "", [MemAlloc]>:$result);
  let assemblyFormat = "(`at` $address^)? ($name^)? (`in` $memory^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

class LocalRegionOp<string mnemonic, list<Trait> traits> : TileOp<mnemonic, traits> {
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedOffsets();
    /// All of the buffer, from its first element on.
    bool isWhole();
  }];
}

def LocalLoadOp : LocalRegionOp<"local_load", [MemoryEffects<[MemRead]>]> {
  let summary = "what a region of a buffer holds";
  let description = [{
    `%t = tile.local_load %b[%i, 0] : !tile.local<16x64xf32> -> tensor<1x64xf32>`: from the offsets, one per
    dimension, as many elements as the result has. (C1) Ranks and element types agree; (C2) constant offsets keep the
    region inside; others must, which nothing checks.
  }];
  let arguments = (ins TileLocalType:$buffer, Variadic<Index>:$offsets, DenseI64ArrayAttr:$static_offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $buffer custom<DynamicIndexList>($offsets, $static_offsets) attr-dict `:` type($buffer) `->` type($result)
  }];
}

def LocalStoreOp : LocalRegionOp<"local_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes a region of a buffer";
  let description = [{
    `tile.local_store %t, %b[%i, 0] : tensor<1x64xf32>, !tile.local<16x64xf32>`, as `tile.local_load`.
  }];
  let arguments = (ins AnyRankedTensor:$value, TileLocalType:$buffer, Variadic<Index>:$offsets,
                       DenseI64ArrayAttr:$static_offsets);
  let assemblyFormat = [{
    $value `,` $buffer custom<DynamicIndexList>($offsets, $static_offsets) attr-dict `:` type($value) `,` type($buffer)
  }];
}

def LocalGetOp : TileOp<"local_get", [MemoryEffects<[MemRead]>]> {
  let summary = "one element of a buffer as a scalar";
  let description = [{
    `%x = tile.local_get %b[%i, %j] : !tile.local<16x64xf32> -> f32`. (C1) One index per dimension; (C2) the element
    type. Indices must lie inside, which nothing checks.
  }];
  let arguments = (ins TileLocalType:$buffer, Variadic<Index>:$indices);
  let results = (outs AnyTypeOf<[AnySignlessInteger, AnyFloat]>:$result);
  let assemblyFormat = "$buffer `[` $indices `]` attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def LocalSetOp : TileOp<"local_set", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes one element of a buffer";
  let description = [{ `tile.local_set %x, %b[%i, %j] : f32, !tile.local<16x64xf32>`, as `tile.local_get`. }];
  let arguments = (ins AnyTypeOf<[AnySignlessInteger, AnyFloat]>:$value, TileLocalType:$buffer,
                       Variadic<Index>:$indices);
  let assemblyFormat = "$value `,` $buffer `[` $indices `]` attr-dict `:` type($value) `,` type($buffer)";
  let hasVerifier = 1;
}

//===-----------------------------------------------------------------------------------------===//
// Facts and debug output
//===-----------------------------------------------------------------------------------------===//

def AssumeOp : TileOp<"assume", [MemoryEffects<[MemWrite]>]> {
  let summary = "the condition holds";
  let description = [{ What follows may be compiled as if the condition were true; it is not checked. }];
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

def PrintOp : TileOp<"print", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "prints a prefix and values, one line per lane, with the program id and the lane's index";
  let description = [{
    (C1) `is_signed` has one entry per argument; (C2) tensors among `args` share a shape. A lowering to scalar code prints lane by lane and puts the lane's index
    into `indices`.
  }];
  let arguments = (ins StrAttr:$prefix, UnitAttr:$hex, Variadic<AnyType>:$args, Variadic<Index>:$indices,
                       DenseBoolArrayAttr:$is_signed);
  let assemblyFormat = [{
    $prefix (`hex` $hex^)? `(` $args `)` (`at` `[` $indices^ `]`)? $is_signed attr-dict `:` type($args)
  }];
  let hasVerifier = 1;
}

def AssertOp : TileOp<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "ends the launch with a message unless every lane holds";
  let description = [{ The launch fails with the message, the source line and the program's index. }];
  let arguments = (ins MaskLike:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

#endif // KILN_DIALECT_TILE_IR_TILEOPS_TD
