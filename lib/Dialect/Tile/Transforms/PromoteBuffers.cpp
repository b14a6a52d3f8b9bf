//===- PromoteBuffers.cpp - buffers that are read and written whole become values ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   %b = tile.local_alloc                        %r = scf.for … iter_args(%x = %t) {
//   tile.local_store %t, %b[0]                     %y = … %x …
//   scf.for … {                                    scf.yield %y
//     %x = tile.local_load %b[0]           →     }
//     %y = … %x …                                … %r …
//     tile.local_store %y, %b[0]
//   }
//   … tile.local_load %b[0] …
//
// Three steps: which buffers (findVariables), what each region reads, writes and overwrites
// (VariableUses), then one walk in program order that keeps the value of each variable and widens
// loops and branches by those that they write and that are live behind them (Renamer).
//
//===-----------------------------------------------------------------------------------------===//

#include "BufferVariables.h"

#include "kiln/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kiln::tile;

namespace kiln::tile {
#define GEN_PASS_DEF_PROMOTEBUFFERSPASS
#include "kiln/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace kiln::tile

namespace {
/// Keeps the value of each variable while it walks through a function.
class Renamer {
public:
  Renamer(ArrayRef<BufferVariable> variables, Block &block)
      : variables(variables), uses(variables, block), function(block) {}

  void run() {
    Values values(variables.size());
    rename(function, VariableSet(variables.size()), values);
  }

private:
  /// By variable; null while the content is undefined, or not needed any more.
  using Values = SmallVector<Value>;

  void rename(Block &block, const VariableSet &liveAfter, Values &values);
  void renameAccess(Operation *op, unsigned variable, Values &values);
  void renameFor(scf::ForOp loop, const VariableSet &liveAfter, Values &values);
  void renameIf(scf::IfOp branch, const VariableSet &liveAfter, Values &values);
  void renameWhile(scf::WhileOp loop, const VariableSet &liveAfter, Values &values);

  Value valueAt(Operation *at, unsigned variable, const Values &values);
  void appendValues(Operation *at, const VariableSet &set, const Values &values,
                    SmallVectorImpl<Value> &result);
  void appendTypes(const VariableSet &set, SmallVectorImpl<Type> &types);
  void yieldValues(Block &block, const VariableSet &set, const Values &values);
  Values inside(const VariableSet &written, const VariableSet &passed, Block &block,
                const Values &values);
  void finish(Operation *from, Operation *to, const VariableSet &written, const VariableSet &passed,
              Values &values);

  ArrayRef<BufferVariable> variables;
  VariableUses uses;
  Block &function;
};
} // namespace

Value Renamer::valueAt(Operation *at, unsigned variable, const Values &values) {
  if (values[variable])
    return values[variable];
  OpBuilder builder(at);
  Type type = variables[variable].type;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor::EmptyOp::create(builder, at->getLoc(), tensor.getShape(),
                                   tensor.getElementType());
  return arith::ConstantOp::create(builder, at->getLoc(), builder.getZeroAttr(type));
}

void Renamer::appendValues(Operation *at, const VariableSet &set, const Values &values,
                           SmallVectorImpl<Value> &result) {
  for (unsigned variable : set.set_bits())
    result.push_back(valueAt(at, variable, values));
}

void Renamer::appendTypes(const VariableSet &set, SmallVectorImpl<Type> &types) {
  for (unsigned variable : set.set_bits())
    types.push_back(variables[variable].type);
}

/// Makes a block yield these besides what it does.
void Renamer::yieldValues(Block &block, const VariableSet &set, const Values &values) {
  Operation *yield = block.getTerminator();
  SmallVector<Value> yielded(yield->getOperands());
  appendValues(yield, set, values, yielded);
  yield->setOperands(yielded);
}

/// The values at the start of a block of an operation that writes `written`: those of `passed` are
/// new arguments, what else it writes is not needed from before.
Renamer::Values Renamer::inside(const VariableSet &written, const VariableSet &passed, Block &block,
                                const Values &values) {
  Values inner(values);
  for (unsigned variable : written.set_bits())
    inner[variable] = passed[variable] ? block.addArgument(variables[variable].type,
                                                           block.getParentOp()->getLoc())
                                       : Value();
  return inner;
}

/// Puts the widened operation, which may be the same, in the place of the other.
void Renamer::finish(Operation *from, Operation *to, const VariableSet &written,
                     const VariableSet &passed, Values &values) {
  unsigned next = from->getNumResults();
  if (from != to) {
    to->setDiscardableAttrs(from->getDiscardableAttrDictionary());
    from->replaceAllUsesWith(to->getResults().take_front(next));
    from->erase();
  }
  for (unsigned variable : written.set_bits())
    values[variable] = passed[variable] ? to->getResult(next++) : Value();
}

void Renamer::rename(Block &block, const VariableSet &liveAfter, Values &values) {
  DenseMap<Operation *, VariableSet> liveBehind;
  VariableSet live = liveAfter;
  for (Operation &op : llvm::reverse(block)) {
    const VariableEffects *effects = uses.find(&op);
    if (!effects)
      continue;
    if (op.getNumRegions())
      liveBehind[&op] = live;
    live = effects->liveBefore(live);
  }
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (std::optional<unsigned> variable = uses.variableOf(&op))
      renameAccess(&op, *variable, values);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      renameFor(loop, liveBehind[&op], values);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      renameIf(branch, liveBehind[&op], values);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      renameWhile(loop, liveBehind[&op], values);
  }
}

