//===- Reader.cpp - an image from bytes that nobody vouches for ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A count is believed only as far as the bytes behind it reach, so memory grows with the size of
// the file. The reader looks after bytes; what they mean is judged by checkStructure at the end.
//
//===-----------------------------------------------------------------------------------------===//

#include "image/File.h"

#include "image/FileLayout.h"
#include "image/Structure.h"

#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

namespace kiln::image {
namespace {

std::string number(uint64_t value) { return std::to_string(value); }

std::string_view name(Section section) {
  constexpr std::string_view names[] = {"launch", "lines", "messages", "program", "mlir"};
  return names[static_cast<uint32_t>(section) - 1];
}

/// Takes little-endian numbers from a part of the file. After the first failure all is zero and
/// the failure stays.
class Cursor {
public:
  Cursor(std::string_view file, size_t begin, size_t end, std::string_view place)
      : file(file), at(begin), end(end), place(place) {}

  template <typename Int> Int take() {
    static_assert(std::is_unsigned_v<Int>);
    if (!need(sizeof(Int), "a number"))
      return 0;
    uint64_t value = 0;
    for (size_t i = 0; i < sizeof(Int); ++i)
      value |= uint64_t(static_cast<unsigned char>(file[at + i])) << (8 * i);
    at += sizeof(Int);
    return static_cast<Int>(value);
  }
  template <typename Enum> Enum takeEnum() {
    return static_cast<Enum>(take<std::underlying_type_t<Enum>>());
  }
  /// How many entries follow; each has `entryBytes` or more.
  size_t takeCount(size_t entryBytes, uint64_t limit, std::string_view what) {
    size_t begin = at;
    uint64_t count = take<uint32_t>();
    uint64_t most = std::min<uint64_t>(limit, (end - at) / entryBytes);
    if (failure || count <= most)
      return failure ? 0 : count;
    fail(begin, number(count) + " " + std::string(what), "at most " + number(most));
    return 0;
  }
  std::string takeString(uint64_t limit) {
    size_t size = takeCount(1, limit, "bytes of text");
    std::string text(file.substr(at, size));
    at += size;
    takeZeros((4 - size % 4) % 4);
    return text;
  }
  void takeZeros(size_t count) {
    for (size_t i = 0; i < count; ++i)
      if (size_t begin = at; take<uint8_t>() != 0)
        fail(begin, "a byte that is not 0", "0");
  }
  bool takeBool() {
    size_t begin = at;
    auto value = take<uint8_t>();
    if (value > 1)
      fail(begin, "truth value " + number(value), "0 or 1");
    return value == 1;
  }

  void fail(size_t offset, std::string found, std::string expected) {
    if (!failure)
      failure = makeError(ErrorKind::Invalid, std::string(place) + ": byte " + number(offset),
                          std::move(found), std::move(expected));
  }
  bool failed() const { return failure.has_value(); }
  Error takeError() { return std::move(*failure); }
  size_t offset() const { return at; }
  size_t remaining() const { return end - at; }

private:
  bool need(size_t bytes, std::string_view what) {
    if (failed())
      return false;
    if (end - at >= bytes)
      return true;
    fail(at, "the end of " + std::string(end == file.size() ? "the file" : "the section"),
         std::string(what) + " of " + number(bytes) + " bytes");
    return false;
  }

