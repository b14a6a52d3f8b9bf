//===- Assembler.cpp - an image from its text -------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The head of an image; programs are ProgramParser's.
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/asm/Assembly.h"

#include "image/Structure.h"
#include "sim/asm/Literal.h"
#include "sim/asm/ProgramParser.h"

#include <algorithm>
#include <array>
#include <limits>

namespace kiln::sim {

using image::Image;

namespace {

class Assembler {
public:
  Assembler(TokenCursor &cursor, std::string_view place) : cursor(cursor), place(place) {}

  Result<Image> run() {
    cursor.skipNewlines();
    while (!cursor.atEnd()) {
      item();
      cursor.skipNewlines();
    }
    if (cursor.failed())
      return cursor.takeError();
    if (Result<void> structure = image::checkStructure(image, place); !structure)
      return structure.takeError();
    return std::move(image);
  }

private:
  struct Item {
    std::string_view word;
    void (Assembler::*read)();
    bool beforePrograms; ///< programs depend on it
  };
  void item() {
    static constexpr std::array<Item, 11> items = {{
        {"kernel", &Assembler::kernel, false},
        {"chip", &Assembler::chip, false},
        {"hash", &Assembler::hash, false},
        {"programs_per_iteration", &Assembler::programsPerIteration, false},
        {"param", &Assembler::parameter, true},
        {"workspace", &Assembler::workspace, true},
        {"file", &Assembler::file, true},
        {"location", &Assembler::location, true},
        {"message", &Assembler::message, true},
        {"program", &Assembler::program, false},
        {"mlir", &Assembler::mlir, false},
    }};
    const Token &token = cursor.peek();
    auto found = std::find_if(items.begin(), items.end(),
                              [&](const Item &candidate) { return token.isWord(candidate.word); });
    if (found == items.end()) {
      std::vector<std::string_view> words;
      for (const Item &candidate : items)
        words.push_back(candidate.word);
      std::string hint = nearest(token.text, words);
      return cursor.fail(token, token.describe(),
                         "a part of an image, such as 'kernel' or 'program'" +
                             (hint.empty() ? hint : "; " + hint));
    }
    if (found->beforePrograms && !image.programs.empty())
      return cursor.fail(token, token.describe() + " after a program", "it before the programs");
    cursor.take();
    (this->*found->read)();
  }

  void kernel() { image.kernel = cursor.expectText(TokenKind::String, "the kernel's name"); }
  void chip() { image.chip = cursor.expectText(TokenKind::String, "the chip's name"); }

  void hash() {
    const Token token = cursor.peek();
    std::string text = cursor.expectText(TokenKind::String, "the hash of the chip's file");
    if (cursor.failed())
      return;
    bool good = text.size() == 2 * image.machineHash.size() &&
                text.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!good)
      return cursor.fail(token, quote(text), "32 hexadecimal digits");
    for (size_t i = 0; i < image.machineHash.size(); ++i)
      image.machineHash[i] = uint8_t(*parseInteger("0x" + text.substr(2 * i, 2)));
  }

  void programsPerIteration() {
    image.programsPerIteration =
        uint32_t(cursor.expectCount(std::numeric_limits<uint32_t>::max(), "a number"));
  }

  /// param %x : *f32 written
  void parameter() {
    image::Parameter parameter;
    Token name = cursor.take();
    if (name.kind != TokenKind::Register && name.kind != TokenKind::String)
      return cursor.fail(name, name.describe(), "'%' and a parameter's name");
    parameter.name = name.text;
    cursor.expect(":");
    parameter.isPointer = cursor.accept("*");
    Token type = cursor.take();
    std::optional<machine::Element> element = machine::elementByName(type.text);
    if (!cursor.failed() && !element)
      return cursor.fail(type, type.describe(), "an element type such as f32");
    if (cursor.failed())
      return;
    parameter.element = *element;
    parameter.written = cursor.acceptWord("written");
    image.parameters.push_back(std::move(parameter));
    if (name.kind == TokenKind::Register && presetNames(image)[image.parameters.size() - 1].empty())
      cursor.fail(name, name.describe(), "a name that is not a number and not taken");
  }

  void workspace() {
    image.workspaces.push_back(
        {cursor.expectCount(image::maxWorkspaceBytes, "a number of bytes per core")});
  }

  void file() {
    image.files.push_back(cursor.expectText(TokenKind::String, "a file's name"));
    tables.addFile(image, uint32_t(image.files.size() - 1));
  }

  /// location "kernel.py" 12 5 from #1
  void location() {
    constexpr uint64_t most = std::numeric_limits<uint32_t>::max();
    image::Location location;
    const Token file = cursor.peek();
    if (cursor.accept("#")) {
      location.file = uint32_t(cursor.expectCount(most, "a file's number"));
    } else {
      std::string name =
          cursor.expectText(TokenKind::String, "a file's name or '#' and its number");
      std::optional<uint32_t> known = tables.file(name);
      if (!cursor.failed() && !known)
        return cursor.fail(file, quote(name), "a file that was declared");
      location.file = known.value_or(0);
    }
    location.line = uint32_t(cursor.expectCount(most, "a line"));
    location.column = uint32_t(cursor.expectCount(most, "a column"));
    if (cursor.acceptWord("from")) {
      cursor.expect("#");
      location.caller = uint32_t(cursor.expectCount(image.locations.size() - 1, "a location"));
    }
    if (!cursor.failed() && location.file >= image.files.size())
      return cursor.fail(file, "file " + std::to_string(location.file),
                         "less than " + std::to_string(image.files.size()));
    if (cursor.failed())
      return;
    image.locations.push_back(location);
    tables.addLocation(image, uint32_t(image.locations.size() - 1));
  }

  void message() {
    image.messages.push_back(cursor.expectText(TokenKind::String, "a message"));
    tables.addMessage(image, uint32_t(image.messages.size() - 1));
  }

  void program() { parseProgram(cursor, image, tables); }

  void mlir() {
    cursor.skipNewlines();
    if (cursor.peek().kind != TokenKind::String)
      return cursor.failAtNext("text in quotes");
    while (cursor.peek().kind == TokenKind::String) {
      image.mlir += cursor.take().text;
      cursor.skipNewlines();
    }
  }

  TokenCursor &cursor;
  std::string_view place;
  Image image;
  TextTables tables;
};

} // namespace

Result<Image> assemble(std::string_view text, std::string_view place) {
  Result<std::vector<Token>> tokens = tokenize(text, place);
  if (!tokens)
    return tokens.takeError();
  TokenCursor cursor(std::move(*tokens), place);
  return Assembler(cursor, place).run();
}

} // namespace kiln::sim
