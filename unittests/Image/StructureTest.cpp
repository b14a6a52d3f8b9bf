//===- StructureTest.cpp - images that are not well formed -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "image/Structure.h"

#include "RandomImage.h"
#include "image/File.h"
#include "image/Signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

using namespace kiln;
using namespace kiln::image;
using testing::HasSubstr;

namespace {

struct Break {
  std::string_view name;
  std::function<void(Image &)> change;
  std::string_view message; ///< a part of it
};

std::vector<Instruction> &body(Image &image) { return image.programs[0].body; }

/// The first instruction with this opcode.
Instruction &find(Image &image, machine::Opcode opcode) {
  for (Instruction &it : body(image))
    if (it.op == Op::Tile && it.opcode == opcode)
      return it;
  ADD_FAILURE() << "no " << machine::name(opcode);
  return body(image)[0];
}

using machine::Opcode;

const Break breaks[] = {
    {"no name", [](Image &i) { i.kernel.clear(); }, "kernel: has no name"},
    {"long name", [](Image &i) { i.chip = std::string(70000, 'x'); }, "at most 65536"},
    {"no program", [](Image &i) { i.programs.clear(); }, "programs: none"},
    {"two of a kind", [](Image &i) { i.programs.push_back(i.programs[0]); }, "two for AIV"},
    {"no such core", [](Image &i) { i.programs[0].core = machine::Core(7); }, "core kind 7"},
    {"zero unroll", [](Image &i) { i.programsPerIteration = 0; }, "is 0, expected at least 1"},
    {"parameter type", [](Image &i) { i.parameters[1].element = machine::Element(12); },
     "parameter 1: has element type 12"},
    {"written scalar", [](Image &i) { i.parameters[3].written = true; }, "a scalar that"},
    {"huge workspace", [](Image &i) { i.workspaces.push_back({uint64_t(1) << 50}); },
     "workspace 0"},
    {"no unknown location", [](Image &i) { i.locations.clear(); }, "location 0"},
    {"location's file", [](Image &i) { i.locations[1].file = 5; }, "location 1: is in file 5"},
    {"location's caller", [](Image &i) { i.locations[1].caller = 1; }, "as caller"},
    {"preset registers", [](Image &i) { i.programs[0].registers = 8; }, "has 8 registers"},
    {"register", [](Image &i) { body(i)[1].operands[0] = Operand::reg(999); }, "register 999"},
    {"result", [](Image &i) { body(i)[1].result = 999; }, "result register 999"},
    {"result of none", [](Image &i) { find(i, Opcode::VAdd).result = 1; }, "it has no result"},
    {"immediate", [](Image &i) { body(i)[1].operands[1].value = maxImmediate + 1; }, "63 bits"},
    {"location", [](Image &i) { body(i)[1].location = 99; }, "location 99"},
    {"op", [](Image &i) { body(i)[1].op = Op(200); }, "instruction 1: op 200"},
    {"opcode", [](Image &i) { find(i, Opcode::VAdd).opcode = Opcode(500); }, "opcode 500"},
    {"opcode of a scalar op", [](Image &i) { body(i)[1].opcode = Opcode::VAdd; }, "scalar op"},
    {"no form", [](Image &i) { find(i, Opcode::VAdd).opcode = Opcode::Mmad; }, "cannot hold"},
    {"operand count", [](Image &i) { body(i)[1].operands.pop_back(); }, "1 operands, expected 2"},
    {"region count", [](Image &i) { find(i, Opcode::VAdd).regions.pop_back(); },
     "2 regions, expected 3"},
    {"attribute", [](Image &i) { find(i, Opcode::VAdd).attribute = 1; }, "attribute 1"},
    {"pipes", [](Image &i) { find(i, Opcode::SetFlag).attribute = 0x7f; }, "attribute 127"},
    {"flags", [](Image &i) { body(i)[1].flags = Persistent; }, "flags 2"},
    {"rank 0", [](Image &i) { find(i, Opcode::VAdd).regions[0].rank = 0; }, "rank 0"},
    {"rank 4", [](Image &i) { find(i, Opcode::VAdd).regions[0].rank = 4; }, "rank 4"},
    {"beyond the rank",
     [](Image &i) { find(i, Opcode::VAdd).regions[0].dims[1].size = Operand::immediate(1); },
     "beyond the rank"},
    {"memory", [](Image &i) { find(i, Opcode::VAdd).regions[0].memory = machine::Memory(8); },
     "memory 8"},
    {"element", [](Image &i) { find(i, Opcode::VAdd).regions[2].element = machine::Element::I32; },
     "region 2 of i32, expected f32"},
    {"bits as data",
     [](Image &i) { find(i, Opcode::VAdd).regions[0].element = machine::Element::I1; },
     "packed bits of rank 1 or with a stride"},
    {"element of control", [](Image &i) { body(i)[3].element = machine::Element::I32; },
     "i64, the default"},
    {"float op on integers", [](Image &i) { body(i)[1].op = Op::FAdd; },
     "element type i64, expected a float"},
    {"no conversion", [](Image &i) { body(i)[1].from = machine::Element::I8; }, "operand type i8"},
    {"bits of a float",
     [](Image &i) {
       body(i)[1].op = Op::FAdd;
       body(i)[1].element = machine::Element::F16;
       body(i)[1].operands[1] = Operand::immediate(0x10000);
     },
     "the bits of an f16"},
    {"step", [](Image &i) { body(i)[3].operands[2] = Operand::immediate(0); }, "step 0"},
    {"half a constant", [](Image &i) { body(i)[0].operands[0] = Operand::reg(0); }, "32 bits"},
    {"message",
     [](Image &i) {
       body(i)[1].op = Op::TrapUnless;
       body(i)[1].element = machine::Element::I64;
       body(i)[1].result = 0;
       body(i)[1].operands[1] = Operand::immediate(0);
     },
     "message 0"},
    {"open block", [](Image &i) { body(i).pop_back(); }, "1 open blocks"},
    {"end of none", [](Image &i) { body(i).push_back(body(i).back()); }, "no block is open"},
    {"else of a loop", [](Image &i) { body(i).back().op = Op::Else; }, "no if is open"},
    {"exit of a loop",
     [](Image &i) {
       Instruction exit;
       exit.op = Op::ExitUnless;
       exit.operands = {Operand::immediate(1)};
       body(i).insert(body(i).end() - 1, exit);
     },
     "outside of a repeat"},
    {"nesting",
     [](Image &i) {
       Instruction open, close;
       open.op = Op::Repeat;
       close.op = Op::End;
       body(i).insert(body(i).end(), 65, open);
       body(i).insert(body(i).end(), 65, close);
     },
     "block 65 deep"},
};

TEST(ImageStructure, TakesAGoodImage) {
  Result<void> structure = checkStructure(test::vectorAdd(), "x");
  EXPECT_TRUE(structure.ok()) << structure.error().message();
}

TEST(ImageStructure, NamesWhatIsBroken) {
  for (const Break &broken : breaks) {
    Image image = test::vectorAdd();
    broken.change(image);
    Result<void> structure = checkStructure(image, "x");
    ASSERT_FALSE(structure.ok()) << broken.name;
    EXPECT_THAT(structure.error().message(), HasSubstr(broken.message)) << broken.name;
    EXPECT_THAT(structure.error().message(), testing::StartsWith("x: ")) << broken.name;
  }
}

TEST(ImageStructure, SaysInstructionAndLine) {
  Image image = test::vectorAdd();
  find(image, Opcode::VAdd).regions.pop_back();
  EXPECT_EQ(checkStructure(image, "x").error().message(),
            "x: program AIV, instruction 15 (vadd, vadd.py:6:9): 2 regions, expected 3");
}

TEST(ImageStructure, KnowsEveryInstruction) {
  // What has no form is listed, so that a new opcode comes with one.
  for (unsigned i = 0; i < machine::opcodeCount; ++i) {
    machine::OpClass opClass = machine::info(Opcode(i)).opClass;
    bool expected = opClass != machine::OpClass::Fixpipe && opClass != machine::OpClass::Mmad;
    EXPECT_EQ(signature(Opcode(i), 0).encoded, expected) << machine::name(Opcode(i));
  }
}

} // namespace
