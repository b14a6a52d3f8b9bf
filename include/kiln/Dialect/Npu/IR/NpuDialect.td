//===- NpuDialect.td - the npu dialect, its attributes and interface -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_DIALECT_NPU_IR_NPUDIALECT_TD
#define KILN_DIALECT_NPU_IR_NPUDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def NpuDialect : Dialect {
  let name = "npu";
  let cppNamespace = "::kiln::npu";
  let summary = "how a kernel runs on the NPU: memories, pipes, instructions, flags";
  let description = [{
    One op is one instruction of the machine (machine/Opcode.def) on whole strided regions of up to three
    dimensions; it becomes one instruction of the program image. On-chip regions are memrefs whose memory space is
    `#npu.mem<ub>` (l1, l0a, …). Global memory is a `!tile.ptr` with an offset, sizes and strides in elements.
    Scalars, loops and branches are `arith`, `scf` and scalar `tile` ops.

    Buffers come from `npu.alloc`; `npu.slot` and `npu.window` name parts of them. An i1 memref holds packed bits:
    element i is bit i mod 8 of byte i / 8.

    What holds for on-chip operands of every instruction: (I1) the shape is static, of one to three dimensions, none
    of them empty, and the strides are static and not negative; (I2) i1 stands where a mask is wanted and nowhere
    else; a mask has one dimension of consecutive bits.
    The offset in a memref's layout says nothing: a buffer, slot or window starts where its op says.

    Unit attributes of a kernel function: with `npu.author_sync` its flags and barriers are the author's and
    kiln-npu-insert-sync adds none; with `npu.author_memory` buffers without an address lie one behind the other, in
    the order in which they are made.

    Unit attribute `npu.persistent` on an `scf.for`: the loop over the programs of the grid; its iterations
    carry no memory order. `npu.program = K : i64` on accesses in it, where an iteration runs several programs: whose
    access it is; those of different programs have no order either.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::kiln::tile::TileDialect"
  ];
}

class NpuAttr<string name, string attrMnemonic> : AttrDef<NpuDialect, name> {
  let mnemonic = attrMnemonic;
}

/// A parameter of a type of machine/Opcode.h: FieldParser and operator<< are in NpuAttributes.h.
class MachineParameter<string enumType> : AttrOrTypeParameter<"::kiln::machine::" # enumType, ""> {
  let cppAccessorType = "::kiln::machine::" # enumType;
}

/// Attributes that are one entry of a table of machine/Opcode.h, written by its name.
class MachineEnumAttr<string name, string attrMnemonic, string enumType>
    : NpuAttr<name, attrMnemonic> {
  let parameters = (ins MachineParameter<enumType>:$value);
  let assemblyFormat = "`<` $value `>`";
}

def Npu_MemoryAttr : MachineEnumAttr<"Memory", "mem", "Memory"> {
  let summary = "the memory that a memref lies in: `#npu.mem<ub>`";
}
def Npu_OpcodeAttr : MachineEnumAttr<"Opcode", "op", "Opcode"> {
  let summary = "an instruction: `#npu.op<vadd>`";
}
def Npu_PipeAttr : MachineEnumAttr<"Pipe", "pipe", "Pipe"> {
  let summary = "a pipe of a core: `#npu.pipe<mte2>`";
}
def Npu_PredicateAttr : MachineEnumAttr<"Predicate", "cmp", "Predicate"> {
  let summary = "a relation: `#npu.cmp<lt>`";
}
def Npu_RoundingAttr : MachineEnumAttr<"Rounding", "round", "Rounding"> {
  let summary = "how a conversion rounds: `#npu.round<rint>`";
}
def Npu_AtomicAttr : MachineEnumAttr<"Atomic", "atomic", "Atomic"> {
  let summary = "what a store does with the old value: `#npu.atomic<add>`";
}

def InstructionOpInterface : OpInterface<"InstructionOpInterface"> {
  let cppNamespace = "::kiln::npu";
  let description = [{ What scheduling, synchronisation and assembly ask of an instruction. }];
  let methods = [
    InterfaceMethod<"the instruction", "::kiln::machine::Opcode", "opcode">,
    InterfaceMethod<"the pipe that runs it", "::kiln::machine::Pipe", "pipe">,
    InterfaceMethod<
      "what it reads and writes, in the order of the image's regions (image/Image.h)",
      "::llvm::SmallVector<::kiln::npu::Access>", "accesses">,
  ];
}

#endif // KILN_DIALECT_NPU_IR_NPUDIALECT_TD
