//===- AssemblyTest.cpp - images as text -------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/asm/Assembly.h"

#include "RandomImage.h"
#include "sim/asm/Literal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::image;
using machine::Element;
using testing::HasSubstr;

namespace {

/// The error of a program with these lines, which begin in line 4.
std::string errorOf(const std::string &lines) {
  std::string text =
      "kernel \"k\"\nparam %x : *f32 param %n : i32\nprogram aiv {\n" + lines + "\n}\n";
  Result<Image> image = sim::assemble(text, "k");
  return image ? "no error" : image.error().message();
}

Image assembled(const std::string &lines) {
  std::string text =
      "kernel \"k\"\nparam %x : *f32 param %n : i32\nprogram aiv {\n" + lines + "\n}\n";
  Result<Image> image = sim::assemble(text, "k");
  EXPECT_TRUE(image.ok()) << image.error().message();
  return image.ok() ? std::move(*image) : Image{};
}

/// What the disassembler makes of one line.
std::string again(const std::string &line) {
  Image image = assembled(line);
  return image.programs.empty() ? "" : sim::disassemble(image, image.programs[0].body[0]);
}

TEST(Assembly, RoundTripsRandomImages) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 500; ++i) {
    Image image = test::randomImage(random);
    std::string text = sim::disassemble(image);
    Result<Image> back = sim::assemble(text, "random");
    ASSERT_TRUE(back.ok()) << back.error().message() << "\n" << text;
    ASSERT_EQ(*back, image) << text;
  }
}

TEST(Assembly, ReadsAKernel) {
  Image image = test::vectorAdd();
  EXPECT_EQ(image.kernel, "vadd");
  EXPECT_EQ(image.chip, "ascend910b");
  ASSERT_EQ(image.parameters.size(), 4u);
  EXPECT_TRUE(image.parameters[2].written);
  EXPECT_FALSE(image.parameters[3].isPointer);
  ASSERT_EQ(image.programs.size(), 1u);
  const Program &program = image.programs[0];
  // 4 parameters, 5 of the launch, 11 names.
  EXPECT_EQ(program.registers, 20);
  const Instruction &loop = program.body[3];
  EXPECT_EQ(loop.op, Op::Loop);
  EXPECT_EQ(loop.flags, Persistent);
  EXPECT_EQ(loop.operands[0], Operand::reg(image.launchRegister(FirstRegister::CoreIndex)));
  const Instruction &add = program.body[15];
  EXPECT_EQ(add.opcode, machine::Opcode::VAdd);
  EXPECT_EQ(add.regions[0].address, Operand::immediate(8192));
  EXPECT_EQ(add.regions[0].dims[0].stride, Operand::immediate(4));
  EXPECT_EQ(image.locations[add.location], (Location{0, 6, 9, 0}));
}

TEST(Assembly, PrintsAsItReads) {
  for (std::string line : {
           "%9 = const.i64 -1",
           "%9 = const.u64 18446744073709551615",
           "%9 = const.f32 0.1",
           "%9 = mov.i64 %n",
           "%9 = select.f16 %n, 1.5, -inf",
           "%9 = add.i32 %n, -5",
           "%9 = cmps.lt.i64 %n, 3",
           "%9 = fcmp.ne.f32 %n, 0.5",
           "%9 = stof.f32 %n from i32",
           "%9 = ftos.i32 2.5 from f32",
           "load UB[0] f32 [1024] <- GM[%x] f32 [%n]",
           "store.add GM[%x] f32 [8, 64] stride [%n, 4] <- UB[0] f32 [8, 64]",
           "vadd UB[0] f32 [64], UB[256] f32 [64], UB[512] f32 [64] @k.py:3:4",
           "vadds UB[0] f16 [64], UB[256] f16 [64], 0.5",
           "vcmp.ge UB[0] i1 [64], UB[256] f32 [64], UB[512] f32 [64]",
           "vcmps.eq UB[0] i1 [64], UB[256] i32 [64], 7",
           "vsel UB[0] f32 [64], UB[256] i1 [64], UB[512] f32 [64], UB[768] f32 [64]",
           "vsels UB[0] f32 [64], UB[256] i1 [64], UB[512] f32 [64], 0x7fc00000",
           "vconv.rint UB[0] f16 [64], UB[256] f32 [64]",
           "vconv UB[0] f32 [64], UB[256] f16 [64]",
           "vdup UB[0] i32 [2, 3, 4], -1",
           "vgather UB[0] f32 [64], UB[256] u32 [64], UB[512] f32 [64]",
           "vsort32 UB[0] f32 [64], UB[256] f32 [32], UB[512] u32 [32]",
           "vreducev2 UB[0] f32 [64], UB[256] i1 [64], UB[512] f32 [64]",
           "%9 = sload UB[%n] f32 [1] control",
           "sstore UB[%n] f32 [1], 1.0",
           "%9 = satomic.cas GM[%x] i32 [1], 0, 1",
           "set_flag MTE2 -> V, 0",
           "wait_flag V -> MTE3, %n",
           "pipe_barrier all",
           "pipe_barrier V",
           "cross_set MTE3, all, 3",
           "sync_all",
           "trap_unless %n, \"n is 0\"",
       })
    EXPECT_EQ(again(line), line);
}

