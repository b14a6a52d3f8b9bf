//===- SingleLaneStores.cpp - masked stores that write one known lane ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "SingleLaneStores.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

/// The only lane that is on in a constant mask.
static std::optional<unsigned> onlyLane(const Value *mask) {
  const auto *constant = dyn_cast<Constant>(mask);
  const auto *type = dyn_cast<FixedVectorType>(mask->getType());
  if (!constant || !type)
    return std::nullopt;
  std::optional<unsigned> lane;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    const Constant *bit = constant->getAggregateElement(i);
    if (!bit || !isa<ConstantInt>(bit))
      return std::nullopt;
    if (bit->isZeroValue())
      continue;
    if (lane)
      return std::nullopt;
    lane = i;
  }
  return lane;
}

void kiln::cpu::splitSingleLaneStores(Function &function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call || call->getIntrinsicID() != Intrinsic::masked_store)
      continue;
    std::optional<unsigned> lane = onlyLane(call->getArgOperand(2));
    if (!lane)
      continue;
    IRBuilder<> builder(call);
    Value *element = builder.CreateExtractElement(call->getArgOperand(0), *lane);
    Value *pointer =
        builder.CreateConstInBoundsGEP1_64(element->getType(), call->getArgOperand(1), *lane);
    // Of the whole vector's alignment only the element's is sure to hold for each lane.
    builder.CreateAlignedStore(element, pointer, Align(1));
    call->eraseFromParent();
  }
}