  std::string_view file;
  size_t at, end;
  std::string_view place;
  std::optional<Error> failure;
};

void readLaunch(Cursor &in, Image &image) {
  image.kernel = in.takeString(maxNameBytes);
  image.chip = in.takeString(maxNameBytes);
  for (uint8_t &byte : image.machineHash)
    byte = in.take<uint8_t>();
  image.programsPerIteration = in.take<uint32_t>();
  size_t parameters = in.takeCount(8, maxParameters, "parameters");
  for (size_t i = 0; i < parameters && !in.failed(); ++i) {
    Parameter &parameter = image.parameters.emplace_back();
    parameter.element = in.takeEnum<machine::Element>();
    parameter.isPointer = in.takeBool();
    parameter.written = in.takeBool();
    in.takeZeros(1);
    parameter.name = in.takeString(maxNameBytes);
  }
  size_t workspaces = in.takeCount(8, maxWorkspaces, "workspaces");
  for (size_t i = 0; i < workspaces && !in.failed(); ++i)
    image.workspaces.push_back({in.take<uint64_t>()});
}

void readStrings(Cursor &in, std::vector<std::string> &strings, std::string_view what) {
  size_t count = in.takeCount(4, maxTableEntries, what);
  for (size_t i = 0; i < count && !in.failed(); ++i)
    strings.push_back(in.takeString(maxNameBytes));
}

void readLines(Cursor &in, Image &image) {
  readStrings(in, image.files, "files");
  size_t count = in.takeCount(16, maxTableEntries - 1, "locations");
  image.locations.reserve(count + 1);
  for (size_t i = 0; i < count && !in.failed(); ++i) {
    Location &location = image.locations.emplace_back();
    for (uint32_t *field : {&location.file, &location.line, &location.column, &location.caller})
      *field = in.take<uint32_t>();
  }
}

Operand readOperand(Cursor &in) {
  auto word = in.take<uint64_t>();
  size_t begin = in.offset() - wordBytes;
  if (!(word & 1))
    return Operand::immediate(int64_t(word) >> 1);
  if (word >> 1 > std::numeric_limits<uint16_t>::max())
    in.fail(begin, "register " + number(word >> 1), "a number of 16 bits");
  return Operand::reg(uint16_t(word >> 1));
}

Region readRegion(Cursor &in) {
  Region region;
  region.memory = in.takeEnum<machine::Memory>();
  region.element = in.takeEnum<machine::Element>();
  size_t rankOffset = in.offset();
  region.rank = in.take<uint8_t>();
  if (region.rank < 1 || region.rank > region.dims.size())
    in.fail(rankOffset, "rank " + number(region.rank), "1 to 3");
  in.takeZeros(5);
  region.address = readOperand(in);
  for (size_t d = 0; d < region.rank && !in.failed(); ++d) {
    region.dims[d].size = readOperand(in);
    region.dims[d].stride = readOperand(in);
  }
  return region;
}

void readInstruction(Cursor &in, Instruction &instruction) {
  instruction.op = in.takeEnum<Op>();
  instruction.opcode = in.takeEnum<machine::Opcode>();
  instruction.element = in.takeEnum<machine::Element>();
  instruction.from = in.takeEnum<machine::Element>();
  instruction.attribute = in.take<uint8_t>();
  instruction.flags = in.take<uint8_t>();
  instruction.result = in.take<uint16_t>();
  auto operands = in.take<uint8_t>();
  auto regions = in.take<uint8_t>();
  instruction.location = in.take<uint32_t>();
  for (unsigned i = 0; i < operands && !in.failed(); ++i)
    instruction.operands.push_back(readOperand(in));
  for (unsigned i = 0; i < regions && !in.failed(); ++i)
    instruction.regions.push_back(readRegion(in));
}

void readProgram(Cursor &in, Image &image) {
  Program &program = image.programs.emplace_back();
  program.core = in.takeEnum<machine::Core>();
  in.takeZeros(1);
  program.registers = in.take<uint16_t>();
  size_t count = in.takeCount(instructionHeaderBytes, maxInstructions, "instructions");
  program.body.reserve(count);
  for (size_t i = 0; i < count && !in.failed(); ++i)
    readInstruction(in, program.body.emplace_back());
}

void readSection(Cursor &in, Section section, Image &image) {
  switch (section) {
  case Section::Launch:
    return readLaunch(in, image);
  case Section::Lines:
    return readLines(in, image);
  case Section::Messages:
    return readStrings(in, image.messages, "messages");
  case Section::Program:
    return readProgram(in, image);
  case Section::Mlir:
    image.mlir = in.takeString(maxTextBytes);
    return;
  }
}

/// The header up to the section table: magic, version, checksum, size.
Result<void> checkHeader(std::string_view bytes, std::string_view place) {
  auto bad = [&](size_t offset, std::string found, std::string expected) {
    return makeError(ErrorKind::Invalid, std::string(place) + ": byte " + number(offset),
                     std::move(found), std::move(expected));
  };
  if (!isImage(bytes))
    return bad(0, "no image: it does not begin with '" + std::string(magic) + "'",
               "a program image (.npo)");
  if (bytes.size() < headerBytes)
    return bad(bytes.size(), "the end of the file",
               "a header of " + number(headerBytes) + " bytes");
  if (bytes.size() > maxFileBytes)
    return bad(maxFileBytes, number(bytes.size()) + " bytes in all",
               "at most " + number(maxFileBytes));
  Cursor in(bytes, versionOffset, bytes.size(), place);
  auto major = in.take<uint32_t>(), minor = in.take<uint32_t>();
  if (major != versionMajor || minor > versionMinor) {
    Error error = bad(versionOffset, "format version " + number(major) + "." + number(minor),
                      number(versionMajor) + "." + number(versionMinor) +
                          (versionMinor ? " or an older minor version" : ""));
    error.kind = ErrorKind::Unsupported;
    return error;
  }
  Hasher hasher;
  hasher.add(bytes.substr(checksummedOffset));
  if (std::memcmp(hasher.digest().data(), bytes.data() + checksumOffset, sizeof(Digest)) != 0)
    return bad(checksumOffset, "a checksum that does not fit what follows", toHex(hasher.digest()));
  return {};
}

/// Reads the table and each section; sections follow one another without gaps, in a fixed order.
Result<void> readSections(std::string_view bytes, std::string_view place, Image &image) {
  Cursor table(bytes, checksummedOffset, bytes.size(), place);
  if (size_t begin = table.offset(); table.take<uint64_t>() != bytes.size())
    table.fail(begin, "another size than the file's", number(bytes.size()));
  size_t count = table.takeCount(sectionEntryBytes, 16, "sections");
  table.takeZeros(4);
  uint64_t expected = headerBytes + count * sectionEntryBytes;
  auto next = uint32_t(Section::Launch);
  for (size_t i = 0; i < count; ++i) {
    size_t entry = table.offset();
    auto kind = table.take<uint32_t>();
    table.takeZeros(4);
    auto start = table.take<uint64_t>(), size = table.take<uint64_t>();
    bool again = kind == uint32_t(Section::Program) && next == kind + 1;
    if (kind != next && !again)
      table.fail(entry, "section kind " + number(kind),
                 next > uint32_t(Section::Mlir) ? "no more sections"
                                                : std::string(name(Section(next))));
    if (start != expected || size > bytes.size() - std::min<uint64_t>(start, bytes.size()))
      table.fail(entry + 8, "bytes " + number(start) + " and " + number(size) + " more",
                 "a section at byte " + number(expected) + " within the file");
    if (table.failed())
      return table.takeError();
    std::string where = std::string(place) + ": section " + std::string(name(Section(kind)));
    Cursor in(bytes, start, start + size, where);
    readSection(in, Section(kind), image);
    if (!in.failed() && in.remaining())
      in.fail(in.offset(), number(in.remaining()) + " more bytes", "the end of the section");
    expected = start + size;
    Cursor gap(bytes, expected, bytes.size(), place);
    gap.takeZeros((wordBytes - expected % wordBytes) % wordBytes);
    for (Cursor *cursor : {&in, &gap})
      if (cursor->failed())
        return cursor->takeError();
    expected = gap.offset();
    next = kind + 1;
  }
  if (!table.failed() && next <= uint32_t(Section::Mlir))
    table.fail(table.offset(), "the end of the section table", std::string(name(Section(next))));
  if (expected != bytes.size())
    table.fail(expected, number(bytes.size() - expected) + " more bytes", "the end of the file");
  if (table.failed())
    return table.takeError();
  return {};
}

} // namespace

bool isImage(std::string_view bytes) { return bytes.substr(0, magic.size()) == magic; }

Result<Image> parse(std::string_view bytes, std::string_view place) {
  if (Result<void> header = checkHeader(bytes, place); !header)
    return header.takeError();
  Image image;
  if (Result<void> sections = readSections(bytes, place, image); !sections)
    return sections.takeError();
  if (Result<void> structure = checkStructure(image, place); !structure)
    return structure.takeError();
  return image;
}

} // namespace kiln::image
