//===- RandomImage.cpp - well-formed images of all sorts --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "RandomImage.h"

#include "image/Region.h"
#include "image/Signature.h"
#include "image/Structure.h"
#include "sim/asm/Assembly.h"

#include <gtest/gtest.h>

namespace kiln::test {

using namespace image;
using machine::Element;

namespace {

class Maker {
public:
  explicit Maker(std::mt19937_64 &random) : random(random) {}

  Image run() {
    image.kernel = "k" + text();
    image.chip = text();
    if (below(2))
      for (uint8_t &byte : image.machineHash)
        byte = uint8_t(below(256));
    image.programsPerIteration = uint32_t(1 + below(3));
    for (uint64_t i = below(4); i > 0; --i) {
      bool isPointer = below(2);
      image.parameters.push_back({text(), isPointer, element(), isPointer && below(2)});
    }
    for (uint64_t i = below(3); i > 0; --i)
      image.workspaces.push_back({below(maxWorkspaceBytes)});
    tables();
    bool aic = below(2), aiv = !aic || below(2);
    if (aiv)
      addProgram(machine::Core::AIV);
    if (aic)
      addProgram(machine::Core::AIC);
    if (below(2))
      image.mlir = text() + "\n" + text() + (below(2) ? "\n" : "");
    return std::move(image);
  }

private:
  uint64_t below(uint64_t limit) { return random() % limit; }
  Element element() { return Element(below(machine::elementCount)); }
  Element otherElement() { return Element(1 + below(machine::elementCount - 1)); }

  /// Often a name, sometimes any bytes.
  std::string text() {
    static constexpr std::string_view some[] = {
        "x", "n",  "gridX",      "workspace0", "kernel.py", "a b", "1",   "_2",
        "é", "#7", "say \"hi\"", "\\",         "x.y",       "",    "a:3", "tab\there"};
    if (below(4))
      return std::string(some[below(std::size(some))]);
    std::string bytes;
    for (uint64_t i = below(6); i > 0; --i)
      bytes += char(below(256));
    return bytes;
  }

  void tables() {
    for (uint64_t i = below(4); i > 0; --i)
      image.files.push_back(text());
    for (uint64_t i = image.files.empty() ? 0 : below(6); i > 0; --i)
      image.locations.push_back({uint32_t(below(image.files.size())), uint32_t(below(5)),
                                 uint32_t(below(5)),
                                 uint32_t(below(3) ? 0 : below(image.locations.size()))});
    for (uint64_t i = below(3); i > 0; --i)
      image.messages.push_back(text());
  }

  int64_t immediate() {
    switch (below(4)) {
    case 0:
      return int64_t(random()) >> 1;
    case 1:
      return -int64_t(below(100));
    default:
      return int64_t(below(300));
    }
  }
  uint16_t reg() { return uint16_t(below(program.registers)); }

  /// A scalar that is read as this type.
  Operand operand(Element type = Element::I64) {
    if (below(2))
      return Operand::reg(reg());
    if (machine::isFloat(type))
      return Operand::immediate(
          int64_t(below(3) ? floatBits(type) : random() >> (64 - machine::bits(type))));
    return Operand::immediate(immediate());
  }
  uint64_t floatBits(Element type) {
    // Around one and around the borders of the exponent.
    uint64_t one = type == Element::F16 ? 0x3c00 : type == Element::BF16 ? 0x3f80 : 0x3f800000;
    return below(4) ? one + below(8) : below(8);
  }

  Region region(Element type) {
    Region region;
    region.memory = machine::Memory(below(machine::memoryCount));
    region.element = type;
    region.rank = type == Element::I1 ? 1 : uint8_t(1 + below(3));
    region.address = operand();
    for (size_t d = 0; d < region.rank; ++d)
      region.dims[d].size = operand();
    if ((!below(2) || !setDenseStrides(region)) && type != Element::I1)
      for (size_t d = 0; d < region.rank; ++d)
        region.dims[d].stride = operand();
    return region;
  }

  uint8_t attribute(AttributeKind kind) {
    while (true)
      if (auto value = uint8_t(below(2) ? below(8) : below(256)); isValid(kind, value))
        return value;
  }

  Instruction start(Op op) {
    Instruction it;
    it.op = op;
    it.location = uint32_t(below(image.locations.size()));
    return it;
  }

