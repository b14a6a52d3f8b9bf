//===- AccessExplain.cpp - say what was proved about an access -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "AccessExplain.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

//===-----------------------------------------------------------------------------------------===//
// Expressions in words
//===-----------------------------------------------------------------------------------------===//

/// A name for a scalar: its own where the front end gave one, else what it is.
static std::string nameOf(Value value) {
  if (auto named = value.getLoc()->findInstanceOf<NameLoc>())
    return named.getName().str();
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    bool ofKernel = isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
    stream << (ofKernel ? "arg" : "loop") << argument.getArgNumber();
  } else if (auto program = value.getDefiningOp<ProgramIdOp>()) {
    stream << "program_id(" << program.getAxis() << ")";
  } else if (auto count = value.getDefiningOp<NumProgramsOp>()) {
    stream << "num_programs(" << count.getAxis() << ")";
  } else {
    stream << "<" << value.getDefiningOp()->getName() << ">";
  }
  return text;
}

static void print(llvm::raw_ostream &stream, const LinearExpr &expr) {
  bool first = true;
  auto sign = [&](bool negative) {
    if (!first || negative)
      stream << (first ? "-" : negative ? " - " : " + ");
    first = false;
  };
  // Positive terms first, as the operations are emitted.
  for (bool negative : {false, true})
    for (const LinearTerm &term : expr.getTerms()) {
      if ((term.coefficient < 0) != negative)
        continue;
      sign(negative);
      uint64_t magnitude = negative ? 0 - uint64_t(term.coefficient) : term.coefficient;
      if (magnitude != 1)
        stream << magnitude << "*";
      llvm::interleave(term.factors, stream, [&](Value factor) { stream << nameOf(factor); }, "*");
    }
  int64_t constant = expr.getConstant();
  if (constant == 0 && !first)
    return;
  sign(constant < 0);
  stream << (constant < 0 ? 0 - uint64_t(constant) : uint64_t(constant));
}

static void printBlock(llvm::raw_ostream &stream, Operation *access, RankedTensorType block) {
  stream << (isa<PtrStoreOp>(access) ? "store" : "load") << " of ";
  llvm::interleave(block.getShape(), stream, "x");
  stream << "x" << block.getElementType();
}

//===-----------------------------------------------------------------------------------------===//
// Remarks
//===-----------------------------------------------------------------------------------------===//

static void printDim(llvm::raw_ostream &stream, const LaneDim &dim, int64_t size) {
  if (size == 1)
    stream << "one lane";
  else if (dim.isUniform())
    stream << "one element repeated";
  else if (dim.coefficient.isConstant(1))
    stream << "contiguous";
  else
    print(stream << "stride ", dim.coefficient);
  if (!dim.wrap)
    return;
  print(stream << ", wraps around at ", dim.wrap->size);
  print(stream << " from ", dim.wrap->start);
}

static void printBound(llvm::raw_ostream &stream, ArrayRef<LaneMask::Bound> bounds, unsigned dim,
                       StringRef combine, int64_t otherwise) {
  SmallVector<LinearExpr> found;
  for (const LaneMask::Bound &bound : bounds)
    if (bound.dim == dim)
      found.push_back(bound.value);
  if (found.empty())
    return void(stream << otherwise);
  if (found.size() > 1)
    stream << combine << "(";
  llvm::interleave(found, stream, [&](const LinearExpr &expr) { print(stream, expr); }, ", ");
  if (found.size() > 1)
    stream << ")";
}

static void printBounds(llvm::raw_ostream &stream, const LaneMask &mask, unsigned dim,
                        int64_t size) {
  auto concerns = [&](const LaneMask::Bound &bound) { return bound.dim == dim; };
  if (llvm::none_of(mask.lower, concerns) && llvm::none_of(mask.upper, concerns))
    return;
  printBound(stream << ", bounds [", mask.lower, dim, "max", 0);
  printBound(stream << ", ", mask.upper, dim, "min", size);
  stream << ")";
}

void tile::explainAffine(Operation *access, RankedTensorType block, const LaneAffine &address,
                         const LaneMask &mask, IntegerFacts &facts) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printBlock(stream, access, block);
  for (auto [index, dim] : llvm::enumerate(address.dims)) {
    printDim(stream << (index ? "; dim " : ": dim ") << index << " ", dim, block.getDimSize(index));
    printBounds(stream, mask, index, block.getDimSize(index));
  }
  print(stream << "; offset ", address.offset);
  if (int64_t divisor = facts.get(address.offset).divisibility; divisor > 1)
    stream << ", a multiple of " << divisor;
  if (mask.never)
    stream << "; no lane is on";
  if (!mask.positive.empty() || !mask.conditions.empty())
    stream << "; all lanes on or off by a scalar condition";
  if (!mask.residual.empty())
    stream << "; a mask is left that is not a bound";
  access->emitRemark() << text;
}

void tile::explainIndexed(Operation *access, RankedTensorType block, StringRef reason) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printBlock(stream, access, block);
  stream << " goes lane by lane";
  if (!reason.empty())
    stream << ": " << reason;
  access->emitRemark() << text;
}
