//===- SimTest.cpp - small kernels to simulate -----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "SimTest.h"

#include "sim/asm/Assembly.h"

#include <algorithm>

namespace kiln::sim::test {

const machine::Machine &chip() {
  static const machine::MachineRef machine = *machine::stockMachine("ascend910b");
  return *machine;
}

machine::Machine chipWith(std::initializer_list<std::pair<const char *, double>> changes) {
  std::string text;
  for (const machine::StockMachine &stock : machine::stockMachines())
    if (stock.name == "ascend910b")
      text = stock.text;
  for (auto [path, value] : changes) {
    auto edited = machine::editMachineText(text, path, value);
    EXPECT_TRUE(edited.ok()) << edited.error().message();
    if (edited)
      text = *edited;
  }
  auto machine = machine::parseMachine(text, "edited");
  EXPECT_TRUE(machine.ok()) << machine.error().message();
  return *machine;
}

image::Image imageOf(const std::string &text) {
  auto image = assemble(text, "test");
  EXPECT_TRUE(image.ok()) << image.error().message();
  return image ? std::move(*image) : image::Image{};
}

image::Image vectorProgram(const std::string &lines) {
  return imageOf("kernel \"test\"\n"
                 "param %x : *f32  param %y : *f32  param %z : *f32 written  param %n : i32\n"
                 "program aiv {\n" +
                 lines + "\n}\n");
}

Arrays::Arrays(size_t count) : x(count), y(count), z(count, -1) {
  for (size_t i = 0; i < count; ++i) {
    x[i] = float(i % 1000) * 0.5f;
    y[i] = float(i % 77) - 30.25f;
  }
}

std::vector<Binding> Arrays::bindings() {
  auto bind = [](std::vector<float> &values, bool readOnly) {
    return Binding{reinterpret_cast<std::byte *>(values.data()), values.size() * sizeof(float),
                   readOnly, 0};
  };
  return {bind(x, true), bind(y, true), bind(z, false), Binding{nullptr, 0, false, x.size()}};
}

Report run(const image::Image &image, std::span<const Binding> bindings, uint32_t grid,
           const Options &options, const machine::Machine &machine) {
  auto report = simulate(image, machine, bindings, Grid{grid, 1, 1}, options);
  EXPECT_TRUE(report.ok()) << report.error().message();
  return report ? std::move(*report) : Report{};
}

namespace {

std::string programLoop(unsigned tile, const std::string &before, const std::string &body,
                        const std::string &after) {
  const std::string size = std::to_string(tile);
  return "%block = const.i64 " + size + "\n%last = sub.i64 %block, 1\n" +
         "%padded = add.i64 %n, %last\n%count = divs.i64 %padded, %block\n" + before +
         "loop %i = %coreIndex to %count step %coreCount persistent {\n"
         "  %first = mul.i64 %i, %block\n"
         "  %left = sub.i64 %n, %first\n"
         "  %size = mins.i64 %left, %block\n"
         "  %bytes = mul.i64 %first, 4\n"
         "  %px = add.i64 %x, %bytes\n"
         "  %py = add.i64 %y, %bytes\n"
         "  %pz = add.i64 %z, %bytes\n" +
         body + "}\n" + after;
}

} // namespace

image::Image vectorAdd(unsigned tile) {
  const std::string a = std::to_string(tile * 4), b = std::to_string(tile * 8);
  return vectorProgram(programLoop(tile, "",
                                   "load UB[0] f32 [%size] <- GM[%px] f32 [%size]\n"
                                   "load UB[" +
                                       a +
                                       "] f32 [%size] <- GM[%py] f32 [%size]\n"
                                       "set_flag MTE2 -> V, 0\n"
                                       "wait_flag MTE2 -> V, 0\n"
                                       "vadd UB[" +
                                       b + "] f32 [%size], UB[0] f32 [%size], UB[" + a +
                                       "] f32 [%size]\n"
                                       "set_flag V -> MTE3, 0\n"
                                       "wait_flag V -> MTE3, 0\n"
                                       "store GM[%pz] f32 [%size] <- UB[" +
                                       b +
                                       "] f32 [%size]\n"
                                       "pipe_barrier all\n",
                                   ""));
}

image::Image doubleBufferedAdd(unsigned tile) {
  // Flags with id 0 and 1 say which buffer. V -> MTE2: its inputs were read; MTE3 -> V: its result
  // was stored. They start raised and are taken down at the end.
  const std::string bytes = std::to_string(tile * 4);
  std::string before = "%slot = const.i64 0\n%offset = const.i64 " + bytes + "\n";
  std::string after;
  for (const char *id : {"0", "1"}) {
    before += std::string("set_flag V -> MTE2, ") + id + "\nset_flag MTE3 -> V, " + id + "\n";
    after += std::string("wait_flag V -> MTE2, ") + id + "\nwait_flag MTE3 -> V, " + id + "\n";
  }
  const std::string body = "  %at = mul.i64 %slot, %offset\n"
                           "  %bx = mov.i64 %at\n"
                           "  %by = add.i64 %at, " +
                           std::to_string(tile * 8) +
                           "\n"
                           "  %bz = add.i64 %at, " +
                           std::to_string(tile * 16) +
                           "\n"
                           "  wait_flag V -> MTE2, %slot\n"
                           "  load UB[%bx] f32 [%size] <- GM[%px] f32 [%size]\n"
                           "  load UB[%by] f32 [%size] <- GM[%py] f32 [%size]\n"
                           "  set_flag MTE2 -> V, %slot\n"
                           "  wait_flag MTE2 -> V, %slot\n"
                           "  wait_flag MTE3 -> V, %slot\n"
                           "  vadd UB[%bz] f32 [%size], UB[%bx] f32 [%size], UB[%by] f32 [%size]\n"
                           "  set_flag V -> MTE2, %slot\n"
                           "  set_flag V -> MTE3, %slot\n"
                           "  wait_flag V -> MTE3, %slot\n"
                           "  store GM[%pz] f32 [%size] <- UB[%bz] f32 [%size]\n"
                           "  set_flag MTE3 -> V, %slot\n"
                           "  %slot = xor.i64 %slot, 1\n";
  return vectorProgram(programLoop(tile, before, body, after));
}

uint32_t programsOf(size_t count, unsigned tile) { return uint32_t((count + tile - 1) / tile); }

Options functional() {
  Options options;
  options.mode = Mode::Functional;
  return options;
}

Options random(uint64_t seed) {
  Options options = functional();
  options.order = seed;
  return options;
}

Options timed() { return {}; }

Options timingOnly() {
  Options options;
  options.mode = Mode::TimingOnly;
  return options;
}

} // namespace kiln::sim::test