  Instruction tile() {
    Instruction it = start(Op::Tile);
    do
      it.opcode = machine::Opcode(below(machine::opcodeCount));
    while (!signature(it.opcode, 0).encoded);
    it.attribute = attribute(signature(it.opcode, 0).attribute);
    Signature sign = signature(it);
    Element common = otherElement();
    for (int i = 0; i < sign.regions; ++i)
      it.regions.push_back(region(i == sign.maskRegion    ? Element::I1
                                  : i == sign.wordsRegion ? Element::U32
                                  : sign.sameElement      ? common
                                                          : otherElement()));
    for (int i = 0; i < sign.operands; ++i)
      it.operands.push_back(operand(operandElement(it)));
    it.flags = below(4) ? 0 : FeedsControl;
    if (sign.hasResult)
      it.result = reg();
    return it;
  }

  Element anyOf(bool isFloat) {
    while (true)
      if (Element type = element(); machine::isFloat(type) == isFloat)
        return type;
  }

  Instruction scalar() {
    Op op;
    do
      op = Op(below(unsigned(Op::Tile)));
    while (op <= Op::End || (op == Op::TrapUnless && image.messages.empty()));
    Instruction it = start(op);
    ScalarTypes types = scalarTypes(op);
    if (types == ScalarTypes::Any)
      it.element = element();
    else if (types != ScalarTypes::None)
      it.element =
          anyOf(types == ScalarTypes::Float || types == ScalarTypes::FloatCompare ||
                types == ScalarTypes::IntegerToFloat || types == ScalarTypes::FloatToFloat);
    if (isConversion(types))
      it.from = anyOf(types == ScalarTypes::FloatToInteger || types == ScalarTypes::FloatToFloat);
    it.attribute = attribute(signature(it).attribute);
    for (unsigned i = 0; i < info(op).operands; ++i)
      it.operands.push_back(
          operand(op == Op::Select && i == 0 ? Element::I64 : operandElement(it)));
    if (op == Op::Const)
      for (Operand &half : it.operands)
        half = Operand::immediate(int64_t(below(2) ? random() & 0xffffffff : 0));
    if (op == Op::TrapUnless)
      it.operands[1] = Operand::immediate(int64_t(below(image.messages.size())));
    if (info(op).hasResult)
      it.result = reg();
    return it;
  }

  void block(unsigned depth, bool inRepeat) {
    for (uint64_t i = below(6); i > 0; --i) {
      uint64_t choice = below(10);
      if (choice == 0 && depth < 4)
        nested(depth);
      else if (choice == 1 && inRepeat)
        program.body.push_back(start(Op::ExitUnless)), program.body.back().operands = {operand()};
      else
        program.body.push_back(choice < 6 ? tile() : scalar());
    }
  }

  void nested(unsigned depth) {
    Op op = Op(std::array{Op::Loop, Op::If, Op::Repeat}[below(3)]);
    Instruction it = start(op);
    for (unsigned i = 0; i < info(op).operands; ++i)
      it.operands.push_back(operand());
    if (op == Op::Loop) {
      it.result = reg();
      it.flags = below(2) ? uint8_t(Persistent) : uint8_t(0);
      if (!it.operands[2].isRegister)
        it.operands[2].value = 1 + int64_t(below(9));
    }
    program.body.push_back(it);
    block(depth + 1, op == Op::Repeat);
    if (op == Op::If && below(2)) {
      program.body.push_back(start(Op::Else));
      block(depth + 1, false);
    }
    program.body.push_back(start(Op::End));
  }

  void addProgram(machine::Core core) {
    program = {core, uint16_t(image.presetRegisters() + below(20)), {}};
    for (uint64_t i = 1 + below(3); i > 0; --i)
      block(0, false);
    image.programs.push_back(std::move(program));
  }

