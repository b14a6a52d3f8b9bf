//===- FlagBalance.cpp - every flag that is raised is taken down -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "FlagBalance.h"

#include "kiln/Dialect/Npu/IR/Npu.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
#include <set>
#include <tuple>

using namespace mlir;

namespace kiln::npu {
namespace {

using machine::Pipe;

/// Source, destination and id; -1: all ids of the pair together.
using Flag = std::tuple<Pipe, Pipe, int64_t>;
/// How many are up; what is not listed is down.
using Levels = std::map<Flag, int64_t>;

class Balance {
public:
  Balance(func::FuncOp function, unsigned ids) : function(function), ids(ids) {
    function.walk([&](Operation *op) {
      if (auto set = dyn_cast<SetOp>(op))
        note(set);
      else if (auto wait = dyn_cast<WaitOp>(op))
        note(wait);
    });
  }

  LogicalResult run() {
    if (failed(walk(function.front())))
      return failure();
    for (auto [flag, level] : levels)
      if (level)
        return function.emitError() << "ends with " << level << " of " << text(flag) << " up";
    return success();
  }

private:
  template <typename OpTy> void note(OpTy op) {
    if (!getConstantIntValue(op.getId()))
      pooled.insert({op.getSource().getValue(), op.getDestination().getValue()});
  }

  template <typename OpTy> Flag flagOf(OpTy op) {
    Pipe source = op.getSource().getValue(), destination = op.getDestination().getValue();
    bool isPooled = pooled.contains({source, destination});
    return {source, destination, isPooled ? -1 : *getConstantIntValue(op.getId())};
  }

  static std::string text(const Flag &flag) {
    auto [source, destination, id] = flag;
    return "the flags from " + lowerName(source) + " to " + lowerName(destination) +
           (id < 0 ? std::string() : " with id " + std::to_string(id));
  }

  LogicalResult walk(Block &block) {
    for (Operation &op : block) {
      if (auto set = dyn_cast<SetOp>(op)) {
        Flag flag = flagOf(set);
        int64_t room = std::get<2>(flag) < 0 ? ids : 1;
        if (++levels[flag] > room)
          return op.emitError() << "raises one of " << text(flag) << " while "
                                << (room == 1 ? "it is" : "all are") << " still up";
      } else if (auto wait = dyn_cast<WaitOp>(op)) {
        Flag flag = flagOf(wait);
        if (--levels[flag] < 0)
          return op.emitError() << "waits for one of " << text(flag) << ", but none was raised";
      } else if (failed(nested(&op))) {
        return failure();
      }
    }
    return success();
  }

  LogicalResult nested(Operation *op) {
    Levels before = levels;
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (failed(walk(*branch.thenBlock())))
        return failure();
      Levels afterThen = std::exchange(levels, before);
      if (branch.elseBlock() && failed(walk(*branch.elseBlock())))
        return failure();
      return agree(op, afterThen, "the branches do not leave the same number of");
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (failed(walk(*loop.getBody())))
        return failure();
      return agree(op, before, "a pass of the loop does not leave as it found");
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      if (failed(walk(*loop.getBeforeBody())))
        return failure();
      Levels atExit = levels;
      if (failed(walk(*loop.getAfterBody())) ||
          failed(agree(op, before, "a pass of the loop does not leave as it found")))
        return failure();
      levels = std::move(atExit);
    }
    return success();
  }

  LogicalResult agree(Operation *op, Levels other, StringRef complaint) {
    for (auto [flag, level] : levels)
      if (other[flag] != level)
        return op->emitError() << complaint << " " << text(flag) << ": " << level << " and "
                               << other[flag] << " up";
    for (auto [flag, level] : other)
      if (levels[flag] != level)
        return op->emitError() << complaint << " " << text(flag) << ": " << levels[flag] << " and "
                               << level << " up";
    return success();
  }

  func::FuncOp function;
  int64_t ids;
  std::set<std::pair<Pipe, Pipe>> pooled;
  Levels levels;
};

/// Flags of the author may be raised under one condition and taken down under another: an error is
/// only what is one in every run. That are flags with a constant id of which all operations stand
/// in one block.
class CertainImbalance {
public:
  explicit CertainImbalance(func::FuncOp function) {
    function.walk([&](Operation *op) {
      if (auto set = dyn_cast<SetOp>(op))
        note(set);
      else if (auto wait = dyn_cast<WaitOp>(op))
        note(wait);
    });
  }

  LogicalResult run() {
    for (auto &[key, ops] : uses) {
      auto [source, destination, id] = key;
      bool oneBlock = llvm::all_of(
          ops, [&](Operation *op) { return op->getBlock() == ops.front()->getBlock(); });
      if (!oneBlock || anyId.contains({source, destination}))
        continue;
      std::string flag = "the flag from " + lowerName(source) + " to " + lowerName(destination) +
                         " with id " + std::to_string(id);
      Operation *up = nullptr;
      for (Operation *op : ops) {
        bool isSet = isa<SetOp>(op);
        if (isSet && up) {
          InFlightDiagnostic error = op->emitError() << "raises " << flag << ", which is still up";
          error.attachNote(up->getLoc()) << "it was raised here";
          return error;
        }
        if (!isSet && !up)
          return op->emitError() << "waits for " << flag << ", which nothing has raised";
        up = isSet ? op : nullptr;
      }
      if (up)
        return up->emitError() << "raises " << flag << ", which nothing waits for";
    }
    return success();
  }

private:
  template <typename OpTy> void note(OpTy op) {
    Pipe source = op.getSource().getValue(), destination = op.getDestination().getValue();
    if (std::optional<int64_t> id = getConstantIntValue(op.getId()))
      uses[{source, destination, *id}].push_back(op);
    else
      anyId.insert({source, destination});
  }

  std::map<Flag, SmallVector<Operation *>> uses;
  std::set<std::pair<Pipe, Pipe>> anyId;
};

} // namespace

LogicalResult checkFlagBalance(func::FuncOp function, unsigned ids) {
  if (function->hasAttr(tile::kAsynchronousAttr))
    return CertainImbalance(function).run();
  return Balance(function, ids).run();
}

} // namespace kiln::npu
