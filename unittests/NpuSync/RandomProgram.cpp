//===- RandomProgram.cpp - structured npu programs, at random ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "RandomProgram.h"

#include <random>
#include <vector>

namespace kiln::test {
namespace {

constexpr unsigned pointers = 4;
constexpr const char *tileType = "memref<64xf32, #npu.mem<ub>>";
constexpr const char *rowsType = "memref<4x16xf32, #npu.mem<ub>>";
constexpr const char *rowType = "memref<16xf32, #npu.mem<ub>>";

class Generator {
public:
  explicit Generator(uint64_t seed) : random(seed) {}

  RandomProgram run() {
    for (unsigned i = 0, count = 2 + below(3); i < count; ++i)
      makeBuffer();
    for (unsigned i = 0, count = below(3); i < count; ++i)
      makeRing();
    block(0, {});
    RandomProgram program;
    program.trips = trips;
    program.conditions = conditions;
    std::string arguments;
    for (unsigned i = 0; i < trips; ++i)
      arguments += "%trip" + std::to_string(i) + ": index, ";
    for (unsigned i = 0; i < conditions; ++i)
      arguments += "%cond" + std::to_string(i) + ": i1, ";
    for (unsigned i = 0; i < pointers; ++i)
      arguments += "%p" + std::to_string(i) +
                   ": !tile.ptr<f32> {tile.alias_set = " + std::to_string(i < 2 ? 0 : i) +
                   " : i64}" + (i + 1 < pointers ? ", " : "");
    program.text = "func.func @program(" + arguments +
                   ") attributes {tile.kernel} {\n  %c0 = arith.constant 0 : index\n"
                   "  %c1 = arith.constant 1 : index\n  %c64 = arith.constant 64 : index\n"
                   "  %c48 = arith.constant 48 : index\n" +
                   allocs + body + "  return\n}\n";
    return program;
  }

private:
  /// What a block sees: names of counters of the loops around it, innermost last.
  using Counters = std::vector<std::string>;

  unsigned below(unsigned bound) { return unsigned(random() % bound); }
  bool chance(unsigned percent) { return below(100) < percent; }
  std::string fresh(const char *stem) { return "%" + std::string(stem) + std::to_string(names++); }
  void line(unsigned depth, const std::string &text) {
    body += std::string(2 * depth + 2, ' ') + text + "\n";
  }

  /// Addresses are coarse, so that some share bytes.
  void makeBuffer() {
    std::string name = fresh("buffer");
    allocs += "  " + name + " = npu.alloc at " + std::to_string(128 * below(10)) + " : " +
              tileType + "\n";
    buffers.push_back(name);
  }
  void makeRing() {
    std::string name = fresh("ring");
    unsigned depth = 2 + below(2);
    std::string type = "memref<" + std::to_string(depth) + "x64xf32, #npu.mem<ub>>";
    allocs += "  " + name + " = npu.alloc at " + std::to_string(4096 + 1024 * below(3)) + " : " +
              type + "\n";
    rings.push_back({name, type});
  }

  /// A buffer, or a slot of a ring where there is a counter.
  std::string tile(unsigned depth, const Counters &counters) {
    if (rings.empty() || counters.empty() || chance(40))
      return buffers[below(unsigned(buffers.size()))];
    const auto &[ring, type] = rings[below(unsigned(rings.size()))];
    std::string number = counters.back();
    if (chance(20)) {
      number = fresh("next");
      line(depth, number + " = arith.addi " + counters.back() + ", %c1 : index");
    }
    std::string slot = fresh("slot");
    line(depth, slot + " = npu.slot " + ring + "[" + number + "] : " + type + " -> " + tileType);
    return slot;
  }

