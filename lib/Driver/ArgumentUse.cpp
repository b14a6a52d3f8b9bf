//===- ArgumentUse.cpp - which pointer arguments a kernel may write through ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Walks from the address of every op that writes back to where the address can come from. An op's
// pointer results come from its pointer operands; values of a region op (carried, yielded) from its
// pointer operands and those of its regions' terminators. An address made from an integer can be
// anything.
//
//===-----------------------------------------------------------------------------------------===//

#include "ArgumentUse.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace kiln::driver {
namespace {

bool isAddress(Value value) {
  return tile::isPtrLike(value.getType()) || isa<tile::ViewType>(value.getType());
}

class Origins {
public:
  explicit Origins(func::FuncOp kernel)
      : kernel(kernel), written(kernel.getNumArguments(), false) {}

  /// Follows an address to its origins.
  void follow(Value address) {
    worklist.push_back(address);
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        Operation *parent = argument.getOwner()->getParentOp();
        if (parent == kernel)
          written[argument.getArgNumber()] = true;
        else
          pushSources(parent);
      } else {
        pushSources(value.getDefiningOp());
      }
    }
  }

  SmallVector<bool> result() {
    SmallVector<bool> flags;
    for (auto [i, flag] : llvm::enumerate(written))
      flags.push_back((flag || anything) &&
                      isa<tile::PtrType>(kernel.getFunctionType().getInput(i)));
    return flags;
  }

private:
  void pushSources(Operation *op) {
    size_t before = worklist.size();
    pushAddresses(op->getOperands());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (block.mightHaveTerminator())
          pushAddresses(block.getTerminator()->getOperands());
    if (worklist.size() == before)
      anything = true;
  }
  void pushAddresses(ValueRange values) {
    for (Value value : values)
      if (isAddress(value))
        worklist.push_back(value);
  }

  func::FuncOp kernel;
  SmallVector<bool> written;
  bool anything = false;
  SmallVector<Value> worklist;
  llvm::DenseSet<Value> seen;
};

} // namespace

SmallVector<bool> writtenArguments(func::FuncOp kernel) {
  Origins origins(kernel);
  kernel.walk([&](MemoryEffectOpInterface op) {
    if (!op.hasEffect<MemoryEffects::Write>())
      return;
    for (Value operand : op->getOperands())
      if (isAddress(operand) && !isa<tile::PrintOp>(op))
        origins.follow(operand);
  });
  return origins.result();
}

} // namespace kiln::driver
