//===- Writer.cpp - the bytes of an image -----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "image/File.h"

#include "image/FileLayout.h"
#include "image/Structure.h"

#include <cassert>
#include <type_traits>
#include <vector>

namespace kiln::image {
namespace {

/// Appends little-endian numbers.
class Bytes {
public:
  std::string data;

  template <typename Int> void add(Int value) {
    static_assert(std::is_unsigned_v<Int>);
    for (size_t i = 0; i < sizeof(Int); ++i)
      data += static_cast<char>(value >> (8 * i) & 0xff);
  }
  template <typename Enum> void addEnum(Enum value) {
    add(static_cast<std::underlying_type_t<Enum>>(value));
  }
  void addCount(size_t count) { add(uint32_t(count)); }
  /// Its length, its bytes, zeros up to a multiple of 4.
  void addString(std::string_view text) {
    addCount(text.size());
    data += text;
    pad(4);
  }
  void pad(size_t multiple) { data.append((multiple - data.size() % multiple) % multiple, '\0'); }
};

std::string launchSection(const Image &image) {
  Bytes out;
  out.addString(image.kernel);
  out.addString(image.chip);
  for (uint8_t byte : image.machineHash)
    out.add(byte);
  out.add(image.programsPerIteration);
  out.addCount(image.parameters.size());
  for (const Parameter &parameter : image.parameters) {
    out.addEnum(parameter.element);
    out.add(uint8_t(parameter.isPointer));
    out.add(uint8_t(parameter.written));
    out.add(uint8_t(0));
    out.addString(parameter.name);
  }
  out.addCount(image.workspaces.size());
  for (const Workspace &workspace : image.workspaces)
    out.add(workspace.bytesPerCore);
  return std::move(out.data);
}

std::string linesSection(const Image &image) {
  Bytes out;
  out.addCount(image.files.size());
  for (const std::string &file : image.files)
    out.addString(file);
  // Entry 0, "unknown", goes without saying.
  out.addCount(image.locations.size() - 1);
  for (size_t i = 1; i < image.locations.size(); ++i) {
    const Location &location = image.locations[i];
    for (uint32_t field : {location.file, location.line, location.column, location.caller})
      out.add(field);
  }
  return std::move(out.data);
}

std::string messagesSection(const Image &image) {
  Bytes out;
  out.addCount(image.messages.size());
  for (const std::string &message : image.messages)
    out.addString(message);
  return std::move(out.data);
}

void addOperand(Bytes &out, const Operand &operand) {
  out.add(uint64_t(operand.value) << 1 | uint64_t(operand.isRegister));
}

void addInstruction(Bytes &out, const Instruction &instruction) {
  out.addEnum(instruction.op);
  out.addEnum(instruction.opcode);
  out.addEnum(instruction.element);
  out.addEnum(instruction.from);
  out.add(instruction.attribute);
  out.add(instruction.flags);
  out.add(instruction.result);
  out.add(uint8_t(instruction.operands.size()));
  out.add(uint8_t(instruction.regions.size()));
  out.add(instruction.location);
  for (const Operand &operand : instruction.operands)
    addOperand(out, operand);
  for (const Region &region : instruction.regions) {
    out.addEnum(region.memory);
    out.addEnum(region.element);
    out.add(region.rank);
    for (int i = 0; i < 5; ++i)
      out.add(uint8_t(0));
    addOperand(out, region.address);
    for (size_t d = 0; d < region.rank; ++d) {
      addOperand(out, region.dims[d].size);
      addOperand(out, region.dims[d].stride);
    }
  }
}

std::string programSection(const Program &program) {
  Bytes out;
  out.addEnum(program.core);
  out.add(uint8_t(0));
  out.add(program.registers);
  out.addCount(program.body.size());
  for (const Instruction &instruction : program.body)
    addInstruction(out, instruction);
  return std::move(out.data);
}

} // namespace

std::string serialize(const Image &image) {
  assert(checkStructure(image, "image").ok() && "only well-formed images have bytes");
  std::vector<std::pair<Section, std::string>> sections;
  sections.emplace_back(Section::Launch, launchSection(image));
  sections.emplace_back(Section::Lines, linesSection(image));
  sections.emplace_back(Section::Messages, messagesSection(image));
  for (const Program &program : image.programs)
    sections.emplace_back(Section::Program, programSection(program));
  Bytes mlir;
  mlir.addString(image.mlir);
  sections.emplace_back(Section::Mlir, std::move(mlir.data));

  Bytes table, contents;
  uint64_t start = headerBytes + sections.size() * sectionEntryBytes;
  for (const auto &[kind, data] : sections) {
    table.addEnum(kind);
    table.add(uint32_t(0));
    table.add(start + contents.data.size());
    table.add(uint64_t(data.size()));
    contents.data += data;
    contents.pad(wordBytes);
  }
  Bytes checked;
  checked.add(start + contents.data.size());
  checked.addCount(sections.size());
  checked.add(uint32_t(0));
  checked.data += table.data;
  checked.data += contents.data;

  Bytes file;
  file.data = magic;
  file.add(versionMajor);
  file.add(versionMinor);
  Hasher hasher;
  hasher.add(checked.data);
  for (uint8_t byte : hasher.digest())
    file.add(byte);
  file.data += checked.data;
  return std::move(file.data);
}

} // namespace kiln::image