  std::mt19937_64 &random;
  Image image;
  Program program;
};

} // namespace

Image randomImage(std::mt19937_64 &random) { return Maker(random).run(); }

Image vectorAdd() {
  constexpr std::string_view text = R"(
kernel "vadd" chip "ascend910b"
param %a : *f32  param %b : *f32  param %c : *f32 written  param %n : i32
program aiv {
  %block = const.i64 1024
  %count0 = add.i64 %n, 1023
  %count = divs.i64 %count0, %block
  loop %i = %coreIndex to %count step %coreCount persistent @vadd.py:3:1 {
    %first = mul.i64 %i, %block
    %left = sub.i64 %n, %first
    %size = mins.i64 %left, %block
    %bytes = mul.i64 %first, 4
    %pa = add.i64 %a, %bytes
    %pb = add.i64 %b, %bytes
    %pc = add.i64 %c, %bytes
    load UB[0] f32 [%size] <- GM[%pa] f32 [%size] @vadd.py:4:9
    load UB[4096] f32 [%size] <- GM[%pb] f32 [%size] @vadd.py:5:9
    set_flag MTE2 -> V, 0
    wait_flag MTE2 -> V, 0
    vadd UB[8192] f32 [%size], UB[0] f32 [%size], UB[4096] f32 [%size] @vadd.py:6:9
    set_flag V -> MTE3, 0
    wait_flag V -> MTE3, 0
    store GM[%pc] f32 [%size] <- UB[8192] f32 [%size] @vadd.py:7:5
    pipe_barrier all
  }
}
)";
  Result<Image> image = sim::assemble(text, "vadd");
  EXPECT_TRUE(image.ok()) << image.error().message();
  return image.ok() ? std::move(*image) : Image{};
}

Image manyInstructions() {
  constexpr std::string_view text = R"(
kernel "many" chip "ascend910b"
param %a : *f32  param %b : *f32  param %c : *f32 written  param %n : i32
workspace 256
program aiv {
  load UB[0] f32 [4, 64] <- GM[%a] f32 [4, 64] stride [64, 4]
  load UB[1024] f32 [%n] <- GM[%b] f32 [%n]
  set_flag MTE2 -> V, 1
  wait_flag MTE2 -> V, 1
  vexp UB[2048] f32 [4, 64], UB[0] f32 [4, 64]
  pipe_barrier V
  vadds UB[2048] f32 [256], UB[2048] f32 [256], 1.0
  vcmps.lt UB[3072] i1 [256], UB[2048] f32 [256], 2.0
  pipe_barrier V
  vsels UB[4096] f32 [256], UB[3072] i1 [256], UB[2048] f32 [256], 0.0
  vdup UB[5120] i32 [64], 3
  viota UB[5376] i32 [64], 0
  pipe_barrier V
  vshl UB[5376] u32 [64], UB[5376] u32 [64], 2
  pipe_barrier V
  vgather UB[5632] f32 [64], UB[5376] u32 [64], UB[0] f32 [64]
  vconv.rint UB[6144] f16 [64], UB[0] f32 [64]
  vcadd UB[6400] f32 [4, 1], UB[2048] f32 [4, 64]
  pipe_barrier V
  vbrcb UB[6656] f32 [4, 64], UB[6400] f32 [4, 1]
  copy UB[7680] i8 [256] <- UB[6656] i8 [256]
  vmuladd UB[4096] f32 [64], UB[0] f32 [64], UB[1024] f32 [64]
  set_flag V -> S, 0
  wait_flag V -> S, 0
  %s = sload UB[6400] f32 [1] control
  %small = fcmp.lt.f32 %s, 100.0
  if %small {
    sstore UB[8192] f32 [1], %s
  } else {
    trap_unless %n, "n is 0"
  }
  loop %i = 0 to 3 step 1 {
    %t = divs.i64 %n, %i
    vadd UB[8448] f32 [64], UB[0] f32 [64], UB[1024] f32 [64]
    pipe_barrier V
  }
  repeat {
    %k = add.i64 %i, 1
    exit_unless 0
  }
  set_flag V -> MTE3, 2
  wait_flag V -> MTE3, 2
  store GM[%c] f32 [64] <- UB[4096] f32 [64]
  store GM[%workspace0] f32 [64] <- UB[4096] f32 [64]
  pipe_barrier MTE3
  store.add GM[%workspace0] f32 [64] <- UB[8448] f32 [64]
  pipe_barrier all
  %old = satomic.add GM[%workspace0] i32 [1], 1
  sync_all
}
)";
  Result<Image> image = sim::assemble(text, "many");
  EXPECT_TRUE(image.ok()) << image.error().message();
  return image.ok() ? std::move(*image) : Image{};
}

} // namespace kiln::test
