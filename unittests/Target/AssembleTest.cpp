//===- AssembleTest.cpp - assembled programs on the simulator --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Random scalar code is run on the simulator and folded by MLIR: both have to agree. Random moves
// of carried values are compared with the same moves in C++.
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Target/Npu/Assemble.h"
#include "kiln/Dialect/Npu/IR/Npu.h"
#include "machine/MachineFile.h"
#include "sim/Simulator.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace mlir;

namespace kiln {
namespace {

class AssembleTest : public testing::Test {
protected:
  AssembleTest() {
    context.loadDialect<func::FuncDialect, npu::NpuDialect, scf::SCFDialect>();
    machine = machine::stockMachine("ascend910b").value();
  }

  OwningOpRef<ModuleOp> parse(const std::string &text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    return module;
  }

  /// Runs the first function on one core; the report has no findings.
  void run(ModuleOp module, std::span<const sim::Binding> bindings, sim::Grid grid = {}) {
    auto function = *module.getOps<func::FuncOp>().begin();
    FailureOr<image::Image> image = npu::assemble(function, *machine);
    ASSERT_TRUE(succeeded(image));
    sim::Options options;
    options.mode = sim::Mode::Functional;
    auto report = sim::simulate(*image, *machine, bindings, grid, options);
    ASSERT_TRUE(report.ok()) << report.error().message();
    for (const sim::Finding &finding : report->findings)
      ADD_FAILURE() << sim::render(finding, *image);
  }

  static sim::Binding memory(std::vector<uint64_t> &words) {
    return {.data = reinterpret_cast<std::byte *>(words.data()), .bytes = words.size() * 8};
  }
  static sim::Binding scalar(uint64_t value) { return {.scalar = value}; }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  machine::MachineRef machine;
};

//===-----------------------------------------------------------------------------------------===//
// Random scalar code
//===-----------------------------------------------------------------------------------------===//

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

//===-----------------------------------------------------------------------------------------===//
// Carried values
//===-----------------------------------------------------------------------------------------===//

TEST_F(AssembleTest, CarriedValuesMoveAllAtOnce) {
  std::mt19937 random(7);
  for (unsigned round = 0; round < 40; ++round) {
    const unsigned count = 1 + random() % 6, trips = random() % 5;
    std::vector<unsigned> source(count);
    for (unsigned &from : source)
      from = random() % count;
    std::string arguments, types, yields, stores;
    std::vector<uint64_t> expected(count), out(count);
    for (unsigned i = 0; i < count; ++i) {
      std::string comma = i ? ", " : "";
      arguments += llvm::formatv("{0}%a{1} = %c{1}", comma, i);
      types += comma + "i64";
      yields += llvm::formatv("{0}%a{1}", comma, source[i]);
      stores += llvm::formatv("  %i{0} = arith.constant {0} : index\n"
                              "  npu.sstore %r#{0}, %out[%i{0}] : i64, !tile.ptr<i64>\n",
                              i);
      expected[i] = 100 + i;
    }
    std::string constants;
    for (unsigned i = 0; i < count; ++i)
      constants += llvm::formatv("  %c{0} = arith.constant {1} : i64\n", i, 100 + i);
    std::string text =
        llvm::formatv("func.func @moves(%out: !tile.ptr<i64>, %n: index) {{\n{0}"
                      "  %zero = arith.constant 0 : index\n  %one = arith.constant 1 : index\n"
                      "  %r:{1} = scf.for %i = %zero to %n step %one iter_args({2}) -> ({3}) {{\n"
                      "    scf.yield {4} : {3}\n  }\n{5}  return\n}\n",
                      constants, count, arguments, types, yields, stores);
    for (unsigned trip = 0; trip < trips; ++trip) {
      std::vector<uint64_t> before = expected;
      for (unsigned i = 0; i < count; ++i)
        expected[i] = before[source[i]];
    }
    OwningOpRef<ModuleOp> module = parse(text);
    ASSERT_TRUE(module);
    std::vector<sim::Binding> bindings = {memory(out), scalar(trips)};
    run(*module, bindings);
    EXPECT_EQ(out, expected) << text;
    ASSERT_FALSE(HasFailure());
  }
}

/// Random nests of loops and branches over i64 values: what is moved, shared and carried has to be
/// what a plain interpreter of the same IR computes.
class NestedCode {
public:
  explicit NestedCode(unsigned seed) : random(seed) {}

  std::string function() {
    text = "func.func @nest(%out: !tile.ptr<i64>, %a: i64, %b: i64, %c: i64) {\n"
           "  %zero = arith.constant 0 : index\n  %one = arith.constant 1 : index\n"
           "  %k1 = arith.constant 1 : i64\n  %k3 = arith.constant 3 : i64\n"
           "  %k0 = arith.constant 0 : i64\n";
    block({"%a", "%b", "%c", "%k1", "%k3"}, 4);
    return text + "  return\n}\n";
  }
  unsigned stores = 0;

private:
  using Names = std::vector<std::string>;

