//===- Disassembler.cpp - the text of an image -----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/asm/Assembly.h"

#include "image/Region.h"
#include "image/Signature.h"
#include "sim/asm/Lexer.h"
#include "sim/asm/Literal.h"
#include "sim/asm/Names.h"

#include <algorithm>

namespace kiln::sim {

using image::Image;
using image::Instruction;
using image::Op;
using image::Operand;
using image::Program;
using image::Region;
using machine::Element;
using machine::OpClass;

namespace {

std::string number(uint64_t value) { return std::to_string(value); }
std::string dotted(std::string_view text) { return "." + std::string(text); }

class Disassembler {
public:
  explicit Disassembler(const Image &image)
      : image(image), presets(presetNames(image)), tables(image) {}

  std::string run() {
    head();
    lines();
    for (const Program &program : image.programs)
      printProgram(program);
    printMlir();
    return std::move(out);
  }

  std::string statement(const Instruction &instruction) const {
    std::string text;
    if (image::signature(instruction).hasResult && instruction.op != Op::Loop)
      text = registerText(instruction.result) + " = ";
    text += instruction.op == Op::Tile ? tileText(instruction) : scalarText(instruction);
    if (instruction.flags & image::FeedsControl)
      text += " control";
    if (instruction.flags & image::Persistent)
      text += " persistent";
    text += locationText(instruction.location);
    return opens(instruction.op) ? text + " {" : text;
  }

private:
  void head() {
    out += "kernel " + quote(image.kernel) + "\nchip " + quote(image.chip);
    if (image.machineHash != Digest{})
      out += " hash " + quote(toHex(image.machineHash));
    out += "\n";
    if (image.programsPerIteration != 1)
      out += "programs_per_iteration " + number(image.programsPerIteration) + "\n";
    for (size_t i = 0; i < image.parameters.size(); ++i) {
      const image::Parameter &parameter = image.parameters[i];
      out += "param " + (presets[i].empty() ? quote(parameter.name) : "%" + presets[i]) + " : ";
      out += (parameter.isPointer ? "*" : "") + std::string(machine::name(parameter.element));
      out += parameter.written ? " written\n" : "\n";
    }
    for (const image::Workspace &workspace : image.workspaces)
      out += "workspace " + number(workspace.bytesPerCore) + "\n";
  }

  void lines() {
    for (const std::string &file : image.files)
      out += "file " + quote(file) + "\n";
    for (size_t i = 1; i < image.locations.size(); ++i) {
      const image::Location &location = image.locations[i];
      const std::string &file = image.files[location.file];
      out += "location " +
             (tables.file(file) == location.file ? quote(file) : "#" + number(location.file));
      out += " " + number(location.line) + " " + number(location.column);
      if (location.caller)
        out += " from #" + number(location.caller);
      out += "\n";
    }
    for (const std::string &message : image.messages)
      out += "message " + quote(message) + "\n";
  }

  void printProgram(const Program &program) {
    out += "\nprogram " + std::string(coreWord(program.core)) + " registers " +
           number(program.registers) + " {\n";
    size_t depth = 1;
    for (const Instruction &instruction : program.body) {
      bool closes = instruction.op == Op::End || instruction.op == Op::Else;
      depth -= closes;
      out.append(2 * depth, ' ');
      out += statement(instruction) + "\n";
      depth += opens(instruction.op);
    }
    out += "}\n";
  }

  /// One string per line; strings side by side are one.
  void printMlir() {
    if (image.mlir.empty())
      return;
    out += "\nmlir\n";
    for (size_t at = 0; at < image.mlir.size();) {
      size_t end = std::min(image.mlir.find('\n', at), image.mlir.size() - 1) + 1;
      out += "  " + quote(std::string_view(image.mlir).substr(at, end - at)) + "\n";
      at = end;
    }
  }

  static bool opens(Op op) {
    return op == Op::Loop || op == Op::If || op == Op::Else || op == Op::Repeat;
  }

  std::string registerText(int64_t index) const {
    auto at = static_cast<size_t>(index);
    return "%" + (at < presets.size() && !presets[at].empty() ? presets[at] : number(at));
  }

  std::string operandText(const Operand &operand, Element element = Element::I64) const {
    if (operand.isRegister)
      return registerText(operand.value);
    return machine::isFloat(element) ? floatLiteral(element, uint64_t(operand.value))
                                     : std::to_string(operand.value);
  }

  std::string locationText(uint32_t index) const {
    if (!index)
      return {};
    std::optional<std::string> key = locationKey(image, index);
    if (!key || tables.location(*key) != index)
      return " @#" + number(index);
    const std::string &file = image.files[image.locations[index].file];
    std::string quoted = quote(file);
    bool plain = quoted.size() == file.size() + 2 && file.find(' ') == std::string::npos;
    return plain ? " @" + *key : " @" + quoted + key->substr(file.size());
  }

