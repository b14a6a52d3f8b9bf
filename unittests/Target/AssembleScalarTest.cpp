//===- AssembleScalarTest.cpp - random scalar code --------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The code is run on the simulator and folded by MLIR: both have to agree.
//
//===-----------------------------------------------------------------------------------------===//

#include "AssembleFixture.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <random>

using namespace mlir;

namespace kiln {
namespace {

/// Straight code over named values, by type.
class ScalarCode {
public:
  explicit ScalarCode(unsigned seed) : random(seed) {}

  struct Input {
    std::string name, type;
    int64_t value;
  };
  std::vector<Input> inputs;
  std::string body;
  std::vector<std::pair<std::string, std::string>> results; ///< name, type

  void generate() {
    for (const char *type : {"i8", "i16", "i32", "i64", "i1"})
      for (int i = 0; i < 3; ++i)
        addInput(type);
    for (int i = 0; i < 40; ++i)
      addOp();
  }

private:
  static unsigned width(const std::string &type) { return unsigned(std::stoi(type.substr(1))); }

  uint64_t below(uint64_t bound) { return random() % bound; }
  template <typename T> const T &choose(const std::vector<T> &list) {
    return list[below(list.size())];
  }

  void addInput(const std::string &type) {
    unsigned bits = width(type);
    // Small numbers and numbers near the ends are where things go wrong.
    int64_t value = below(3) == 0 ? int64_t(below(5)) - 2
                    : below(2)    ? int64_t(random())
                                  : int64_t((uint64_t(1) << (bits - 1)) - below(3));
    if (bits < 64)
      value = bits == 1 ? value & 1 : int64_t(uint64_t(value) << (64 - bits)) >> (64 - bits);
    std::string name = "%in" + std::to_string(inputs.size());
    inputs.push_back({name, type, value});
    values[type].push_back(name);
  }

  std::string define(const std::string &type, const std::string &code) {
    std::string name = "%v" + std::to_string(results.size());
    body += "  " + name + " = " + code + "\n";
    values[type].push_back(name);
    results.push_back({name, type});
    return name;
  }

  void addOp() {
    static const std::vector<std::string> types = {"i8", "i16", "i32", "i64"};
    static const std::vector<std::string> binary = {
        "addi",       "subi",      "muli",      "divsi", "divui", "remsi", "remui",
        "andi",       "ori",       "xori",      "minsi", "maxsi", "minui", "maxui",
        "floordivsi", "ceildivsi", "ceildivui", "shli",  "shrsi", "shrui"};
    static const std::vector<std::string> relations = {"eq",  "ne",  "slt", "sle", "sgt",
                                                       "sge", "ult", "ule", "ugt", "uge"};
    const std::string &type = choose(types), &other = choose(types);
    switch (below(6)) {
    case 0:
    case 1: {
      std::string op = choose(binary), rhs = choose(values[type]);
      bool divides = op.find("div") != op.npos || op.find("rem") != op.npos;
      if (divides) // never by 0
        rhs = define(type, llvm::formatv("arith.ori {0}, %one_{1} : {1}", rhs, type));
      else if (op.starts_with("sh")) // never by the width or more
        rhs = define(type, llvm::formatv("arith.andi {0}, %most_{1} : {1}", rhs, type));
      define(type, llvm::formatv("arith.{0} {1}, {2} : {3}", op, choose(values[type]), rhs, type));
      return;
    }
    case 2: {
      const std::string from = below(4) ? type : "i1";
      define("i1", llvm::formatv("arith.cmpi {0}, {1}, {2} : {3}", choose(relations),
                                 choose(values[from]), choose(values[from]), from));
      return;
    }
    case 3:
      define(type, llvm::formatv("arith.select {0}, {1}, {2} : {3}", choose(values["i1"]),
                                 choose(values[type]), choose(values[type]), type));
      return;
    case 4: {
      const std::string from = below(4) ? other : "i1";
      if (width(from) == width(type))
        return;
      std::string op = width(from) > width(type) ? "trunci" : below(2) ? "extsi" : "extui";
      define(type,
             llvm::formatv("arith.{0} {1} : {2} to {3}", op, choose(values[from]), from, type));
      return;
    }
    default:
      define("i1", llvm::formatv("arith.{0} {1}, {2} : i1",
                                 std::vector<std::string>{"andi", "ori", "xori"}[below(3)],
                                 choose(values["i1"]), choose(values["i1"])));
    }
  }

  std::mt19937_64 random;
  std::map<std::string, std::vector<std::string>> values;
};

/// The function, its inputs as arguments or as constants.
std::string scalarFunction(const ScalarCode &code, bool constants) {
  std::string text = "func.func @code(%out: !tile.ptr<i64>";
  if (!constants)
    for (const ScalarCode::Input &input : code.inputs)
      text += ", " + input.name + ": " + input.type;
  text += ") {\n";
  if (constants)
    for (const ScalarCode::Input &input : code.inputs)
      text += llvm::formatv("  {0} = arith.constant {1}\n", input.name,
                            input.type == "i1" ? (input.value ? "true" : "false")
                                               : std::to_string(input.value) + " : " + input.type);
  for (int bits : {8, 16, 32, 64})
    text += llvm::formatv("  %one_i{0} = arith.constant 1 : i{0}\n"
                          "  %most_i{0} = arith.constant {1} : i{0}\n",
                          bits, bits - 1);
  text += code.body;
  for (auto [index, result] : llvm::enumerate(code.results)) {
    auto [name, type] = result;
    std::string wide = name;
    if (type != "i64") {
      wide = "%w" + std::to_string(index);
      text += llvm::formatv("  {0} = arith.{1} {2} : {3} to i64\n", wide,
                            type == "i1" ? "extui" : "extsi", name, type);
    }
    text += llvm::formatv("  %i{0} = arith.constant {0} : index\n"
                          "  npu.sstore {1}, %out[%i{0}] : i64, !tile.ptr<i64>\n",
                          index, wide);
  }
  return text + "  return\n}\n";
}

TEST_F(AssembleTest, ScalarCodeDoesWhatFoldingDoes) {
  unsigned compared = 0, all = 0;
  for (unsigned seed = 0; seed < 25; ++seed) {
    ScalarCode code(seed);
    code.generate();
    std::string text = scalarFunction(code, false);
    OwningOpRef<ModuleOp> module = parse(text), folded = parse(scalarFunction(code, true));
    ASSERT_TRUE(module && folded);
    std::vector<uint64_t> out(code.results.size(), 0xdeadbeef);
    std::vector<sim::Binding> bindings = {memory(out)};
    for (const ScalarCode::Input &input : code.inputs)
      bindings.push_back(scalar(uint64_t(input.value)));
    run(*module, bindings);
    ASSERT_FALSE(HasFailure()) << text;

    PassManager passes(&context);
    passes.addPass(createCanonicalizerPass());
    ASSERT_TRUE(succeeded(passes.run(*folded)));
    size_t index = 0;
    folded->walk([&](npu::SStoreOp store) {
      APInt expected;
      ++all;
      // What overflows (the least number by -1) is not folded, and what depends on it.
      if (matchPattern(store.getValue(), m_ConstantInt(&expected))) {
        ++compared;
        EXPECT_EQ(out[index], expected.getZExtValue())
            << code.results[index].first << ", seed " << seed << "\n"
            << text;
      }
      ++index;
    });
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(compared, all * 9 / 10);
}

} // namespace
} // namespace kiln
