//===- NpuOps.td - operations of the npu dialect ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_DIALECT_NPU_IR_NPUOPS_TD
#define KILN_DIALECT_NPU_IR_NPUOPS_TD

include "kiln/Dialect/Npu/IR/NpuDialect.td"
include "kiln/Dialect/Tile/IR/TileDialect.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

class NpuOp<string mnemonic, list<Trait> traits = []> : Op<NpuDialect, mnemonic, traits>;

/// An instruction: its effects are those of its accesses (interface methods in NpuOps.cpp).
class InstructionOp<string mnemonic, list<Trait> traits = []>
    : NpuOp<mnemonic, traits # [
        DeclareOpInterfaceMethods<InstructionOpInterface, ["opcode", "pipe", "accesses"]>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let hasVerifier = 1;
}

def OnChip : Type<CPred<"::kiln::npu::isOnChip($_self)">, "memref in an on-chip memory">;
def ScalarElement : AnyTypeOf<[AnySignlessInteger, F16, BF16, F32]>;

//===-----------------------------------------------------------------------------------------===//
// Cores
//===-----------------------------------------------------------------------------------------===//

def CoreIndexOp : NpuOp<"core_index", [Pure]> {
  let summary = "index of this core among the cores that run the launch";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}
def CoreCountOp : NpuOp<"core_count", [Pure]> {
  let summary = "number of cores that run the launch";
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

//===-----------------------------------------------------------------------------------------===//
// Buffers
//===-----------------------------------------------------------------------------------------===//

def AllocOp : NpuOp<"alloc"> {
  let summary = "a buffer in an on-chip memory, for the whole run of the kernel";
  let description = [{
    `%b = npu.alloc : memref<16x64xf32, #npu.mem<ub>>`. After plan-memory it carries `address`, in bytes;
    buffers whose lives do not overlap may share bytes. `pinned` marks an address that the author chose. Stands in
    the entry block of a function (C3). (C1) identity layout and static shape; (C2) an address is a multiple of 32 and
    not negative; (C4) what is pinned has an address. `named "scores"`: the author's own buffer, of which any part may
    be written at any time (the name, which may be empty, is for messages).
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$address, UnitAttr:$pinned, OptionalAttr<StrAttr>:$name);
  let results = (outs Res<OnChip, "", [MemAlloc]>:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result), [{
    build($_builder, $_state, result, ::mlir::IntegerAttr(), false, ::mlir::StringAttr());
  }]>];
  let assemblyFormat = [{
    (`at` $address^)? (`pinned` $pinned^)? (`named` $name^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def LocalOp : NpuOp<"local", [Pure]> {
  let summary = "the on-chip buffer of a buffer that the author named";
  let description = [{
    `%m = npu.local %b : !tile.local<16x64xf32> -> memref<16x64xf32, #npu.mem<ub>>`: the same bytes, for
    instructions. Such a buffer is laid out row by row without gaps. `kiln-npu-bufferize` makes it the `npu.alloc`.
    (C1) Identity layout, the shape of the buffer; (C2) its element type, or a mask: i1 with eight elements for each
    of i8.
  }];
  let arguments = (ins TileLocalType:$buffer);
  let results = (outs OnChip:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def SlotOp : NpuOp<"slot", [Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>]> {
  let summary = "slot n mod D of a ring";
  let description = [{
    `%s = npu.slot %ring[%n] : memref<2x16x64xf32, #npu.mem<ub>> -> memref<16x64xf32, …>`: the part
    `n mod D` of a buffer whose leading dimension D counts slots; n is not negative. (C1) The ring has identity
    layout and the slot is its type without the leading dimension; (C2) slots of i1 are whole bytes.
  }];
  let arguments = (ins OnChip:$ring, Index:$number);
  let results = (outs OnChip:$result);
  let assemblyFormat = "$ring `[` $number `]` attr-dict `:` type($ring) `->` type($result)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def WindowOp : NpuOp<"window", [Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>]> {
  let summary = "a strided window into a buffer or a slot";
  let description = [{
    `%w = npu.window %b[64] : memref<16x64xf32, …> -> memref<8x8xf32, strided<[64, 1], offset: ?>, …>`: starts
    `offset` elements (of the source's type) behind the start of the source, and `dynamic` more if it is there
    (`%b[64 + %i]`; not negative, and the window stays inside the source, which nothing checks); sizes and strides
    (which may be 0) are those of the result's type. (C1) It stays inside the source's bytes. (C2) Elements have the
    same width, or one of both types counts bytes (one dimension of `i8`); the memory is the same. (C3) The shape is
    static, the strides are static and not negative; a window of i1 starts at a whole byte.
  }];
  let arguments = (ins OnChip:$source, I64Attr:$offset, Optional<Index>:$dynamic);
  let results = (outs OnChip:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$source, "int64_t":$offset), [{
    build($_builder, $_state, result, source, $_builder.getI64IntegerAttr(offset), ::mlir::Value());
  }]>];
  let assemblyFormat = "$source `[` $offset (`+` $dynamic^)? `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===-----------------------------------------------------------------------------------------===//
// Data movement
//===-----------------------------------------------------------------------------------------===//

def LoadOp : InstructionOp<"load", [AttrSizedOperandSegments]> {
  let summary = "global memory to an on-chip buffer";
  let description = [{
    `npu.load %x[%o] sizes [%n, 64] strides [%s, 1], %b : !tile.ptr<f32>, memref<16x64xf32, …>`: element
    (i, j) of the buffer becomes the one at `x + o + i s + j` for all (i, j) below the sizes; the rest of the buffer
    stays. A size of 0 or less moves nothing. Runs on MTE2. (C1) one size and one stride per dimension of
    the buffer, at most 3, and no static size exceeds the buffer's; (C2) the innermost stride is 1 on both sides (of
    the buffer: where there is more than one element); (C3) the buffer's elements are what the pointer points to.
  }];
  let arguments = (ins TilePtrType:$ptr, Index:$offset,
                       Variadic<Index>:$sizes, DenseI64ArrayAttr:$static_sizes,
                       Variadic<Index>:$strides, DenseI64ArrayAttr:$static_strides, OnChip:$dst);
  let assemblyFormat = [{
    $ptr `[` $offset `]` `sizes` custom<DynamicIndexList>($sizes, $static_sizes)
    `strides` custom<DynamicIndexList>($strides, $static_strides) `,` $dst attr-dict
    `:` type($ptr) `,` type($dst)
  }];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedSizes();
    ::llvm::SmallVector<::mlir::OpFoldResult> getMixedStrides();
  }];
}

def StoreOp : InstructionOp<"store", [AttrSizedOperandSegments]> {
  let summary = "an on-chip buffer to global memory";
  let description = [{
    The mirror of `npu.load`, on MTE3, with the same constraints; `atomic` combines with what stands there: (C4) add,
    max or min.
  }];
  let arguments = (ins OnChip:$src, TilePtrType:$ptr, Index:$offset,
                       Variadic<Index>:$sizes, DenseI64ArrayAttr:$static_sizes,
                       Variadic<Index>:$strides, DenseI64ArrayAttr:$static_strides,
                       OptionalAttr<Npu_AtomicAttr>:$atomic);
  let assemblyFormat = [{
    $src `,` $ptr `[` $offset `]` `sizes` custom<DynamicIndexList>($sizes, $static_sizes)
    `strides` custom<DynamicIndexList>($strides, $static_strides) (`atomic` $atomic^)? attr-dict
    `:` type($src) `,` type($ptr)
  }];
  let extraClassDeclaration = LoadOp.extraClassDeclaration;
}

def CopyOp : InstructionOp<"copy"> {
  let summary = "one buffer to another in UB, on V";
  let description = [{ (C1) Same shape and element type. }];
  let arguments = (ins OnChip:$src, OnChip:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` type($src) `,` type($dst)";
}

//===-----------------------------------------------------------------------------------------===//
// Vector instructions: operands, then the destination
//===-----------------------------------------------------------------------------------------===//

class VectorOp<string mnemonic> : InstructionOp<mnemonic>;

def VBinaryOp : VectorOp<"vbinary"> {
  let summary = "dst = lhs op rhs, element by element";
  let description = [{
    `npu.vbinary <vadd> %a, %b, %d : …`. (C1) The opcode is of class VBinary; (C2) operands have the destination's
    shape (an operand may repeat elements by strides of 0); (C3) element types agree.
  }];
  let arguments = (ins Npu_OpcodeAttr:$op, OnChip:$lhs, OnChip:$rhs, OnChip:$dst);
  let assemblyFormat = [{
    $op $lhs `,` $rhs `,` $dst attr-dict `:` type($lhs) `,` type($rhs) `,` type($dst)
  }];
  let builders = [OpBuilder<(ins "::kiln::machine::Opcode":$op, "::mlir::Value":$lhs, "::mlir::Value":$rhs,
                             "::mlir::Value":$dst), [{
    build($_builder, $_state, OpcodeAttr::get($_builder.getContext(), op), lhs, rhs, dst);
  }]>];
}
def VTernaryOp : VectorOp<"vternary"> {
  let summary = "dst = dst + lhs · rhs, rounded once";
  let description = [{ (C1) The opcode is of class VTernary; (C2) and (C3) as for `npu.vbinary`. }];
  let arguments = (ins Npu_OpcodeAttr:$op, OnChip:$lhs, OnChip:$rhs, OnChip:$dst);
  let assemblyFormat = [{
    $op $lhs `,` $rhs `,` $dst attr-dict `:` type($lhs) `,` type($rhs) `,` type($dst)
  }];
  let builders = [OpBuilder<(ins "::kiln::machine::Opcode":$op, "::mlir::Value":$lhs, "::mlir::Value":$rhs,
                             "::mlir::Value":$dst), [{
    build($_builder, $_state, OpcodeAttr::get($_builder.getContext(), op), lhs, rhs, dst);
  }]>];
}
def VUnaryOp : VectorOp<"vunary"> {
  let summary = "dst = op(src), element by element";
  let description = [{ (C1) The opcode is of class VUnary; (C2) and (C3) as for `npu.vbinary`. }];
  let arguments = (ins Npu_OpcodeAttr:$op, OnChip:$src, OnChip:$dst);
  let assemblyFormat = "$op $src `,` $dst attr-dict `:` type($src) `,` type($dst)";
  let builders = [OpBuilder<(ins "::kiln::machine::Opcode":$op, "::mlir::Value":$src, "::mlir::Value":$dst), [{
    build($_builder, $_state, OpcodeAttr::get($_builder.getContext(), op), src, dst);
  }]>];
}
def VScalarOp : VectorOp<"vscalar"> {
  let summary = "dst = src op scalar (vaxpy: dst = dst + src · scalar)";
  let description = [{
    (C1) The opcode is of class VScalar; (C2) and (C3) as for `npu.vbinary`; (C4) the scalar has the element type.
    `isUnsigned` makes a right shift logical (C5: nothing else knows it).
  }];
  let arguments = (ins Npu_OpcodeAttr:$op, OnChip:$src, ScalarElement:$scalar, OnChip:$dst,
                       UnitAttr:$isUnsigned);
  let assemblyFormat = [{
    $op $src `,` $scalar `,` $dst attr-dict `:` type($src) `,` type($scalar) `,` type($dst)
  }];
  let builders = [OpBuilder<(ins "::kiln::machine::Opcode":$op, "::mlir::Value":$src, "::mlir::Value":$scalar,
                             "::mlir::Value":$dst,
                             CArg<"bool", "false">:$isUnsigned), [{
    build($_builder, $_state, OpcodeAttr::get($_builder.getContext(), op), src, scalar, dst, isUnsigned);
  }]>];
}
def VCmpOp : VectorOp<"vcmp"> {
  let summary = "dst bit = lhs relation rhs; rhs is a buffer or a scalar";
  let description = [{
    (C1) dst is a mask of as many bits as lhs has elements; (C2) a buffer rhs has the shape of lhs; (C3) the element
    types (or the scalar's type) agree.
  }];
  let arguments = (ins Npu_PredicateAttr:$predicate, OnChip:$lhs, AnyTypeOf<[OnChip, ScalarElement]>:$rhs,
                       OnChip:$dst);
  let assemblyFormat = [{
    $predicate $lhs `,` $rhs `,` $dst attr-dict `:` type($lhs) `,` type($rhs) `,` type($dst)
  }];
  let builders = [OpBuilder<(ins "::kiln::machine::Predicate":$predicate, "::mlir::Value":$lhs,
                             "::mlir::Value":$rhs, "::mlir::Value":$dst), [{
    build($_builder, $_state, PredicateAttr::get($_builder.getContext(), predicate), lhs, rhs, dst);
  }]>];
}
def VSelOp : VectorOp<"vsel"> {
  let summary = "dst = mask bit ? lhs : rhs; rhs is a buffer or a scalar";
  let description = [{
    (C1) The mask has as many bits as dst has elements; (C2) operands have the shape of dst; (C3) the element types
    (or the scalar's type) agree.
  }];
  let arguments = (ins OnChip:$mask, OnChip:$lhs, AnyTypeOf<[OnChip, ScalarElement]>:$rhs, OnChip:$dst);
  let assemblyFormat = [{
    $mask `,` $lhs `,` $rhs `,` $dst attr-dict
    `:` type($mask) `,` type($lhs) `,` type($rhs) `,` type($dst)
  }];
}
def VCastOp : VectorOp<"vcast"> {
  let summary = "dst = src converted to dst's element type";
  let description = [{
    (C1) Same shape; (C2) only integers are unsigned. Which conversions there are, and how they round, is the chip's.
  }];
  let arguments = (ins Npu_RoundingAttr:$rounding, OnChip:$src, OnChip:$dst, UnitAttr:$isUnsignedSrc,
                       UnitAttr:$isUnsignedDst);
  let assemblyFormat = "$rounding $src `,` $dst attr-dict `:` type($src) `,` type($dst)";
  let builders = [OpBuilder<(ins "::kiln::machine::Rounding":$rounding, "::mlir::Value":$src,
                             "::mlir::Value":$dst,
                             CArg<"bool", "false">:$isUnsignedSrc,
                             CArg<"bool", "false">:$isUnsignedDst), [{
    build($_builder, $_state, RoundingAttr::get($_builder.getContext(), rounding), src, dst, isUnsignedSrc,
          isUnsignedDst);
  }]>];
}
def VReduceOp : VectorOp<"vreduce"> {
  let summary = "vcadd, vcmax, vcmin: one result per row; vcgadd, …: one per 32-byte block";
  let description = [{
    The row forms: src R×C with rows of at most 256 bytes, dst has R elements. The block forms: src has N 32-byte
    blocks, dst N elements. (C1) The opcode is of class VReduce; (C2) dst has as many elements as there are rows or
    blocks, and src is whole blocks; (C3) element types agree; (C4) a row has at most 256 bytes. Sums are formed pairwise: neighbours first, then neighbouring results.
  }];
  let arguments = (ins Npu_OpcodeAttr:$op, OnChip:$src, OnChip:$dst);
  let assemblyFormat = "$op $src `,` $dst attr-dict `:` type($src) `,` type($dst)";
  let builders = [OpBuilder<(ins "::kiln::machine::Opcode":$op, "::mlir::Value":$src, "::mlir::Value":$dst), [{
    build($_builder, $_state, OpcodeAttr::get($_builder.getContext(), op), src, dst);
  }]>];
}
def VBroadcastOp : VectorOp<"vbrc"> {
  let summary = "vbrcb: element i of src fills 32-byte block i of dst";
  let description = [{ (C1) dst has one block for each element of src; (C2) element types agree. }];
  let arguments = (ins OnChip:$src, OnChip:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` type($src) `,` type($dst)";
}
def VDupOp : VectorOp<"vdup"> {
  let summary = "every element of dst becomes the scalar";
  let description = [{ (C1) The scalar has the element type. }];
  let arguments = (ins ScalarElement:$scalar, OnChip:$dst);
  let assemblyFormat = "$scalar `,` $dst attr-dict `:` type($scalar) `,` type($dst)";
}
def VIotaOp : VectorOp<"viota"> {
  let summary = "start, start + 1, … in row-major order";
  let description = [{ (C1) The start has the element type. }];
  let arguments = (ins ScalarElement:$start, OnChip:$dst);
  let assemblyFormat = "$start `,` $dst attr-dict `:` type($start) `,` type($dst)";
}
def VGatherOp : VectorOp<"vgather"> {
  let summary = "dst element = the element of src at a byte offset";
  let description = [{
    (C1) Offsets are i32, read as unsigned, in the shape of dst; (C2) element types of src and dst agree.
  }];
  let arguments = (ins OnChip:$src, OnChip:$offsets, OnChip:$dst);
  let assemblyFormat = [{
    $src `[` $offsets `]` `,` $dst attr-dict `:` type($src) `,` type($offsets) `,` type($dst)
  }];
}
def VTransOp : VectorOp<"vtrans"> {
  let summary = "transposes 16 × 16 elements of 16 bits";
  let description = [{ (C1) Both are 16 × 16 of the same element type of 16 bits. }];
  let arguments = (ins OnChip:$src, OnChip:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` type($src) `,` type($dst)";
}

//===-----------------------------------------------------------------------------------------===//
// Scalar access: runs on S
//===-----------------------------------------------------------------------------------------===//

def SLoadOp : InstructionOp<"sload"> {
  let summary = "one element of a buffer (at an index in elements from its start) or of global memory";
  let description = [{ (C1) The result has the element type. It holds S until the element is there. }];
  let arguments = (ins AnyTypeOf<[OnChip, TilePtrType]>:$source, Index:$index);
  let results = (outs ScalarElement:$result);
  let assemblyFormat = "$source `[` $index `]` attr-dict `:` type($source) `->` type($result)";
}
def SStoreOp : InstructionOp<"sstore"> {
  let summary = "writes one element of a buffer or of global memory";
  let description = [{ (C1) The value has the element type. }];
  let arguments = (ins ScalarElement:$value, AnyTypeOf<[OnChip, TilePtrType]>:$target, Index:$index);
  let assemblyFormat = "$value `,` $target `[` $index `]` attr-dict `:` type($value) `,` type($target)";
}

//===-----------------------------------------------------------------------------------------===//
// Order
//===-----------------------------------------------------------------------------------------===//

class FlagOp<string mnemonic> : NpuOp<mnemonic> {
  let arguments = (ins Npu_PipeAttr:$source, Npu_PipeAttr:$destination, Index:$id);
  let assemblyFormat = "$source `to` $destination `[` $id `]` attr-dict";
  let builders = [OpBuilder<(ins "::kiln::machine::Pipe":$source, "::kiln::machine::Pipe":$destination,
                             "::mlir::Value":$id), [{
    build($_builder, $_state, PipeAttr::get($_builder.getContext(), source),
          PipeAttr::get($_builder.getContext(), destination), id);
  }]>];
  let hasVerifier = 1;
}
def SetOp : FlagOp<"set"> {
  let summary = "raises a flag when the source pipe has done all it was given before";
  let description = [{ `npu.set <mte2> to <v> [%id]`. (C1) two different pipes; a constant id is from 0 to 7. }];
}
def WaitOp : FlagOp<"wait"> {
  let summary = "holds the destination pipe until the flag is raised, and takes it down";
  let description = [{ (C1) as for `npu.set`. }];
}
def BarrierOp : NpuOp<"barrier"> {
  let summary = "holds a pipe until all it was given before is done; without a pipe: all pipes of the core";
  let description = [{ `reason` says what no flag could order, for reports. }];
  let arguments = (ins OptionalAttr<Npu_PipeAttr>:$pipe, OptionalAttr<StrAttr>:$reason);
  let assemblyFormat = "(custom<BarrierPipe>($pipe)^)? (`because` $reason^)? attr-dict";
}

#endif // KILN_DIALECT_NPU_IR_NPUOPS_TD