  unsigned below(unsigned bound) { return unsigned(random() % bound); }
  const std::string &choose(const Names &names) { return names[below(unsigned(names.size()))]; }
  std::string fresh() { return "%v" + std::to_string(number++); }

  std::string emit(const std::string &code) {
    std::string name = fresh();
    text += "  " + name + " = " + code + "\n";
    return name;
  }

  std::string condition(const Names &names) {
    return emit(llvm::formatv("arith.cmpi {0}, {1}, {2} : i64", below(2) ? "slt" : "ne",
                              choose(names), choose(names)));
  }

  /// Code that may use `names`; the names that it leaves behind are returned.
  Names block(Names names, unsigned depth) {
    for (unsigned i = 0, count = 2 + below(5); i < count; ++i) {
      switch (below(depth ? 7 : 4)) {
      case 0:
        store(choose(names));
        break;
      case 4:
        branch(names, depth - 1);
        break;
      case 5:
        counted(names, depth - 1);
        break;
      case 6:
        conditional(names, depth - 1);
        break;
      default:
        static const Names ops = {"addi", "subi", "muli", "xori", "divsi", "remui"};
        names.push_back(emit(llvm::formatv("arith.{0} {1}, {2} : i64", choose(ops), choose(names),
                                           below(2) ? choose(names) : std::string("%k3"))));
      }
    }
    return names;
  }

  void store(const std::string &value) {
    std::string index = emit(llvm::formatv("arith.constant {0} : index", stores++));
    text += llvm::formatv("  npu.sstore {0}, %out[{1}] : i64, !tile.ptr<i64>\n", value, index);
  }

  void branch(Names &names, unsigned depth) {
    std::string flag = condition(names), result = fresh();
    text += llvm::formatv("  {0} = scf.if {1} -> i64 {{\n", result, flag);
    text += llvm::formatv("  scf.yield {0} : i64\n  } else {{\n", choose(block(names, depth)));
    text += llvm::formatv("  scf.yield {0} : i64\n  }\n", choose(block(names, depth)));
    names.push_back(result);
  }

  void counted(Names &names, unsigned depth) {
    std::string masked = emit(llvm::formatv("arith.andi {0}, %k3 : i64", choose(names)));
    std::string trips = emit(llvm::formatv("arith.index_cast {0} : i64 to index", masked));
    std::string result = fresh(), x = fresh(), y = fresh(), i = fresh(), index = fresh();
    text +=
        llvm::formatv("  {0}:2 = scf.for {1} = %zero to {2} step %one iter_args({3} = {4}, {5} = "
                      "{6}) -> (i64, i64) {{\n",
                      result, i, trips, x, choose(names), y, choose(names));
    text += llvm::formatv("  {0} = arith.index_cast {1} : index to i64\n", index, i);
    Names inner = names;
    inner.insert(inner.end(), {x, y, index});
    inner = block(inner, depth);
    text += llvm::formatv("  scf.yield {0}, {1} : i64, i64\n  }\n", below(2) ? y : choose(inner),
                          below(2) ? x : choose(inner));
    names.insert(names.end(), {result + "#0", result + "#1"});
  }

  /// Counts down from at most 3, so that it ends.
  void conditional(Names &names, unsigned depth) {
    std::string masked = emit(llvm::formatv("arith.andi {0}, %k3 : i64", choose(names)));
    std::string result = fresh(), n = fresh(), x = fresh(), go = fresh(), m = fresh(), y = fresh(),
                less = fresh();
    text +=
        llvm::formatv("  {0}:2 = scf.while ({1} = {2}, {3} = {4}) : (i64, i64) -> (i64, i64) {{\n",
                      result, n, masked, x, choose(names));
    Names before = names;
    before.push_back(x);
    before = block(before, depth);
    text += llvm::formatv("  {0} = arith.cmpi sgt, {1}, %k0 : i64\n"
                          "  scf.condition({0}) {1}, {2} : i64, i64\n  } do {{\n"
                          "  ^bb0({3}: i64, {4}: i64):\n",
                          go, n, choose(before), m, y);
    Names after = names;
    after.insert(after.end(), {m, y});
    after = block(after, depth);
    text +=
        llvm::formatv("  {0} = arith.subi {1}, %k1 : i64\n  scf.yield {0}, {2} : i64, i64\n  }\n",
                      less, m, choose(after));
    names.insert(names.end(), {result + "#0", result + "#1"});
  }

  std::mt19937 random;
  std::string text;
  unsigned number = 0;
};

/// Runs such a function as it stands.
class Interpreter {
public:
  std::map<int64_t, uint64_t> memory;
  llvm::DenseMap<Value, int64_t> values;
  uint64_t steps = 0;