  std::string regionText(const Region &region) const {
    std::string sizes, strides;
    for (size_t d = 0; d < region.rank; ++d) {
      sizes += (d ? ", " : "[") + operandText(region.dims[d].size);
      strides += (d ? ", " : "[") + operandText(region.dims[d].stride);
    }
    std::string text = std::string(machine::name(region.memory)) + "[" +
                       operandText(region.address) + "] " +
                       std::string(machine::name(region.element)) + " " + sizes + "]";
    Region dense = region;
    bool isDense = image::setDenseStrides(dense) && dense == region;
    return isDense ? text : text + " stride " + strides + "]";
  }

  /// ".lt", ".rint", ".add"; nothing for what goes without saying.
  static std::string suffix(image::AttributeKind kind, uint8_t attribute) {
    using Kind = image::AttributeKind;
    switch (kind) {
    case Kind::Predicate:
      return dotted(machine::name(machine::Predicate(attribute)));
    case Kind::Rounding:
      return attribute ? dotted(machine::name(machine::Rounding(attribute))) : "";
    case Kind::Store:
    case Kind::Atomic:
      return attribute ? dotted(machine::name(machine::Atomic(attribute))) : "";
    default:
      return {};
    }
  }

  /// The operands that stand in the attribute.
  static std::string pipesText(image::AttributeKind kind, uint8_t attribute) {
    using Kind = image::AttributeKind;
    if (kind == Kind::Flag)
      return std::string(machine::name(image::sourcePipe(attribute))) + " -> " +
             std::string(machine::name(image::destinationPipe(attribute)));
    if (kind == Kind::Barrier)
      return attribute == image::allPipes ? "all"
                                          : std::string(machine::name(machine::Pipe(attribute)));
    if (kind == Kind::Cross)
      return std::string(machine::name(image::crossPipe(attribute))) + ", " +
             std::string(machine::name(image::crossMode(attribute)));
    return {};
  }

  std::string tileText(const Instruction &it) const {
    image::Signature sign = image::signature(it);
    std::string text = std::string(machine::name(it.opcode)) + suffix(sign.attribute, it.attribute);
    std::string separator = " ";
    auto add = [&](const std::string &item) {
      if (!item.empty())
        text += separator + item, separator = ", ";
    };
    add(pipesText(sign.attribute, it.attribute));
    for (const Region &region : it.regions) {
      add(regionText(region));
      if (isTransfer(it.opcode))
        separator = " <- ";
    }
    for (const Operand &operand : it.operands)
      add(operandText(operand, image::operandElement(it)));
    return text;
  }

  std::string constantText(const Instruction &it) const {
    uint64_t bits = uint64_t(it.operands[0].value) << 32 | uint64_t(it.operands[1].value);
    if (machine::isFloat(it.element))
      return floatLiteral(it.element, bits);
    return it.element == Element::U64 ? number(bits) : std::to_string(int64_t(bits));
  }

  std::string messageText(int64_t index) const {
    const std::string &message = image.messages[size_t(index)];
    return tables.message(message) == index ? quote(message) : "#" + number(size_t(index));
  }

  std::string scalarText(const Instruction &it) const {
    switch (it.op) {
    case Op::Loop:
      return "loop " + registerText(it.result) + " = " + operandText(it.operands[0]) + " to " +
             operandText(it.operands[1]) + " step " + operandText(it.operands[2]);
    case Op::Else:
      return "} else";
    case Op::End:
      return "}";
    case Op::TrapUnless:
      return "trap_unless " + operandText(it.operands[0]) + ", " +
             messageText(it.operands[1].value);
    default:
      break;
    }
    image::ScalarTypes types = image::scalarTypes(it.op);
    std::string text = std::string(image::info(it.op).mnemonic);
    text += suffix(image::signature(it).attribute, it.attribute);
    if (types != image::ScalarTypes::None)
      text += dotted(machine::name(it.element));
    if (it.op == Op::Const)
      return text + " " + constantText(it);
    for (size_t i = 0; i < it.operands.size(); ++i) {
      bool isCondition = it.op == Op::Select && i == 0;
      text += (i ? ", " : " ") +
              operandText(it.operands[i], isCondition ? Element::I64 : image::operandElement(it));
    }
    if (image::isConversion(types))
      text += " from " + std::string(machine::name(it.from));
    return text;
  }

  const Image &image;
  std::vector<std::string> presets;
  TextTables tables;
  std::string out;
};

} // namespace

std::string disassemble(const Image &image) { return Disassembler(image).run(); }

std::string disassemble(const Image &image, const Instruction &instruction) {
  return Disassembler(image).statement(instruction);
}

} // namespace kiln::sim
