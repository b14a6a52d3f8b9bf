//===- VerifyTest.cpp - what a machine refuses --------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "image/Verify.h"

#include "RandomImage.h"
#include "machine/MachineFile.h"
#include "sim/asm/Assembly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::image;
using testing::HasSubstr;

namespace {

const machine::Machine &chip() {
  static const machine::MachineRef machine = [] {
    Result<machine::MachineRef> found = machine::stockMachine("ascend910b");
    EXPECT_TRUE(found.ok()) << found.error().message();
    return std::move(*found);
  }();
  return *machine;
}

std::string verdict(std::string_view core, const std::string &line,
                    const machine::Machine &machine = chip()) {
  std::string text = "kernel \"k\" param %x : *f32 param %n : i32\nprogram " + std::string(core) +
                     " {\n" + line + " @k.py:3:5\n}\n";
  Result<Image> image = sim::assemble(text, "k");
  if (!image)
    return "assembler: " + image.error().message();
  Result<void> legal = checkAgainst(*image, machine);
  return legal ? "legal" : legal.error().message();
}

struct Case {
  std::string_view core, line, message; ///< a part of the message
};

TEST(ImageVerify, TakesGoodImages) {
  for (const Image &image : {test::vectorAdd(), test::manyInstructions()}) {
    Result<void> legal = checkAgainst(image, chip());
    EXPECT_TRUE(legal.ok()) << legal.error().message();
  }
}

TEST(ImageVerify, SaysWhere) {
  EXPECT_EQ(verdict("aiv", "vadd UB[0] bf16 [8], UB[0] bf16 [8], UB[0] bf16 [8]"),
            "kernel 'k' on ascend910b: program AIV, instruction 0 (vadd, k.py:3:5): elements of "
            "bf16, expected i16, i32, f16, f32");
}

TEST(ImageVerify, Legal) {
  for (std::string line : {
           "load UB[64] f32 [8, 8] <- GM[%x] f32 [8, 8] stride [400, 4]",
           "load UB[64] f32 [3] <- GM[%x] f32 [3]",
           "load UB[64] f32 [%n] <- GM[%x] f32 [%n]",
           "load UB[196320] f32 [8] <- GM[%x] f32 [8]",
           "store.add GM[%x] f32 [8] <- UB[0] f32 [8]",
           "copy UB[0] i8 [64] <- UB[64] i8 [64]",
           "vadd UB[0] f32 [4, 8], UB[0] f32 [4, 8], UB[0] f32 [4, 8] stride [0, 4]",
           "vadd UB[%n] f32 [8], UB[0] f32 [8], UB[0] f32 [8]",
           "vexp UB[0] f32 [%n] stride [8], UB[0] f32 [%n] stride [8]", // %n may be 1
           "vcmp.eq UB[0] i1 [64], UB[256] i32 [64], UB[512] i32 [64]",
           "vconv.rint UB[0] f16 [64], UB[256] f32 [64]",
           "vcadd UB[4] f32 [2, 1], UB[256] f32 [2, 64]",
           "vdup UB[3] f32 [0], 0.0", // nothing is written
           "set_flag V -> S, 7",
           "set_flag V -> MTE3, %n",
           "pipe_barrier V",
           "pipe_barrier all",
           "cross_set MTE3, pair, 15",
           "sync_all",
           "%9 = sload UB[4] f32 [1]",
           "%9 = sload GM[%x] i64 [1]",
           "%9 = satomic.add GM[%x] i32 [1], 1",
       })
    EXPECT_EQ(verdict("aiv", line), "legal") << line;
  for (std::string line : {"load L1[32] f16 [64] <- GM[%x] f16 [64]", "pipe_barrier M",
                           "cross_wait FIX, core, 3", "%9 = sload GM[%x] f32 [1]"})
    EXPECT_EQ(verdict("aic", line), "legal") << line;
}

TEST(ImageVerify, Refused) {
  for (const Case &bad : std::initializer_list<Case>{
           {"aic", "vadd UB[0] f32 [8], UB[0] f32 [8], UB[0] f32 [8]", "AIC does not have"},
           {"aiv", "vconv.rint UB[0] f32 [8], UB[32] bf16 [8]", "rounding 'rint' from bf16 to f32"},
           {"aiv", "vconv UB[0] i8 [32], UB[64] f32 [32]", "a conversion from f32 to i8"},
           {"aiv", "vcmp.lt UB[0] i1 [64], UB[256] i32 [64], UB[512] i32 [64]",
            "compared by 'lt', expected 'eq'"},
           {"aiv", "vcmp.lt UB[0] i1 [64], UB[256] i8 [64], UB[512] i8 [64]", "expected f16, f32"},
           {"aiv", "store.add GM[%x] u32 [8] <- UB[0] u32 [8]", "elements of u32"},
           {"aiv", "%9 = satomic.max GM[%x] f32 [1], 1.0", "elements of f32"},
           {"aiv", "load L1[0] f32 [8] <- GM[%x] f32 [8]",
            "a way from GM to L1, expected GM to UB"},
           {"aiv", "load UB[0] f32 [8] <- UB[32] f32 [8]", "a way from UB to UB"},
           {"aiv", "store UB[0] f32 [8] <- GM[%x] f32 [8]", "a way from GM to UB"},
           {"aic", "store GM[%x] f32 [8] <- L1[0] f32 [8]", "none: an AIC has no MTE3"},
           {"aiv", "vexp UB[0] f32 [8], GM[%x] f32 [8]", "operand 1 in GM, expected UB"},
           {"aic", "%9 = sload UB[0] f32 [1]", "an element of UB, expected GM"},
           {"aiv", "%9 = satomic.add UB[0] i32 [1], 1", "an element of UB, expected GM"},
           {"aiv", "set_flag M -> V, 0", "pipe M, expected one that an AIV has"},
           {"aiv", "set_flag V -> V, 0", "a flag from V to itself"},
           {"aiv", "set_flag MTE2 -> V, 8", "flag id 8, expected 0 to 7"},
           {"aiv", "wait_flag MTE2 -> V, -1", "flag id -1"},
           {"aiv", "pipe_barrier FIX", "pipe FIX"},
           {"aiv", "cross_set FIX, all, 0", "pipe FIX"},
           {"aiv", "cross_set MTE3, all, 16", "flag id 16, expected 0 to 15"},
           {"aic", "cross_set FIX, pair, 0", "mode 'pair' on an AIC"},
           {"aiv", "vadd UB[4] f32 [8], UB[0] f32 [8], UB[0] f32 [8]",
            "the destination at byte 4 of UB, expected a multiple of 32"},
           {"aiv", "vadd UB[0] f32 [2, 8], UB[0] f32 [2, 8] stride [36, 4], UB[0] f32 [2, 8]",
            "operand 1 with rows every 36 bytes, expected a multiple of 32"},
           {"aiv", "vexp UB[0] f32 [8], UB[0] f32 [8] stride [8]",
            "elements every 8 bytes, expected adjacent ones, every 4"},
           {"aiv", "vexp UB[0] f32 [8], UB[0] f32 [9]", "operand 1 of 9 elements, expected 8"},
           {"aiv", "vexp UB[0] f32 [8], UB[0] f32 [0]", "operand 1 without elements"},
           {"aiv", "vsel UB[0] f32 [8], UB[64] i1 [8], UB[0] f32 [8], UB[0] f32 [1, 16]",
            "operand 3 of 1x16 elements, expected 8"},
           {"aiv", "load UB[0] f32 [4, 4] stride [32, 4] <- GM[%x] f32 [4, 4]",
            "several rows of 16 bytes, expected rows of at least 32"},
           {"aiv",
            "load UB[0] f32 [2, 2305843009213694016] stride [32, 4] <- "
            "GM[%x] f32 [2, 2305843009213694016] stride [32, 4]",
            "of UB, expected within 0 to 196352"},
           {"aiv", "load UB[196320] f32 [9] <- GM[%x] f32 [9]",
            "bytes 196320 to 196356 of UB, expected within 0 to 196352"},
           {"aiv", "vexp UB[0] f32 [8], UB[-32] f32 [8]", "bytes -32 to 0 of UB"},
           {"aiv", "vexp UB[0] f32 [2, 8], UB[0] f32 [2, 8] stride [-32, 4]",
            "bytes -32 to 32 of UB"},
           {"aiv", "vexp UB[0] f32 [4, 8], UB[0] f32 [4, 8] stride [4611686018427387872, 4]",
            "bytes 0 to 9223372036854775807 of UB"},
           {"aiv", "vcmp.lt UB[16] i1 [64], UB[256] f32 [64], UB[512] f32 [64]",
            "the destination at byte 16"},
           {"aiv", "vcadd UB[2] f32 [2, 1], UB[256] f32 [2, 64]", "at byte 2 of UB"},
           {"aiv", "%9 = sload UB[2] f32 [1]", "at byte 2 of UB, expected a multiple of 4"},
           {"aiv", "%9 = sload UB[0] f32 [2]", "of 2 elements, expected one"},
       })
    EXPECT_THAT(verdict(bad.core, std::string(bad.line)), HasSubstr(bad.message)) << bad.line;
}

TEST(ImageVerify, LimitsWorkspaces) {
  Image image = test::vectorAdd();
  image.workspaces = {{uint64_t(1) << 29}, {uint64_t(1) << 29}};
  Result<void> legal = checkAgainst(image, chip());
  ASSERT_FALSE(legal.ok());
  EXPECT_THAT(legal.error().message(), HasSubstr("1073741824 bytes per core, expected at most"));
}

TEST(ImageVerify, FollowsTheChip) {
  machine::Machine small = chip();
  small.memories[size_t(machine::Memory::UB)].usableBytes = 1024;
  std::string line = "vdup UB[1024] f32 [8], 0.0";
  EXPECT_EQ(verdict("aiv", line), "legal");
  EXPECT_THAT(verdict("aiv", line, small), HasSubstr("within 0 to 1024"));
  small.opcodes[size_t(machine::Opcode::VDup)].present = false;
  EXPECT_THAT(verdict("aiv", line, small), HasSubstr("that ascend910b does not have"));
  small.vectorsPerCore = 0;
  EXPECT_THAT(verdict("aiv", line, small), HasSubstr("of which the chip has none"));
}

} // namespace