TEST(Assembly, BlocksKeepTheirPlaces) {
  std::string text = "kernel \"k\"\nchip \"\"\nfile \"k.py\"\nlocation \"k.py\" 1 1\n"
                     "location \"k.py\" 2 1 from #1\n\n"
                     "program aic registers 8 {\n"
                     "  if %5 @k.py:1:1 {\n"
                     "    repeat {\n"
                     "      exit_unless %6\n"
                     "    } @k.py:2:1\n"
                     "  } else @k.py:2:1 {\n"
                     "  }\n"
                     "}\n";
  Result<Image> image = sim::assemble(text, "k");
  ASSERT_TRUE(image.ok()) << image.error().message();
  EXPECT_EQ(sim::disassemble(*image), text);
}

TEST(Assembly, NamedRegistersKeepClearOfNumbers) {
  Image image = assembled("%9 = mov.i64 1\n%a = mov.i64 %9\n%8 = mov.i64 %a");
  EXPECT_EQ(image.programs[0].body[1].result, 10);
  EXPECT_EQ(image.programs[0].registers, 11);
}

TEST(Assembly, SaysWhereAndWhat) {
  EXPECT_EQ(errorOf("  vad UB[0] f32 [8], UB[0] f32 [8], UB[0] f32 [8]"),
            "k:4:3: 'vad', expected an instruction; did you mean 'vadd'?");
  EXPECT_EQ(errorOf("  %a = mov.i64 %b"),
            "k:4:16: '%b', which nothing has set, expected a register that is set before");
  EXPECT_EQ(errorOf("  %a = mov.i64 %coreindex"),
            "k:4:16: '%coreindex', which nothing has set, expected a register that is set before; "
            "did you mean 'coreIndex'?");
  EXPECT_EQ(errorOf("  vdup UB[0] f32 [8], 1"),
            "k:4:23: '1', expected an f32 such as 1.0, or its bits in hexadecimal");
  EXPECT_EQ(errorOf("  vadd UB[0] f32 [8], UB[0] f16 [8], UB[0] f32 [8]"),
            "k:4:3: 'vadd' with region 1 of f16, expected f32 as in the regions before");
  EXPECT_EQ(errorOf("  vadd UB[0] f32 [8], UB[0] f32 [8]"),
            "k:4:36: the end of the line, expected ','");
  EXPECT_EQ(errorOf("  vcmp UB[0] i1 [8], UB[0] f32 [8], UB[0] f32 [8]"),
            "k:4:3: 'vcmp', expected 'vcmp' with a suffix such as '.lt'");
  EXPECT_EQ(errorOf("  load UB[0] f32 [8, %n] <- GM[%x] f32 [8, %n]"),
            "k:4:26: '<-', expected 'stride' and strides in bytes: a size but the first is in a "
            "register");
  EXPECT_EQ(errorOf("  sload UB[0] f32 [1]"),
            "k:4:3: 'sload' without a result, expected '%name =' before it");
  EXPECT_EQ(errorOf("  %a = vdup UB[0] i32 [1], 0"),
            "k:4:8: 'vdup' with a result, expected no '=' before it");
  EXPECT_EQ(errorOf("  exit_unless %n"),
            "k: program AIV, instruction 0 (exit_unless): an exit outside of a repeat, expected it "
            "directly in the body of a repeat");
  EXPECT_EQ(errorOf("  add.i64 %n, 4611686018427387904"),
            "k:4:15: '4611686018427387904', expected an integer of 63 bits");
  EXPECT_EQ(errorOf("  loop %i = 0 to %n step 0 {\n}"),
            "k:4:3: 'loop' with step 0, expected at least 1");
  EXPECT_EQ(errorOf("  sync_all @k.py:0:1"),
            "k:4:12: '@k.py:0:1', expected @file:line:column or @#number");
  EXPECT_THAT(errorOf("  mmad"), HasSubstr("cannot hold"));
  EXPECT_THAT(errorOf("  sync_all ^"), HasSubstr("k:4:12: '^', expected"));
  EXPECT_THAT(errorOf("  if %n {"), HasSubstr("the end of the text, expected '}'"));
}