  void run(Block &block) {
    for (Operation &op : block)
      if (!op.hasTrait<OpTrait::IsTerminator>())
        run(&op);
  }

private:
  static constexpr uint64_t maxSteps = 200000;

  int64_t at(Value value) { return values.at(value); }

  void assign(ValueRange targets, ValueRange sources) {
    SmallVector<int64_t> read;
    for (Value source : sources)
      read.push_back(at(source));
    for (auto [target, value] : llvm::zip_equal(targets, read))
      values[target] = value;
  }

  void run(Operation *op) {
    if (++steps > maxSteps)
      return;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      assign(loop.getRegionIterArgs(), loop.getInitArgs());
      for (int64_t i = at(loop.getLowerBound()); i < at(loop.getUpperBound()); ++i) {
        values[loop.getInductionVar()] = i;
        run(*loop.getBody());
        assign(loop.getRegionIterArgs(), loop.getBody()->getTerminator()->getOperands());
      }
      return assign(loop.getResults(), loop.getRegionIterArgs());
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      assign(loop.getBeforeArguments(), loop.getInits());
      while (true) {
        run(*loop.getBeforeBody());
        assign(loop.getAfterArguments(), loop.getConditionOp().getArgs());
        if (!at(loop.getConditionOp().getCondition()))
          break;
        run(*loop.getAfterBody());
        assign(loop.getBeforeArguments(), loop.getYieldOp().getResults());
      }
      return assign(loop.getResults(), loop.getAfterArguments());
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      Block *taken = at(branch.getCondition()) ? branch.thenBlock() : branch.elseBlock();
      run(*taken);
      return assign(branch.getResults(), taken->getTerminator()->getOperands());
    }
    if (auto store = dyn_cast<npu::SStoreOp>(op)) {
      memory[at(store.getIndex())] = uint64_t(at(store.getValue()));
      return;
    }
    values[op->getResult(0)] = evaluate(op);
  }

  int64_t evaluate(Operation *op) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return cast<IntegerAttr>(constant.getValue()).getInt();
    int64_t x = at(op->getOperand(0));
    if (isa<arith::IndexCastOp>(op))
      return x;
    int64_t y = at(op->getOperand(1));
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      return compare.getPredicate() == arith::CmpIPredicate::slt   ? x < y
             : compare.getPredicate() == arith::CmpIPredicate::sgt ? x > y
                                                                   : x != y;
    if (isa<arith::AddIOp>(op))
      return int64_t(uint64_t(x) + uint64_t(y));
    if (isa<arith::SubIOp>(op))
      return int64_t(uint64_t(x) - uint64_t(y));
    if (isa<arith::MulIOp>(op))
      return int64_t(uint64_t(x) * uint64_t(y));
    if (isa<arith::AndIOp>(op))
      return x & y;
    if (isa<arith::XOrIOp>(op))
      return x ^ y;
    // As image/ScalarOp.def says of 0 and of the least number.
    if (isa<arith::DivSIOp>(op))
      return y == 0 ? 0 : y == -1 ? int64_t(0 - uint64_t(x)) : x / y;
    EXPECT_TRUE(isa<arith::RemUIOp>(op));
    return y == 0 ? x : int64_t(uint64_t(x) % uint64_t(y));
  }
};

TEST_F(AssembleTest, NestedCodeDoesWhatAnInterpreterDoes) {
  unsigned ran = 0;
  uint64_t steps = 0;
  for (unsigned seed = 0; seed < 80; ++seed) {
    NestedCode code(seed);
    std::string text = code.function();
    OwningOpRef<ModuleOp> module = parse(text);
    ASSERT_TRUE(module);
    auto function = *module->getOps<func::FuncOp>().begin();
    Interpreter interpreter;
    const int64_t inputs[] = {5, -2, int64_t(seed)};
    for (auto [argument, value] : llvm::zip(function.getArguments().drop_front(), inputs))
      interpreter.values[argument] = value;
    interpreter.run(function.front());
    if (interpreter.steps > 3000)
      continue; // too long for a unit test
    const uint64_t untouched = 0xdeadbeef;
    std::vector<uint64_t> out(code.stores + 1, untouched), expected = out;
    for (auto [index, value] : interpreter.memory)
      expected[size_t(index)] = value;
    std::vector<sim::Binding> bindings = {memory(out)};
    for (int64_t input : inputs)
      bindings.push_back(scalar(uint64_t(input)));
    run(*module, bindings);
    ASSERT_EQ(out, expected) << "seed " << seed << "\n" << text;
    ASSERT_FALSE(HasFailure()) << "seed " << seed << "\n" << text;
    ++ran;
    steps += interpreter.steps;
  }
  EXPECT_GT(ran, 20u);
  RecordProperty("ops", std::to_string(steps));
}

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
