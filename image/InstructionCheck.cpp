//===- InstructionCheck.cpp - is one instruction well formed? --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "image/InstructionCheck.h"

#include "image/Signature.h"
#include "image/Structure.h"

namespace kiln::image {

using machine::Element;

namespace {

using MaybeFault = std::optional<Fault>;

std::string number(uint64_t value) { return std::to_string(value); }
std::string text(Element element) { return std::string(machine::name(element)); }

class InstructionCheck {
public:
  InstructionCheck(const Image &image, const Program &program, const Instruction &instruction)
      : image(image), program(program), it(instruction) {}

  MaybeFault run() {
    if (MaybeFault fault = kind())
      return fault;
    sign = signature(it);
    for (auto step :
         {&InstructionCheck::counts, &InstructionCheck::fields, &InstructionCheck::operands,
          &InstructionCheck::regions, &InstructionCheck::scalarOp})
      if (MaybeFault fault = (this->*step)())
        return fault;
    return std::nullopt;
  }

private:
  MaybeFault kind() {
    if (it.op > Op::Tile)
      return Fault{"op " + number(unsigned(it.op)), "at most " + number(unsigned(Op::Tile))};
    if (unsigned(it.opcode) >= machine::opcodeCount)
      return Fault{"opcode " + number(unsigned(it.opcode)),
                   "less than " + number(machine::opcodeCount)};
    if (it.op != Op::Tile && it.opcode != machine::Opcode{})
      return Fault{"opcode " + number(unsigned(it.opcode)) + " in a scalar op", "0"};
    for (Element element : {it.element, it.from})
      if (unsigned(element) >= machine::elementCount)
        return Fault{"element type " + number(unsigned(element)),
                     "less than " + number(machine::elementCount)};
    if (it.op == Op::Tile && !signature(it.opcode, 0).encoded)
      return Fault{"an instruction that images of version " + number(versionMajor) + "." +
                       number(versionMinor) + " cannot hold",
                   "another one"};
    return std::nullopt;
  }

  MaybeFault counts() {
    if (!isValid(sign.attribute, it.attribute))
      return Fault{"attribute " + number(it.attribute), "one that the instruction knows"};
    if (it.operands.size() != sign.operands)
      return Fault{number(it.operands.size()) + " operands", number(sign.operands)};
    if (it.regions.size() != sign.regions)
      return Fault{number(it.regions.size()) + " regions", number(sign.regions)};
    return std::nullopt;
  }

  MaybeFault fields() {
    uint8_t allowed = it.op == Op::Tile ? FeedsControl : it.op == Op::Loop ? Persistent : 0;
    if (it.flags & ~allowed)
      return Fault{"flags " + number(it.flags), "none but " + number(allowed)};
    if (it.location >= image.locations.size())
      return Fault{"location " + number(it.location),
                   "less than " + number(image.locations.size())};
    if (sign.hasResult ? it.result >= program.registers : it.result != 0)
      return Fault{"result register " + number(it.result),
                   sign.hasResult ? "less than " + number(program.registers)
                                  : "0: it has no result"};
    return std::nullopt;
  }

  MaybeFault operand(const Operand &operand) {
    if (operand.isRegister && (operand.value < 0 || operand.value >= program.registers))
      return Fault{"register " + std::to_string(operand.value),
                   "less than " + number(program.registers)};
    if (!operand.isRegister && (operand.value > maxImmediate || operand.value < -maxImmediate - 1))
      return Fault{"immediate " + std::to_string(operand.value), "a number of 63 bits"};
    return std::nullopt;
  }

  /// Immediates that stand for a float are its bits.
  MaybeFault operands() {
    Element element = operandElement(it);
    for (size_t i = 0; i < it.operands.size(); ++i) {
      if (MaybeFault fault = operand(it.operands[i]))
        return fault;
      bool isBits = machine::isFloat(element) && it.op != Op::Const &&
                    !(it.op == Op::Select && i == 0) && !it.operands[i].isRegister;
      if (isBits && (it.operands[i].value < 0 || it.operands[i].value >> machine::bits(element)))
        return Fault{"immediate " + std::to_string(it.operands[i].value),
                     "the bits of an " + text(element) + ", zero-extended"};
    }
    return std::nullopt;
  }