TEST(Assembly, SaysWhatIsWrongWithAHead) {
  auto error = [](const std::string &text) {
    Result<Image> image = sim::assemble(text, "k");
    return image ? "no error" : image.error().message();
  };
  const std::string program = "program aiv {\n}\n";
  EXPECT_EQ(error("kernel \"k\"\n" + program), "no error");
  EXPECT_EQ(error(program), "k: kernel: has no name, expected one");
  EXPECT_EQ(error("kernel \"k\""), "k: programs: none, expected one or more");
  EXPECT_EQ(error("kernel k"), "k:1:8: 'k', expected the kernel's name");
  EXPECT_THAT(error("kernl \"k\""), HasSubstr("k:1:1: 'kernl', expected a part of an image"));
  EXPECT_THAT(error("kernl \"k\""), HasSubstr("did you mean 'kernel'?"));
  EXPECT_EQ(error("param %x : *f32 param %x : i32"),
            "k:1:23: '%x', expected a name that is not a number and not taken");
  EXPECT_EQ(error("param %gridX : *f32"),
            "k:1:7: '%gridX', expected a name that is not a number and not taken");
  EXPECT_EQ(error("param %x : f64"), "k:1:12: 'f64', expected an element type such as f32");
  EXPECT_EQ(error("kernel \"k\"\n" + program + "param %x : i32"),
            "k:4:1: 'param' after a program, expected it before the programs");
  EXPECT_EQ(error("location \"k.py\" 1 1"), "k:1:10: \"k.py\", expected a file that was declared");
  EXPECT_EQ(error("file \"k.py\" location #1 1 1"), "k:1:22: file 1, expected less than 1");
  EXPECT_EQ(error("hash \"12\""), "k:1:6: \"12\", expected 32 hexadecimal digits");
  EXPECT_EQ(error("program gpu {\n}"), "k:1:9: 'gpu', expected 'aiv' or 'aic'");
  EXPECT_EQ(error("kernel \"k\" program aiv registers 6 {\n %6 = mov.i64 1\n}"),
            "k:1:20: 6 registers, expected at least 7");
  EXPECT_EQ(error("kernel \"k"), "k:1:10: the end of the line in a string, expected '\"'");
  EXPECT_THAT(error("kernel \"\\q\""), HasSubstr("an unknown escape"));
}

TEST(Assembly, LimitsNesting) {
  std::string open, close;
  for (int i = 0; i < 65; ++i) {
    open += "if %n {\n";
    close += "}\n";
  }
  EXPECT_THAT(errorOf(open + close), HasSubstr("a block 65 deep, expected at most 64"));
  EXPECT_EQ(errorOf(open.substr(8) + close.substr(2)), "no error");
  std::string many(200000, '{');
  EXPECT_NE(errorOf("repeat " + many), "no error");
}

TEST(Literal, FloatsComeBackBitByBit) {
  for (Element element : {Element::F16, Element::BF16})
    for (uint64_t bits = 0; bits < 0x10000; ++bits)
      EXPECT_EQ(sim::parseFloat(element, sim::floatLiteral(element, bits)), bits);
  std::mt19937_64 random(3);
  for (int i = 0; i < 100000; ++i) {
    uint64_t bits = random() >> 32;
    EXPECT_EQ(sim::parseFloat(Element::F32, sim::floatLiteral(Element::F32, bits)), bits);
  }
}

TEST(Literal, RoundsToNearestEven) {
  EXPECT_EQ(sim::parseFloat(Element::F16, "1.0"), 0x3c00u);
  EXPECT_EQ(sim::parseFloat(Element::F16, "-2.0"), 0xc000u);
  EXPECT_EQ(sim::parseFloat(Element::F16, "65504.0"), 0x7bffu);
  EXPECT_EQ(sim::parseFloat(Element::F16, "65520.0"), 0x7c00u); // half way to what would be next
  EXPECT_EQ(sim::parseFloat(Element::F16, "1e9"), 0x7c00u);
  EXPECT_EQ(sim::parseFloat(Element::F16, "1.00048828125"), 0x3c00u); // ties to even
  EXPECT_EQ(sim::parseFloat(Element::F16, "5.9604644775390625e-8"), 1u);
  EXPECT_EQ(sim::parseFloat(Element::F16, "6.103515625e-5"), 0x0400u);
  EXPECT_EQ(sim::parseFloat(Element::BF16, "3.140625"), 0x4049u);
  EXPECT_EQ(sim::parseFloat(Element::F32, "1e-3"), 0x3a83126fu);
  EXPECT_EQ(sim::parseFloat(Element::F32, "nan"), 0x7fc00000u);
  EXPECT_EQ(sim::parseFloat(Element::F32, "1e99"), 0x7f800000u);
  EXPECT_EQ(sim::parseFloat(Element::F32, "1"), std::nullopt);
  EXPECT_EQ(sim::parseFloat(Element::F16, "0x10000"), std::nullopt);
}

} // namespace
