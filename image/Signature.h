//===- Signature.h - which operands an instruction of an image has ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The table at image::Instruction, for the file reader, the checks and the assembler. An
// instruction's operands depend on its opcode, and for scalar atomics on the attribute.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_IMAGE_SIGNATURE_H
#define KILN_IMAGE_SIGNATURE_H

#include "image/Image.h"

namespace kiln::image {

/// What Instruction::attribute means.
enum class AttributeKind : uint8_t {
  None,      ///< 0
  Predicate, ///< machine::Predicate
  Rounding,  ///< machine::Rounding
  Store,     ///< machine::Atomic, up to Min
  Atomic,    ///< machine::Atomic, but not None
  Flag,      ///< source pipe · 16 + destination pipe
  Barrier,   ///< a pipe or `allPipes`
  Cross,     ///< machine::CrossMode · 16 + pipe
};
inline constexpr uint8_t allPipes = 255;

/// Which element types a scalar op computes in.
enum class ScalarTypes : uint8_t {
  None, ///< not typed: control
  Any,
  Integer,
  Float,
  IntegerCompare, ///< of the operands; the attribute is a predicate
  FloatCompare,
  IntegerToInteger, ///< Instruction::from to Instruction::element
  IntegerToFloat,
  FloatToInteger,
  FloatToFloat,
};
ScalarTypes scalarTypes(Op op);
inline bool isConversion(ScalarTypes types) { return types >= ScalarTypes::IntegerToInteger; }

/// How many operands an instruction has and what they are.
struct Signature {
  bool encoded = true; ///< false: the format has no form for it
  uint8_t regions = 0;
  uint8_t operands = 0;
  bool hasResult = false;
  AttributeKind attribute = AttributeKind::None;
  int8_t maskRegion = -1;  ///< the region that is i1; -1: none
  int8_t wordsRegion = -1; ///< the region that is u32, offsets or indices; -1: none
  /// All other regions have one element type; false: each its own.
  bool sameElement = true;
};

/// Of a tile instruction. The opcode has to be one.
Signature signature(machine::Opcode opcode, uint8_t attribute);
/// Of any instruction whose op and opcode exist.
Signature signature(const Instruction &instruction);

/// True if the attribute is one of its kind.
bool isValid(AttributeKind kind, uint8_t attribute);

inline machine::Pipe sourcePipe(uint8_t flagAttribute) {
  return static_cast<machine::Pipe>(flagAttribute >> 4);
}
inline machine::Pipe destinationPipe(uint8_t flagAttribute) {
  return static_cast<machine::Pipe>(flagAttribute & 15);
}
inline machine::CrossMode crossMode(uint8_t crossAttribute) {
  return static_cast<machine::CrossMode>(crossAttribute >> 4);
}
inline machine::Pipe crossPipe(uint8_t crossAttribute) {
  return static_cast<machine::Pipe>(crossAttribute & 15);
}
inline uint8_t flagAttribute(machine::Pipe source, machine::Pipe destination) {
  return uint8_t(unsigned(source) * 16 + unsigned(destination));
}
inline uint8_t crossAttribute(machine::CrossMode mode, machine::Pipe pipe) {
  return uint8_t(unsigned(mode) * 16 + unsigned(pipe));
}

/// The type of the scalar operand whose bits an instruction takes: that of the data regions of a
/// tile instruction, of the operands of a scalar op. Flag ids, conditions and indices: I64.
machine::Element operandElement(const Instruction &instruction);

} // namespace kiln::image

#endif // KILN_IMAGE_SIGNATURE_H
