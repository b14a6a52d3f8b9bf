//===- Residence.cpp - scalars that stay on the vector unit ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Grows the set from reductions until nothing is added. An op on scalars joins if an operand is in
// the set and the unit has the op: its result is wanted where the operand is.
//
//===-----------------------------------------------------------------------------------------===//

#include "Residence.h"

#include "../Legalize/Legalizer.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::npu {

using machine::Opcode;

namespace {

struct Computation {
  StringLiteral op;
  Opcode opcode; // VConv: operand and result say which conversion
};

constexpr Computation kComputations[] = {
    {"arith.addf", Opcode::VAdd},    {"arith.subf", Opcode::VSub},
    {"arith.mulf", Opcode::VMul},    {"arith.divf", Opcode::VDiv},
    {"arith.maxnumf", Opcode::VMax}, {"arith.minnumf", Opcode::VMin},
    {"arith.negf", Opcode::VMuls},   {"math.absf", Opcode::VAbs},
    {"math.sqrt", Opcode::VSqrt},    {"arith.addi", Opcode::VAdd},
    {"arith.subi", Opcode::VSub},    {"arith.muli", Opcode::VMul},
    {"arith.maxsi", Opcode::VMax},   {"arith.minsi", Opcode::VMin},
    {"arith.extf", Opcode::VConv},   {"arith.truncf", Opcode::VConv},
    {"arith.sitofp", Opcode::VConv},
};

} // namespace

Residence::Residence(const machine::Machine &machine, func::FuncOp function) : machine(machine) {
  while (spread(function)) {
  }
}

bool Residence::mayHold(Type type) const {
  // Reductions of shorter elements travel in 16 bits after legalization.
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 16 && !type.isF64();
}

bool Residence::mayCompute(Operation *op) const {
  auto *entry = llvm::find_if(
      kComputations, [&](auto &known) { return known.op == op->getName().getStringRef(); });
  if (entry == std::end(kComputations))
    return false;
  auto to = legal::elementOf(op->getResult(0).getType());
  auto from = legal::elementOf(op->getOperand(0).getType());
  if (!to || !from)
    return false;
  return entry->opcode == Opcode::VConv ? machine.conversion(Opcode::VConv, *from, *to) != nullptr
                                        : machine.supports(entry->opcode, *to);
}

bool Residence::spread(Operation *root) {
  bool grew = false;
  auto anyIn = [&](ValueRange range) {
    return llvm::any_of(range, [&](Value v) { return contains(v); });
  };
  root->walk([&](Operation *op) {
    if (isa<tile::ReduceOp>(op->getParentOp()))
      return;
    if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
      // All of its results move together.
      bool scalar = llvm::all_of(reduce.getResultTypes(), [&](Type type) { return mayHold(type); });
      if (scalar)
        for (Value result : reduce.getResults())
          grew |= add(result);
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      if (extract.getTensor().getType().getNumElements() == 1 &&
          extract.getTensor().getType().getRank() == 1)
        grew |= add(extract.getResult());
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [init, argument, yielded, result] :
           llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(),
                     loop.getResults()))
        if (contains(init) || contains(yielded) || contains(argument)) {
          grew |= add(argument);
          grew |= add(result);
        }
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (auto [index, result] : llvm::enumerate(branch.getResults()))
        if (contains(branch.thenYield().getOperand(index)) ||
            contains(branch.elseYield().getOperand(index)))
          grew |= add(result);
    } else if (op->getNumResults() == 1 && anyIn(op->getOperands()) && mayCompute(op)) {
      grew |= add(op->getResult(0));
    }
  });
  return grew;
}

} // namespace kiln::npu
