//===- Legalize.cpp - legal ops and types for the vector unit --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The pass `kiln-npu-legalize`:
//   %c = arith.addf %a, %b : tensor<64xbf16>     ->  arith.extf of both, addf in f32, arith.truncf
//   %m = arith.cmpi slt, %i, %n : tensor<64xi32> ->  arith.maxsi %i, %n; arith.cmpi ne, …, %i
//   %y = math.tanh %x : tensor<64xf32>           ->  math.exp and a polynomial
//
// A list of ops is worked off from its front: each op that a rule replaces adds new ops at its end,
// until all are legal. docs/design/npu-target.md states the set. Canonicalization of `arith` may
// run afterwards: what it makes of masks (an extension of a selection of 1 and 0) is legal too.
//
//===-----------------------------------------------------------------------------------------===//

#include "../ChipOption.h"
#include "Legalizer.h"

#include "kiln/Dialect/Npu/IR/Npu.h"
#include "kiln/Target/Npu/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_LEGALIZEPASS
#include "kiln/Target/Npu/Passes.h.inc"

namespace {

using legal::Legalizer;
using legal::Rule;
using legal::RuleEntry;

/// The list of ops to look at: what builders insert goes to its end.
struct Worklist : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    ops.push_back(op);
  }
  SmallVector<Operation *> ops;
};

bool isTensorValue(Value value) { return isa<RankedTensorType>(value.getType()); }

/// Runs on the vector unit: tensors, and what combine regions compute.
bool isVector(Operation *op) {
  return llvm::any_of(op->getOperands(), isTensorValue) ||
         llvm::any_of(op->getResults(), isTensorValue) || isa<tile::ReduceOp>(op->getParentOp());
}

bool hasF64(Value value) { return getElementTypeOrSelf(value.getType()).isF64(); }

/// The first place where an f64 is computed with.
void refuseF64(Legalizer &legalizer, func::FuncOp function) {
  auto message = [&] {
    return "f64 does not run on " + legalizer.machine.name + ": no unit of it has 64-bit floats";
  };
  function.walk([&](Operation *op) {
    if (!legalizer.failed &&
        (llvm::any_of(op->getOperands(), hasF64) || llvm::any_of(op->getResults(), hasF64)))
      // Folding leaves constants without a place.
      legalizer.refuse(isa<UnknownLoc>(op->getLoc()) ? function : op, message());
  });
  if (llvm::any_of(function.getArguments(), hasF64))
    legalizer.refuse(function, message());
}

void eraseDeadOps(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

struct LegalizePass : impl::LegalizePassBase<LegalizePass> {
  using LegalizePassBase::LegalizePassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto machine = machineOf(chip, function);
    if (!machine)
      return signalPassFailure();
    Legalizer legalizer(*machine, function);
    refuseF64(legalizer, function);
    if (!legalizer.failed)
      legalize(legalizer, function);
    for (Operation *op : retired)
      op->destroy();
    retired.clear();
    if (legalizer.failed)
      return signalPassFailure();
    eraseDeadOps(function);
  }

  void legalize(Legalizer &legalizer, func::FuncOp function) {
    llvm::StringMap<Rule> vectorOps, scalarOps;
    for (auto table :
         {legal::floatRules(), legal::integerRules(), legal::divisionRules(), legal::compareRules(),
          legal::castRules(), legal::mathRules(), legal::shapeRules()})
      for (const RuleEntry &entry : table)
        vectorOps[entry.op] = entry.rule;
    for (const RuleEntry &entry : legal::scalarRules())
      scalarOps[entry.op] = entry.rule;

    SmallVector<Operation *> reductions;
    function.walk([&](tile::ReduceOp op) { reductions.push_back(op); });
    for (Operation *op : reductions)
      legal::legalizeReduce(legalizer, op);

    Worklist list;
    function.walk([&](Operation *op) { list.ops.push_back(op); });
    legalizer.b.setListener(&list);
    // The longest way of one op is a few hundred steps: more are rules that feed each other.
    size_t limit = 1000 * (list.ops.size() + 1);
    for (size_t i = 0; i != list.ops.size() && !legalizer.failed; ++i) {
      Operation *op = list.ops[i];
      if (i == limit)
        return legalizer.refuse(op, "found no end to the legalization of " +
                                        op->getName().getStringRef());
      if (isOpTriviallyDead(op)) {
        retire(op);
        continue;
      }
      auto &rules = isVector(op) ? vectorOps : scalarOps;
      Rule rule = rules.lookup(op->getName().getStringRef());
      Value value = rule ? rule(legalizer, op) : Value();
      if (value) {
        op->getResult(0).replaceAllUsesWith(value);
        retire(op);
      } else if (!rule && isa_and_nonnull<math::MathDialect>(op->getDialect())) {
        legalizer.refuse(op, "found " + op->getName().getStringRef() +
                                 ", which has no lowering on the NPU yet");
      }
    }
    legalizer.b.setListener(nullptr);
  }

  /// Takes an op out. It is destroyed when all is done: its address stays its own meanwhile.
  void retire(Operation *op) {
    op->dropAllReferences();
    op->remove();
    retired.push_back(op);
  }

  SmallVector<Operation *> retired;
};

} // namespace
} // namespace kiln::npu