  MaybeFault region(const Region &region) {
    if (unsigned(region.memory) >= machine::memoryCount)
      return Fault{"memory " + number(unsigned(region.memory)),
                   "less than " + number(machine::memoryCount)};
    if (unsigned(region.element) >= machine::elementCount)
      return Fault{"element type " + number(unsigned(region.element)),
                   "less than " + number(machine::elementCount)};
    if (region.rank < 1 || region.rank > 3)
      return Fault{"rank " + number(region.rank), "1 to 3"};
    if (MaybeFault fault = operand(region.address))
      return fault;
    for (size_t d = 0; d < 3; ++d) {
      if (d >= region.rank && region.dims[d] != Dim{})
        return Fault{"a size or stride beyond the rank", "rank " + number(region.rank)};
      for (const Operand &value : {region.dims[d].size, region.dims[d].stride})
        if (MaybeFault fault = operand(value))
          return fault;
    }
    if (region.element == Element::I1 && (region.rank != 1 || region.dims[0].stride != Operand{}))
      return Fault{"packed bits of rank " + number(region.rank) + " or with a stride",
                   "rank 1 and stride 0"};
    return std::nullopt;
  }

  MaybeFault regions() {
    std::optional<Element> common;
    for (size_t i = 0; i < it.regions.size(); ++i) {
      const Region &at = it.regions[i];
      if (MaybeFault fault = region(at))
        return fault;
      std::string which = "region " + number(i) + " of " + text(at.element);
      bool isMask = int(i) == sign.maskRegion, isWords = int(i) == sign.wordsRegion;
      if (isMask != (at.element == Element::I1))
        return Fault{which, isMask ? "a mask of i1" : "another element type: bits are masks only"};
      if (isWords && at.element != Element::U32)
        return Fault{which, "u32"};
      if (isMask || isWords || !sign.sameElement)
        continue;
      if (common && *common != at.element)
        return Fault{which, text(*common) + " as in the regions before"};
      common = at.element;
    }
    return std::nullopt;
  }

  /// The types of a scalar op, and operands that have to be immediates.
  MaybeFault scalarOp() {
    ScalarTypes types = it.op == Op::Tile ? ScalarTypes::None : scalarTypes(it.op);
    bool isFloat = machine::isFloat(it.element), fromFloat = machine::isFloat(it.from);
    bool wantsFloat = types == ScalarTypes::Float || types == ScalarTypes::FloatCompare ||
                      types == ScalarTypes::IntegerToFloat || types == ScalarTypes::FloatToFloat;
    bool wantsFromFloat =
        types == ScalarTypes::FloatToInteger || types == ScalarTypes::FloatToFloat;
    if (types == ScalarTypes::None ? it.element != Element::I64
                                   : types != ScalarTypes::Any && isFloat != wantsFloat)
      return Fault{"element type " + text(it.element), types == ScalarTypes::None
                                                           ? "i64, the default"
                                                       : wantsFloat ? "a float"
                                                                    : "an integer"};
    if (isConversion(types) ? fromFloat != wantsFromFloat : it.from != Element::I64)
      return Fault{"operand type " + text(it.from), !isConversion(types) ? "i64, the default"
                                                    : wantsFromFloat     ? "a float"
                                                                         : "an integer"};
    if (it.op == Op::Const)
      for (const Operand &half : it.operands)
        if (half.isRegister || half.value < 0 || half.value > 0xffffffff)
          return Fault{"half a constant that is a register or too wide", "32 bits"};
    if (it.op == Op::Loop && !it.operands[2].isRegister && it.operands[2].value <= 0)
      return Fault{"step " + std::to_string(it.operands[2].value), "at least 1"};
    if (it.op == Op::TrapUnless) {
      const Operand &message = it.operands[1];
      if (message.isRegister || message.value < 0 ||
          uint64_t(message.value) >= image.messages.size())
        return Fault{"message " + std::to_string(message.value),
                     "an immediate less than " + number(image.messages.size())};
    }
    return std::nullopt;
  }

  const Image &image;
  const Program &program;
  const Instruction &it;
  Signature sign;
};

} // namespace

std::optional<Fault> checkInstruction(const Image &image, const Program &program,
                                      const Instruction &instruction) {
  return InstructionCheck(image, program, instruction).run();
}

} // namespace kiln::image