  /// A row of a tile: a known one, or by a counter, or from any element on.
  std::string row(unsigned depth, const Counters &counters) {
    std::string whole = tile(depth, counters), name = fresh("row");
    if (counters.empty() || chance(50)) {
      line(depth, name + " = npu.window " + whole + "[" + std::to_string(16 * below(4)) +
                      "] : " + tileType + " -> " + rowType);
      return name;
    }
    const std::string &counter = counters[below(unsigned(counters.size()))];
    if (chance(40)) {
      std::string place = fresh("place");
      line(depth, place + " = arith.remui " + counter + ", %c48 : index");
      line(depth, name + " = npu.window " + whole + "[0 + " + place + "] : " + tileType + " -> " +
                      rowType);
      return name;
    }
    std::string rows = fresh("rows");
    line(depth, rows + " = npu.window " + whole + "[0] : " + tileType + " -> " + rowsType);
    line(depth,
         name + " = npu.slot " + rows + "[" + counter + "] : " + rowsType + " -> " + rowType);
    return name;
  }

  std::string pointer() { return "%p" + std::to_string(below(pointers)); }

  void instruction(unsigned depth, const Counters &counters) {
    bool isRow = chance(30);
    auto operand = [&] { return isRow ? row(depth, counters) : tile(depth, counters); };
    std::string a = operand(), b = operand();
    std::string type = isRow ? rowType : tileType, sizes = isRow ? "[16]" : "[64]";
    switch (below(6)) {
    case 0:
    case 1:
      line(depth, "npu.load " + pointer() + "[%c0] sizes " + sizes + " strides [1], " + a +
                      " : <f32>, " + type);
      break;
    case 2:
      line(depth, "npu.store " + a + ", " + pointer() + "[%c0] sizes " + sizes +
                      " strides [1] : " + type + ", <f32>");
      break;
    case 3:
      line(depth, fresh("s") + " = npu.sload " + a + "[%c1] : " + type + " -> f32");
      break;
    default:
      line(depth, "npu.vunary <vexp> " + a + ", " + b + " : " + type + ", " + type);
    }
  }

  void loop(unsigned depth, const Counters &counters) {
    std::string trip = "%trip" + std::to_string(trips++);
    std::string counter = fresh("n"), result = fresh("r"), next = fresh("m");
    std::string start = counters.empty() ? "%c0" : counters.back();
    line(depth, result + " = scf.for " + fresh("i") + " = %c0 to " + trip + " step %c1 iter_args(" +
                    counter + " = " + start + ") -> (index) {");
    Counters inner = counters;
    inner.push_back(counter);
    std::string last = block(depth + 1, inner);
    // The counter goes on where an inner loop left it, or by one.
    if (last.empty()) {
      line(depth + 1, next + " = arith.addi " + counter + ", %c1 : index");
      last = next;
    }
    line(depth + 1, "scf.yield " + last + " : index");
    line(depth, chance(15) && depth == 0 ? "} {npu.persistent}" : "}");
    lastResult = result;
  }

  void branch(unsigned depth, const Counters &counters) {
    line(depth, "scf.if %cond" + std::to_string(conditions++) + " {");
    block(depth + 1, counters);
    if (chance(50)) {
      line(depth, "} else {");
      block(depth + 1, counters);
    }
    line(depth, "}");
  }

  /// The result of a loop of the block that carries the counter of the loop around on, or nothing.
  std::string block(unsigned depth, const Counters &counters) {
    std::string on;
    unsigned budget = 1 + below(depth == 0 ? 5 : 4);
    for (unsigned i = 0; i < budget; ++i) {
      if (depth < 3 && trips < 3 && chance(30)) {
        loop(depth, counters);
        if (on.empty())
          on = lastResult;
      } else if (depth < 3 && conditions < 3 && chance(15)) {
        branch(depth, counters);
      } else {
        instruction(depth, counters);
      }
    }
    return on;
  }

  std::mt19937_64 random;
  std::string allocs, body, lastResult;
  std::vector<std::string> buffers;
  std::vector<std::pair<std::string, std::string>> rings;
  unsigned names = 0, trips = 0, conditions = 0;
};

} // namespace

RandomProgram randomProgram(uint64_t seed) { return Generator(seed).run(); }

} // namespace kiln::test
