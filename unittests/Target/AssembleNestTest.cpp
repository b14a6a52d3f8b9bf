//===- AssembleNestTest.cpp - random nests of loops and branches ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// What is moved, shared and carried has to be what a plain interpreter of the same IR computes.
//
//===-----------------------------------------------------------------------------------------===//

#include "AssembleFixture.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <random>

using namespace mlir;

namespace kiln {
namespace {

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

/// Over i64 values.
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

} // namespace
} // namespace kiln