/// The scalar that `scalarSource` found.
static Value scalarOf(OpBuilder &builder, Operation *source) {
  if (auto splat = dyn_cast<tensor::SplatOp>(source))
    return splat.getInput();
  auto elements = cast<DenseElementsAttr>(cast<arith::ConstantOp>(source).getValue());
  return arith::ConstantOp::create(builder, source->getLoc(),
                                   cast<TypedAttr>(*elements.value_begin<Attribute>()));
}

void Renamer::renameAccess(Operation *op, unsigned variable, Values &values) {
  Type type = variables[variable].type;
  OpBuilder builder(op);
  // A tensor of one element, all of whose elements are the scalar.
  auto splat = [&](Value scalar, Type tensor) -> Value {
    return tensor::SplatOp::create(builder, op->getLoc(), cast<RankedTensorType>(tensor), scalar);
  };
  if (writesBuffer(op)) {
    Value written = op->getOperand(0);
    bool isTensor = isa<RankedTensorType>(type), writesTensor = isa<LocalStoreOp>(op);
    if (isTensor && !writesTensor)
      written = splat(written, type);
    else if (!isTensor && writesTensor)
      written = scalarOf(builder, scalarSource(written));
    values[variable] = written;
  } else if (!op->use_empty()) {
    Value value = valueAt(op, variable, values);
    if (value.getType() != op->getResult(0).getType())
      value = splat(value, op->getResult(0).getType());
    op->replaceAllUsesWith(ValueRange(value));
  }
  op->erase();
}

void Renamer::renameFor(scf::ForOp loop, const VariableSet &liveAfter, Values &values) {
  const VariableEffects &body = uses.of(loop.getBody());
  VariableSet written = body.writes, live = liveAfter;
  live |= body.reads;
  VariableSet carried = written;
  carried &= live;
  scf::ForOp widened = loop;
  if (carried.any()) {
    SmallVector<Value> inits(loop.getInitArgs());
    appendValues(loop, carried, values, inits);
    OpBuilder builder(loop);
    widened = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                 loop.getStep(), inits, nullptr, loop.getUnsignedCmp());
    widened.getRegion().takeBody(loop.getRegion());
  }
  Block &block = *widened.getBody();
  Values inner = inside(written, carried, block, values);
  rename(block, live, inner);
  yieldValues(block, carried, inner);
  finish(loop, widened, written, carried, values);
}

void Renamer::renameIf(scf::IfOp branch, const VariableSet &liveAfter, Values &values) {
  VariableSet written = uses.of(branch).writes, passed = written;
  passed &= liveAfter;
  scf::IfOp widened = branch;
  if (passed.any()) {
    SmallVector<Type> types(branch->getResultTypes());
    appendTypes(passed, types);
    OpBuilder builder(branch);
    widened = scf::IfOp::create(builder, branch.getLoc(), types, branch.getCondition(),
                                /*addThenBlock=*/false, /*addElseBlock=*/false);
    widened.getThenRegion().takeBody(branch.getThenRegion());
    widened.getElseRegion().takeBody(branch.getElseRegion());
    if (widened.getElseRegion().empty()) {
      builder.createBlock(&widened.getElseRegion());
      scf::YieldOp::create(builder, branch.getLoc());
    }
  }
  for (Region &region : widened->getRegions()) {
    if (region.empty())
      continue;
    Values inner(values);
    rename(region.front(), liveAfter, inner);
    yieldValues(region.front(), passed, inner);
  }
  finish(branch, widened, written, passed, values);
}

void Renamer::renameWhile(scf::WhileOp loop, const VariableSet &liveAfter, Values &values) {
  const VariableEffects &before = uses.of(loop.getBeforeBody()),
                        &after = uses.of(loop.getAfterBody());
  VariableSet written = uses.of(loop).writes;
  // Live where an iteration starts, and where it is decided whether to go on.
  VariableSet atDecision = liveAfter;
  atDecision |= after.reads;
  VariableSet atStart = before.liveBefore(atDecision);
  atDecision |= after.liveBefore(atStart);
  VariableSet carried = written, passed = written;
  carried &= atStart;
  passed &= atDecision;
  scf::WhileOp widened = loop;
  if (carried.any() || passed.any()) {
    SmallVector<Value> inits(loop.getInits());
    appendValues(loop, carried, values, inits);
    SmallVector<Type> types(loop->getResultTypes());
    appendTypes(passed, types);
    OpBuilder builder(loop);
    widened = scf::WhileOp::create(builder, loop.getLoc(), types, inits);
    widened.getBefore().takeBody(loop.getBefore());
    widened.getAfter().takeBody(loop.getAfter());
  }
  Block &beforeBlock = *widened.getBeforeBody(), &afterBlock = *widened.getAfterBody();
  Values inner = inside(written, carried, beforeBlock, values);
  rename(beforeBlock, atDecision, inner);
  scf::ConditionOp condition = widened.getConditionOp();
  SmallVector<Value> arguments(condition.getArgs());
  appendValues(condition, passed, inner, arguments);
  condition.getArgsMutable().assign(arguments);

  inner = inside(written, passed, afterBlock, values);
  rename(afterBlock, atStart, inner);
  yieldValues(afterBlock, carried, inner);
  finish(loop, widened, written, passed, values);
}

namespace {
struct PromoteBuffersPass : kiln::tile::impl::PromoteBuffersPassBase<PromoteBuffersPass> {
  using PromoteBuffersPassBase::PromoteBuffersPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function.getBody().hasOneBlock())
      return;
    SmallVector<BufferVariable> variables = findVariables(function, pinned);
    if (variables.empty())
      return;
    Renamer(variables, function.front()).run();
    for (BufferVariable &variable : variables)
      variable.buffer.erase();
  }
};
} // namespace
