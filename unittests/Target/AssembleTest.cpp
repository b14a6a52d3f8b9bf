//===- AssembleTest.cpp - assembled programs on the simulator ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "AssembleFixture.h"

using namespace mlir;

namespace kiln {
namespace {

/// The length of a Collatz sequence: a while loop with a branch inside.
TEST_F(AssembleTest, WhileLoopsAndBranches) {
  OwningOpRef<ModuleOp> module = parse(R"(
    func.func @collatz(%out: !tile.ptr<i64>, %start: i64) {
      %zero = arith.constant 0 : index
      %n0 = arith.constant 0 : i64
      %n1 = arith.constant 1 : i64
      %n2 = arith.constant 2 : i64
      %n3 = arith.constant 3 : i64
      %r:2 = scf.while (%x = %start, %steps = %n0) : (i64, i64) -> (i64, i64) {
        %go = arith.cmpi ne, %x, %n1 : i64
        scf.condition(%go) %x, %steps : i64, i64
      } do {
      ^bb0(%x: i64, %steps: i64):
        %bit = arith.andi %x, %n1 : i64
        %odd = arith.cmpi eq, %bit, %n1 : i64
        %next = scf.if %odd -> i64 {
          %m = arith.muli %x, %n3 : i64
          %p = arith.addi %m, %n1 : i64
          scf.yield %p : i64
        } else {
          %h = arith.divui %x, %n2 : i64
          scf.yield %h : i64
        }
        %more = arith.addi %steps, %n1 : i64
        scf.yield %next, %more : i64, i64
      }
      npu.sstore %r#1, %out[%zero] : i64, !tile.ptr<i64>
      return
    }
  )");
  ASSERT_TRUE(module);
  for (uint64_t start : {1, 2, 7, 27}) {
    uint64_t steps = 0;
    for (uint64_t x = start; x != 1; ++steps)
      x = x % 2 ? 3 * x + 1 : x / 2;
    std::vector<uint64_t> out(1);
    std::vector<sim::Binding> bindings = {memory(out), scalar(start)};
    run(*module, bindings);
    EXPECT_EQ(out[0], steps) << start;
  }
}

//===-----------------------------------------------------------------------------------------===//
// Tiles
//===-----------------------------------------------------------------------------------------===//

/// Tiles of 16 × 8 in a pitch of 16, in slots, with a short last tile: every element arrives once.
TEST_F(AssembleTest, SlotsWindowsAndDynamicSizes) {
  OwningOpRef<ModuleOp> module = parse(R"(
    func.func @twice(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %rows: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %two = arith.constant 2.0 : f32
      %ring = npu.alloc at 1024 : memref<3x16x16xf32, #npu.mem<ub>>
      scf.for %r = %c0 to %rows step %c16 iter_args(%n = %c0) -> (index) {
        %rest = arith.subi %rows, %r : index
        %count = arith.minsi %rest, %c16 : index
        %offset = arith.muli %r, %c8 : index
        %slot = npu.slot %ring[%n] : memref<3x16x16xf32, #npu.mem<ub>> -> memref<16x16xf32, #npu.mem<ub>>
        %tile = npu.window %slot[8] : memref<16x16xf32, #npu.mem<ub>>
          -> memref<16x8xf32, strided<[16, 1], offset: ?>, #npu.mem<ub>>
        npu.vdup %two, %tile : f32, memref<16x8xf32, strided<[16, 1], offset: ?>, #npu.mem<ub>>
        npu.barrier
        npu.load %x[%offset] sizes [%count, 8] strides [8, 1], %tile
          : !tile.ptr<f32>, memref<16x8xf32, strided<[16, 1], offset: ?>, #npu.mem<ub>>
        npu.barrier
        npu.vscalar <vmuls> %tile, %two, %tile : memref<16x8xf32, strided<[16, 1], offset: ?>, #npu.mem<ub>>,
          f32, memref<16x8xf32, strided<[16, 1], offset: ?>, #npu.mem<ub>>
        npu.barrier
        npu.store %tile, %y[%offset] sizes [%count, 8] strides [8, 1]
          : memref<16x8xf32, strided<[16, 1], offset: ?>, #npu.mem<ub>>, !tile.ptr<f32>
        npu.barrier
        %next = arith.addi %n, %c1 : index
        scf.yield %next : index
      }
      return
    }
  )");
  ASSERT_TRUE(module);
  for (uint64_t rows : {0, 1, 16, 77}) {
    std::vector<float> x(rows * 8 + 8), y(rows * 8 + 8, -1), expected = y;
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = float(i) + 0.5f;
    for (size_t i = 0; i < rows * 8; ++i)
      expected[i] = 2 * x[i];
    auto bind = [](std::vector<float> &data) {
      return sim::Binding{.data = reinterpret_cast<std::byte *>(data.data()),
                          .bytes = data.size() * sizeof(float)};
    };
    std::vector<sim::Binding> bindings = {bind(x), bind(y), scalar(rows)};
    run(*module, bindings);
    EXPECT_EQ(y, expected) << rows;
  }
}

TEST_F(AssembleTest, EveryCoreTakesItsPrograms) {
  OwningOpRef<ModuleOp> module = parse(R"(
    func.func @count(%out: !tile.ptr<i64>) attributes {npu.programs_per_iteration = 1 : i64} {
      %first = npu.core_index
      %step = npu.core_count
      %programs = tile.num_programs 0
      %end = arith.index_cast %programs : i32 to index
      scf.for %p = %first to %end step %step {
        %v = arith.index_cast %p : index to i64
        npu.sstore %v, %out[%p] : i64, !tile.ptr<i64>
      } {npu.persistent}
      return
    }
  )");
  ASSERT_TRUE(module);
  std::vector<uint64_t> out(101, 7), expected(101);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = i < 100 ? i : 7;
  std::vector<sim::Binding> bindings = {memory(out)};
  run(*module, bindings, {.x = 100});
  EXPECT_EQ(out, expected);
}

/// Trip count, offset, size and branch come from data; a run of time alone takes the same way,
/// and does not without the marks.
TEST_F(AssembleTest, MarkedInstructionsAreEnoughForControl) {
  OwningOpRef<ModuleOp> module = parse(R"(
    func.func @data_dependent(%x: !tile.ptr<i32> {tile.alias_set = 0 : i64},
                              %y: !tile.ptr<f32> {tile.alias_set = 1 : i64}) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %one = arith.constant 1 : i32
      %three = arith.constant 3 : i32
      %half = arith.constant 0.5 : f32
      %a = npu.alloc at 0 : memref<2x8xi32, #npu.mem<ub>>
      %b = npu.alloc at 64 : memref<8xi32, #npu.mem<ub>>
      %f = npu.alloc at 512 : memref<64xf32, #npu.mem<ub>>
      %s = npu.slot %a[%c1] : memref<2x8xi32, #npu.mem<ub>> -> memref<8xi32, #npu.mem<ub>>
      npu.load %x[%c0] sizes [8] strides [1], %s : !tile.ptr<i32>, memref<8xi32, #npu.mem<ub>>
      npu.barrier
      npu.vscalar <vadds> %s, %one, %b : memref<8xi32, #npu.mem<ub>>, i32, memref<8xi32, #npu.mem<ub>>
      npu.barrier
      %n = npu.sload %b[%c0] : memref<8xi32, #npu.mem<ub>> -> i32
      %trips = arith.index_cast %n : i32 to index
      scf.for %i = %c0 to %trips step %c1 {
        %o = npu.sload %b[%i] : memref<8xi32, #npu.mem<ub>> -> i32
        %offset = arith.index_cast %o : i32 to index
        %big = arith.cmpi sgt, %o, %three : i32
        scf.if %big {
          npu.load %y[%offset] sizes [%offset] strides [1], %f : !tile.ptr<f32>, memref<64xf32, #npu.mem<ub>>
          npu.barrier
          npu.vscalar <vmuls> %f, %half, %f : memref<64xf32, #npu.mem<ub>>, f32, memref<64xf32, #npu.mem<ub>>
          npu.barrier
          npu.store %f, %y[%offset] sizes [%offset] strides [1] : memref<64xf32, #npu.mem<ub>>, !tile.ptr<f32>
          npu.barrier
        }
      }
      return
    }
  )");
  ASSERT_TRUE(module);
  FailureOr<image::Image> image = npu::assemble(*module->getOps<func::FuncOp>().begin(), *machine);
  ASSERT_TRUE(succeeded(image));
  auto hashOf = [&](const image::Image &image, sim::Mode mode) {
    std::vector<int32_t> x = {5, 2, 9, 3, 7, 1, 0, 4};
    std::vector<float> y(128, 1.0f);
    std::vector<sim::Binding> bindings = {
        {.data = reinterpret_cast<std::byte *>(x.data()), .bytes = x.size() * 4},
        {.data = reinterpret_cast<std::byte *>(y.data()), .bytes = y.size() * 4}};
    sim::Options options;
    options.mode = mode;
    options.check = false;
    options.controlTrace = true;
    auto report = sim::simulate(image, *machine, bindings, {}, options);
    EXPECT_TRUE(report.ok());
    return report.ok() ? report->controlHash : 0;
  };
  EXPECT_EQ(hashOf(*image, sim::Mode::FunctionalTimed), hashOf(*image, sim::Mode::TimingOnly));
  image::Image unmarked = *image;
  unsigned marks = 0;
  for (image::Instruction &instruction : unmarked.programs[0].body) {
    marks += (instruction.flags & image::FeedsControl) != 0;
    instruction.flags &= uint8_t(~image::FeedsControl);
  }
  EXPECT_EQ(marks, 4u); // the load, the addition, both reads
  EXPECT_NE(hashOf(*image, sim::Mode::FunctionalTimed), hashOf(unmarked, sim::Mode::TimingOnly));
}

//===-----------------------------------------------------------------------------------------===//
// Places
//===-----------------------------------------------------------------------------------------===//

TEST_F(AssembleTest, InlinedCallsKeepTheirStack) {
  OwningOpRef<ModuleOp> module = parse(R"(
    func.func @places(%out: !tile.ptr<i64>) {
      %zero = arith.constant 0 : index
      %n = arith.constant 1 : i64
      npu.sstore %n, %out[%zero] : i64, !tile.ptr<i64>
        loc(callsite("inner.py":7:3 at callsite("outer.py":20:5 at "kernel.py":30:9)))
      npu.sstore %n, %out[%zero] : i64, !tile.ptr<i64> loc("name"("kernel.py":31:1))
      npu.sstore %n, %out[%zero] : i64, !tile.ptr<i64> loc(unknown)
      npu.sstore %n, %out[%zero] : i64, !tile.ptr<i64> loc(fused[unknown, "kernel.py":31:1])
      return
    }
  )");
  ASSERT_TRUE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  FailureOr<image::Image> image = npu::assemble(function, *machine);
  ASSERT_TRUE(succeeded(image));
  const std::vector<image::Instruction> &body = image->programs[0].body;
  ASSERT_EQ(body.size(), 4u);
  auto line = [&](uint32_t index) {
    const image::Location &place = image->locations[index];
    return image->files[place.file] + ":" + std::to_string(place.line);
  };
  uint32_t inner = body[0].location, outer = image->locations[inner].caller;
  uint32_t kernel = image->locations[outer].caller;
  EXPECT_EQ(line(inner), "inner.py:7");
  EXPECT_EQ(line(outer), "outer.py:20");
  EXPECT_EQ(line(kernel), "kernel.py:30");
  EXPECT_EQ(image->locations[kernel].caller, 0u);
  EXPECT_EQ(line(body[1].location), "kernel.py:31");
  EXPECT_EQ(body[2].location, 0u);
  EXPECT_EQ(body[3].location, body[1].location);
}

} // namespace
} // namespace kiln
