//===- ProgramParser.cpp - the text of one program ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/asm/ProgramParser.h"

#include "image/InstructionCheck.h"
#include "image/Signature.h"
#include "image/Structure.h"
#include "sim/asm/OperandParser.h"

#include <limits>

namespace kiln::sim {

using image::AttributeKind;
using image::Image;
using image::Instruction;
using image::Op;
using image::Program;
using machine::Element;

namespace {

/// Splits "vcmp.lt" at its points.
std::vector<std::string> splitWord(const std::string &word) {
  std::vector<std::string> parts(1);
  for (char c : word)
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

std::optional<Op> scalarOpByName(std::string_view name) {
  for (unsigned i = 0; i < unsigned(Op::Tile); ++i)
    if (image::info(Op(i)).mnemonic == name)
      return Op(i);
  return std::nullopt;
}

std::string nearestMnemonic(std::string_view word) {
  std::vector<std::string_view> names;
  for (unsigned i = 0; i < machine::opcodeCount; ++i)
    names.push_back(machine::name(machine::Opcode(i)));
  for (unsigned i = 0; i < unsigned(Op::Tile); ++i)
    names.push_back(image::info(Op(i)).mnemonic);
  return nearest(word, names);
}

/// The attribute that a mnemonic's suffix stands for.
std::optional<uint8_t> attributeBySuffix(AttributeKind kind, std::string_view suffix) {
  auto number = [](auto value) {
    return value ? std::optional<uint8_t>(uint8_t(*value)) : std::nullopt;
  };
  switch (kind) {
  case AttributeKind::Predicate:
    return number(machine::predicateByName(suffix));
  case AttributeKind::Rounding:
    return number(machine::roundingByName(suffix));
  case AttributeKind::Store:
  case AttributeKind::Atomic:
    return number(machine::atomicByName(suffix));
  default:
    return std::nullopt;
  }
}

class ProgramParser {
public:
  ProgramParser(TokenCursor &cursor, Image &image, TextTables &tables)
      : cursor(cursor), image(image), tables(tables) {}

  void run() {
    Token core = cursor.take();
    std::optional<machine::Core> kind = coreByWord(core.text);
    if (!kind)
      return cursor.fail(core, core.describe(), "'aiv' or 'aic'");
    program.core = *kind;
    constexpr uint64_t most = std::numeric_limits<uint16_t>::max();
    std::optional<uint16_t> declared;
    if (cursor.acceptWord("registers"))
      declared = uint16_t(cursor.expectCount(most, "a number of registers"));
    operands.emplace(cursor, image, tables);
    // Until the end any register may come; then the count is what was needed.
    program.registers = most;
    cursor.expect("{");
    block(0);
    cursor.expect("}");
    uint64_t needed = operands->neededRegisters();
    if (declared && *declared < needed)
      cursor.fail(core, std::to_string(*declared) + " registers",
                  "at least " + std::to_string(needed));
    program.registers = declared.value_or(uint16_t(needed));
    image.programs.push_back(std::move(program));
  }

private:
  void block(unsigned depth) {
    cursor.skipNewlines();
    while (!cursor.atEnd() && !cursor.peek().is("}"))
      statement(depth);
  }

  /// Takes an instruction that is complete.
  void emit(const Token &start, Instruction it) {
    if (cursor.failed())
      return;
    if (std::optional<image::Fault> fault = image::checkInstruction(image, program, it))
      return cursor.fail(start, "'" + std::string(image::mnemonic(it)) + "' with " + fault->found,
                         fault->expected);
    program.body.push_back(std::move(it));
  }

  void statement(unsigned depth) {
    std::optional<Token> result;
    if (cursor.peek().kind == TokenKind::Register) {
      result = cursor.take();
      cursor.expect("=");
    }
    Token word = cursor.take();
    if (word.kind != TokenKind::Word)
      return cursor.fail(word, word.describe(), "an instruction");
    std::vector<std::string> parts = splitWord(word.text);
    std::optional<Op> op = scalarOpByName(parts[0]);
    std::optional<machine::Opcode> opcode = machine::opcodeByName(parts[0]);
    Instruction it;
    it.op = op.value_or(Op::Tile);
    if (opcode)
      it.opcode = *opcode;
    // Else and End are parts of blocks.
    if ((!op && !opcode) || op == Op::Else || op == Op::End) {
      std::string hint = nearestMnemonic(parts[0]);
      return cursor.fail(word, word.describe(),
                         "an instruction" + (hint.empty() ? hint : "; " + hint));
    }
    if (op && *op <= Op::Repeat) {
      if (result)
        return cursor.fail(*result, "a result of '" + word.text + "'", "none");
      return blockStatement(word, std::move(it), depth);
    }
    suffixes(word, parts, it);
    if (op)
      scalarOperands(it);
    else
      tileOperands(it);
    bool hasResult = image::signature(it).hasResult;
    if (!cursor.failed() && hasResult != result.has_value())
      return cursor.fail(word,
                         word.describe() + (hasResult ? " without a result" : " with a result"),
                         hasResult ? "'%name =' before it" : "no '=' before it");
    // The operands first: a new name is not yet set in its own definition.
    if (result)
      it.result = operands->target(*result);
    if (!op && cursor.acceptWord("control"))
      it.flags |= image::FeedsControl;
    it.location = operands->location();
    cursor.expectLineEnd();
    emit(word, std::move(it));
  }

  /// What stands behind points: first the attribute, then the element of a scalar op.
  void suffixes(const Token &word, const std::vector<std::string> &parts, Instruction &it) {
    AttributeKind kind = image::signature(it).attribute;
    size_t next = 1;
    bool named = kind == AttributeKind::Predicate || kind == AttributeKind::Rounding ||
                 kind == AttributeKind::Store || kind == AttributeKind::Atomic;
    bool mayLack = kind == AttributeKind::Rounding || kind == AttributeKind::Store;
    if (named && !(mayLack && parts.size() == 1)) {
      std::optional<uint8_t> attribute =
          next < parts.size() ? attributeBySuffix(kind, parts[next]) : std::nullopt;
      if (!attribute || !image::isValid(kind, *attribute))
        return cursor.fail(word, word.describe(), suffixHint(kind, parts[0]));
      it.attribute = *attribute;
      ++next;
    }
    if (it.op != Op::Tile && image::scalarTypes(it.op) != image::ScalarTypes::None) {
      std::optional<Element> element =
          next < parts.size() ? machine::elementByName(parts[next]) : std::nullopt;
      if (!element)
        return cursor.fail(word, word.describe(),
                           "'" + parts[0] + "." + (next > 1 ? parts[1] + "." : "") +
                               "' and an element type such as i64");
      it.element = *element;
      ++next;
    }
    if (next != parts.size())
      cursor.fail(word, word.describe(), "nothing after '" + parts[next - 1] + "'");
  }

  static std::string suffixHint(AttributeKind kind, const std::string &mnemonic) {
    std::string example = kind == AttributeKind::Predicate  ? ".lt"
                          : kind == AttributeKind::Rounding ? ".rint"
                                                            : ".add";
    return "'" + mnemonic + "' with a suffix such as '" + example + "'";
  }

  void scalarOperands(Instruction &it) {
    if (it.op == Op::Const)
      return void(it.operands = operands->constant(it.element));
    if (it.op == Op::TrapUnless) {
      it.operands = {operands->operand()};
      cursor.expect(",");
      it.operands.push_back(operands->message());
      return;
    }
    bool converts = image::isConversion(image::scalarTypes(it.op));
    if (converts)
      it.from = conversionSource();
    for (unsigned i = 0; i < image::info(it.op).operands; ++i) {
      if (i)
        cursor.expect(",");
      bool isCondition = it.op == Op::Select && i == 0;
      it.operands.push_back(
          operands->operand(isCondition ? Element::I64 : image::operandElement(it)));
    }
    if (converts) {
      cursor.expectWord("from");
      operands->named(machine::elementByName, "an element type such as i32");
    }
  }

  /// The type after "from", which says how to read the operand before it.
  Element conversionSource() {
    auto token = cursor.here();
    while (token->kind != TokenKind::Newline && token->kind != TokenKind::End &&
           !token->isWord("from"))
      ++token;
    std::optional<Element> element;
    if (token->isWord("from"))
      element = machine::elementByName((token + 1)->text);
    return element.value_or(Element::I64);
  }

  void tileOperands(Instruction &it) {
    image::Signature sign = image::signature(it);
    bool separated = pipes(it, sign.attribute);
    bool isTransfer = sim::isTransfer(it.opcode);
    for (unsigned i = 0; i < sign.regions; ++i) {
      if (i || separated)
        separator(isTransfer ? "<-" : ",");
      it.regions.push_back(operands->region());
      separated = true;
    }
    for (unsigned i = 0; i < sign.operands; ++i) {
      if (i || separated)
        separator(",");
      it.operands.push_back(operands->operand(image::operandElement(it)));
    }
  }

  void separator(std::string_view punctuation) {
    cursor.expect(punctuation);
    cursor.skipNewlines();
  }

  /// The operands that go into the attribute; false if there are none.
  bool pipes(Instruction &it, AttributeKind kind) {
    constexpr std::string_view what = "a pipe such as V or MTE2";
    if (kind == AttributeKind::Flag) {
      machine::Pipe from = operands->named(machine::pipeByName, what);
      cursor.expect("->");
      it.attribute = image::flagAttribute(from, operands->named(machine::pipeByName, what));
    } else if (kind == AttributeKind::Barrier) {
      it.attribute =
          cursor.acceptWord("all")
              ? image::allPipes
              : uint8_t(operands->named(machine::pipeByName, "'all' or a pipe such as V"));
    } else if (kind == AttributeKind::Cross) {
      machine::Pipe pipe = operands->named(machine::pipeByName, what);
      cursor.expect(",");
      it.attribute = image::crossAttribute(
          operands->named(machine::crossModeByName, "'all', 'pair' or 'core'"), pipe);
    } else {
      return false;
    }
    return true;
  }

  void blockStatement(const Token &word, Instruction it, unsigned depth) {
    if (word.text != image::info(it.op).mnemonic)
      return cursor.fail(word, word.describe(), "no suffix");
    if (depth == image::maxNesting)
      return cursor.fail(word, "a block " + std::to_string(depth + 1) + " deep",
                         "at most " + std::to_string(image::maxNesting));
    if (it.op == Op::Loop)
      loopHead(it);
    else if (it.op == Op::If)
      it.operands = {operands->operand()};
    it.location = operands->location();
    bool isIf = it.op == Op::If;
    emit(word, std::move(it));
    body(depth);
    if (isIf && cursor.acceptWord("else")) {
      emit(word, plain(Op::Else));
      body(depth);
    }
    emit(word, plain(Op::End));
    cursor.expectLineEnd();
  }

  /// An instruction that is all but its op and location.
  Instruction plain(Op op) {
    Instruction it;
    it.op = op;
    it.location = operands->location();
    return it;
  }

  /// { … }, up to and with the bracket.
  void body(unsigned depth) {
    cursor.expect("{");
    block(depth + 1);
    cursor.expect("}");
  }

  /// loop %i = 0 to %n step 1 persistent
  void loopHead(Instruction &it) {
    Token induction = cursor.take();
    if (induction.kind != TokenKind::Register)
      return cursor.fail(induction, induction.describe(), "the loop's register");
    cursor.expect("=");
    it.operands.push_back(operands->operand());
    cursor.expectWord("to");
    it.operands.push_back(operands->operand());
    cursor.expectWord("step");
    it.operands.push_back(operands->operand());
    it.result = operands->target(induction);
    if (cursor.acceptWord("persistent"))
      it.flags |= image::Persistent;
  }

  TokenCursor &cursor;
  Image &image;
  TextTables &tables;
  Program program;
  std::optional<OperandParser> operands; ///< from the body on
};

} // namespace

void parseProgram(TokenCursor &cursor, Image &image, TextTables &tables) {
  ProgramParser(cursor, image, tables).run();
}

} // namespace kiln::sim
