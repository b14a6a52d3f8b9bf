//===- NpuAttributes.h - attributes that are names of machine/Opcode.h -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Attributes whose only parameter is an enumeration of the machine. Their text is the machine's
// name in lower case: `<mte2>`, `<ub>`, `<vadd>`.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_DIALECT_NPU_IR_NPUATTRIBUTES_H
#define KILN_DIALECT_NPU_IR_NPUATTRIBUTES_H

#include "machine/Opcode.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringExtras.h"

namespace kiln::npu {

/// How many enumerators an enumeration of the machine has.
template <typename Enum> inline constexpr unsigned enumeratorCount = 0;
template <> inline constexpr unsigned enumeratorCount<machine::Memory> = machine::memoryCount;
template <> inline constexpr unsigned enumeratorCount<machine::Opcode> = machine::opcodeCount;
template <> inline constexpr unsigned enumeratorCount<machine::Pipe> = machine::pipeCount;
template <> inline constexpr unsigned enumeratorCount<machine::Predicate> = machine::predicateCount;
template <> inline constexpr unsigned enumeratorCount<machine::Rounding> = machine::roundingCount;
template <> inline constexpr unsigned enumeratorCount<machine::Atomic> = machine::atomicCount;

/// An enumeration that attributes have as their parameter.
template <typename Enum>
concept MachineEnum = enumeratorCount<Enum> != 0;

/// The machine's name in lower case, for texts.
template <MachineEnum Enum> std::string lowerName(Enum value) {
  return llvm::StringRef(machine::name(value)).lower();
}

} // namespace kiln::npu

namespace kiln::machine {

template <npu::MachineEnum Enum>
llvm::raw_ostream &operator<<(llvm::raw_ostream &stream, Enum value) {
  return stream << npu::lowerName(value);
}

} // namespace kiln::machine

namespace mlir {

template <kiln::npu::MachineEnum Enum> struct FieldParser<Enum> {
  static FailureOr<Enum> parse(AsmParser &parser) {
    SMLoc place = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    for (unsigned index = 0; index < kiln::npu::enumeratorCount<Enum>; ++index)
      if (kiln::npu::lowerName(Enum(index)) == word)
        return Enum(index);
    std::string expected;
    for (unsigned index = 0; index < kiln::npu::enumeratorCount<Enum>; ++index)
      expected += (index ? ", " : "") + kiln::npu::lowerName(Enum(index));
    parser.emitError(place) << "found '" << word << "', expected one of " << expected;
    return failure();
  }
};

} // namespace mlir

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Npu/IR/NpuAttributes.h.inc"

#endif // KILN_DIALECT_NPU_IR_NPUATTRIBUTES_H
