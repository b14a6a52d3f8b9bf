//===- KernelTest.cpp - compiled kernels follow the kernel ABI -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "KernelRunner.h"

#include "gtest/gtest.h"

using namespace kiln::test;

namespace {

TEST(KernelAbi, ScalarAddPerProgram) {
  Kernel kernel(R"(
    func.func @add(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
      %i = tile.program_id 0
      %in = arith.cmpi slt, %i, %n : i32
      %px = tile.addptr %x, %i : !tile.ptr<f32>, i32
      %py = tile.addptr %y, %i : !tile.ptr<f32>, i32
      %v = tile.ptr_load %px mask %in : !tile.ptr<f32> mask i1 -> f32
      %s = arith.addf %v, %v : f32
      tile.ptr_store %py, %s mask %in : !tile.ptr<f32>, f32 mask i1
      return
    })");
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  EXPECT_EQ(kernel.info().abiVersion, uint32_t(KILN_KERNEL_ABI_VERSION));
  EXPECT_EQ(kernel.info().argCount, 3u);
  EXPECT_EQ(kernel.info().scratchBytes, 0u);
  std::vector<float> x{1, 2, 3, 4, 5}, y(5, -1);
  EXPECT_EQ(kernel.run({slot(x.data()), slot(y.data()), slot(4)}, {5, 1, 1}, 1, 5), 0);
  EXPECT_EQ(y, (std::vector<float>{-1, 4, 6, 8, -1}));
}

TEST(KernelAbi, ProgramsAreNumberedXFirst) {
  Kernel kernel(R"(
    func.func @ids(%out: !tile.ptr<i32>) attributes {tile.kernel} {
      %x = tile.program_id 0
      %y = tile.program_id 1
      %z = tile.program_id 2
      %nx = tile.num_programs 0
      %ny = tile.num_programs 1
      %zy = arith.muli %z, %ny : i32
      %r = arith.addi %zy, %y : i32
      %rx = arith.muli %r, %nx : i32
      %p = arith.addi %rx, %x : i32
      %to = tile.addptr %out, %p : !tile.ptr<i32>, i32
      %c100 = arith.constant 100 : i32
      %a = arith.muli %z, %c100 : i32
      %b = arith.addi %a, %y : i32
      %c = arith.muli %b, %c100 : i32
      %v = arith.addi %c, %x : i32
      tile.ptr_store %to, %v : !tile.ptr<i32>, i32
      return
    })");
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  std::vector<int> out(2 * 3 * 4, -1);
  // Ranges that begin in the middle of a row.
  EXPECT_EQ(kernel.run({slot(out.data())}, {2, 3, 4}, 0, 5), 0);
  EXPECT_EQ(kernel.run({slot(out.data())}, {2, 3, 4}, 5, 24), 0);
  for (int p = 0; p != 24; ++p)
    EXPECT_EQ(out[p], p / 6 * 10000 + p / 2 % 3 * 100 + p % 2) << p;
  EXPECT_EQ(kernel.run({slot(out.data())}, {0, 0, 0}, 0, 0), 0);
}

TEST(KernelAbi, ArgumentsOfEveryType) {
  Kernel kernel(R"(
    func.func @args(%out: !tile.ptr<f64>, %a: i1, %b: i8, %c: i16, %d: i32, %e: i64, %f: f16, %g: bf16,
                    %h: f32, %i: f64, %scratch: !llvm.ptr {kiln.scratch})
        attributes {tile.kernel, kiln.scratch_bytes = 192 : i64} {
      %a1 = arith.uitofp %a : i1 to f64
      %b1 = arith.sitofp %b : i8 to f64
      %c1 = arith.sitofp %c : i16 to f64
      %d1 = arith.sitofp %d : i32 to f64
      %e1 = arith.sitofp %e : i64 to f64
      %f1 = arith.extf %f : f16 to f64
      %g0 = arith.extf %g : bf16 to f32
      %g1 = arith.extf %g0 : f32 to f64
      %h1 = arith.extf %h : f32 to f64
      %s0 = arith.addf %a1, %b1 : f64
      %s1 = arith.addf %s0, %c1 : f64
      %s2 = arith.addf %s1, %d1 : f64
      %s3 = arith.addf %s2, %e1 : f64
      %s4 = arith.addf %s3, %f1 : f64
      %s5 = arith.addf %s4, %g1 : f64
      %s6 = arith.addf %s5, %h1 : f64
      %s7 = arith.addf %s6, %i : f64
      llvm.store %s7, %scratch : f64, !llvm.ptr
      %r = llvm.load %scratch : !llvm.ptr -> f64
      tile.ptr_store %out, %r : !tile.ptr<f64>, f64
      return
    })");
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  EXPECT_EQ(kernel.info().argCount, 10u);
  EXPECT_EQ(kernel.info().scratchBytes, 192u);
  double out = 0;
  EXPECT_EQ(kernel.run({slot(&out), 1, slot(int64_t(-2)), slot(int64_t(300)), slot(int64_t(-70000)),
                        slot(int64_t(1) << 40), 0x3800 /* 0.5 */, 0x3e80 /* 0.25 */, slot(0.125f),
                        slot(1e-3)}),
            0);
  EXPECT_EQ(out, 1. - 2 + 300 - 70000 + double(int64_t(1) << 40) + 0.5 + 0.25 + 0.125 + 1e-3);
}

} // namespace
