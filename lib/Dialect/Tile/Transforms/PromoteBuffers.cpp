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
// (Effects), then one walk in program order that keeps the value of each variable and widens loops
// and branches by those that they write and that are live behind them (Renamer).
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Dialect/Tile/IR/Tile.h"
#include "kiln/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace kiln::tile;

namespace kiln::tile {
#define GEN_PASS_DEF_PROMOTEBUFFERSPASS
#include "kiln/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace kiln::tile

//===-----------------------------------------------------------------------------------------===//
// Which buffers
//===-----------------------------------------------------------------------------------------===//

namespace {
/// A buffer that becomes a value: a tensor of all that it holds, or its only element.
struct Variable {
  LocalAllocOp buffer;
  Type type;
};
} // namespace

static bool isRead(Operation *op) { return isa<LocalLoadOp, LocalGetOp>(op); }
static bool isWrite(Operation *op) { return isa<LocalStoreOp, LocalSetOp>(op); }

/// The splat or constant that holds the only element of a tensor; null if that was computed.
static Operation *scalarSource(Value tensor) {
  Operation *def = tensor.getDefiningOp();
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(def))
    def = def->getOperand(0).getDefiningOp();
  return isa_and_nonnull<tensor::SplatOp, arith::ConstantOp>(def) ? def : nullptr;
}

/// Is the operation reached through loops and branches whose values can be widened?
static bool isInKnownRegions(Operation *op, Operation *function) {
  for (op = op->getParentOp(); op != function; op = op->getParentOp())
    if (!isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
      return false;
  return true;
}

/// The type of the value that a buffer can become; null if it has to stay memory.
static Type valueType(LocalAllocOp buffer) {
  bool isScalar = buffer.getResult().getType().getTensorType().getNumElements() == 1;
  bool loads = false, stores = false, computed = false, gets = false, sets = false;
  for (Operation *user : buffer->getUsers()) {
    if (!isInKnownRegions(user, buffer->getParentOp()))
      return {};
    if (auto load = dyn_cast<LocalLoadOp>(user); load && load.isWhole())
      loads = true;
    else if (auto store = dyn_cast<LocalStoreOp>(user); store && store.isWhole()) {
      stores = true;
      computed |= !scalarSource(store.getValue());
    } else if (isa<LocalGetOp>(user))
      gets = true;
    else if (isa<LocalSetOp>(user))
      sets = true;
    else
      return {};
  }
  if ((gets || sets) && !isScalar)
    return {};
  if (gets && computed) // An element of a tensor that was computed: that takes memory.
    return {};
  bool synchronous = !buffer->getParentOp()->hasAttr(kAsynchronousAttr);
  if ((gets || (sets && !stores)) && (synchronous || !(loads || stores)))
    return buffer.getResult().getType().getElementType();
  return synchronous ? Type(buffer.getResult().getType().getTensorType()) : Type();
}

/// Erases buffers whose content nobody reads, and what is written to them.
static void eraseUnread(SmallVectorImpl<LocalAllocOp> &buffers) {
  bool changed = true;
  auto isUnread = [&](LocalAllocOp buffer) {
    if (!llvm::all_of(buffer->getUsers(), [](Operation *user) {
          return isWrite(user) || (isRead(user) && user->use_empty());
        }))
      return false;
    for (Operation *user : llvm::make_early_inc_range(buffer->getUsers()))
      user->erase();
    buffer.erase();
    return changed = true;
  };
  while (std::exchange(changed, false))
    llvm::erase_if(buffers, isUnread);
}

static SmallVector<Variable> findVariables(func::FuncOp function, bool pinned) {
  SmallVector<LocalAllocOp> buffers;
  for (auto buffer : function.front().getOps<LocalAllocOp>())
    if (pinned || !buffer.getAddress())
      buffers.push_back(buffer);
  if (!function->hasAttr(kAsynchronousAttr))
    eraseUnread(buffers);
  SmallVector<Variable> variables;
  for (LocalAllocOp buffer : buffers)
    if (Type type = valueType(buffer))
      variables.push_back({buffer, type});
  return variables;
}

//===-----------------------------------------------------------------------------------------===//
// What regions do with them
//===-----------------------------------------------------------------------------------------===//

namespace {
using VariableSet = llvm::BitVector;

/// Of an operation or region, for each variable.
struct Effects {
  explicit Effects(unsigned count) : reads(count), overwrites(count), writes(count) {}

  /// What must be live before it, if `after` is live behind it.
  VariableSet liveBefore(VariableSet after) const {
    after.reset(overwrites);
    after |= reads;
    return after;
  }

  VariableSet reads;      ///< may read what was there before
  VariableSet overwrites; ///< writes, whatever way is taken
  VariableSet writes;     ///< may write
};

/// Keeps the value of each variable while it walks through a function.
class Renamer {
public:
  explicit Renamer(ArrayRef<Variable> variables) : variables(variables) {
    for (auto [index, variable] : llvm::enumerate(variables))
      indices[Value(variable.buffer->getResult(0))] = index;
  }

  void run(func::FuncOp function) {
    Block &block = function.front();
    summarise(block);
    Values values(variables.size());
    rename(block, VariableSet(variables.size()), values);
  }

private:
  /// By variable; null while the content is undefined, or not needed any more.
  using Values = SmallVector<Value>;

  std::optional<unsigned> variableOf(Operation *op);
  void summarise(Block &block);
  Effects summarise(Operation *op);
  const Effects &of(Operation *op) { return operations.find(op)->second; }
  const Effects &of(Block *block) { return blocks.find(block)->second; }

  void rename(Block &block, const VariableSet &liveAfter, Values &values);
  void renameAccess(Operation *op, unsigned variable, Values &values);
  void renameFor(scf::ForOp loop, const VariableSet &liveAfter, Values &values);
  void renameIf(scf::IfOp branch, const VariableSet &liveAfter, Values &values);
  void renameWhile(scf::WhileOp loop, const VariableSet &liveAfter, Values &values);

  Value valueAt(Operation *at, unsigned variable, const Values &values);
  void appendValues(Operation *at, const VariableSet &set, const Values &values,
                    SmallVectorImpl<Value> &result);
  void appendTypes(const VariableSet &set, SmallVectorImpl<Type> &types);
  Values inside(const VariableSet &written, const VariableSet &passed, Block &block,
                const Values &values);
  void finish(Operation *from, Operation *to, const VariableSet &written, const VariableSet &passed,
              Values &values);

  ArrayRef<Variable> variables;
  DenseMap<Value, unsigned> indices;
  /// Of accesses, of operations with regions, and of the blocks in them.
  DenseMap<Operation *, Effects> operations;
  DenseMap<Block *, Effects> blocks;
};
} // namespace

std::optional<unsigned> Renamer::variableOf(Operation *op) {
  Value buffer;
  if (isRead(op))
    buffer = op->getOperand(0);
  else if (isWrite(op))
    buffer = op->getOperand(1);
  auto found = buffer ? indices.find(buffer) : indices.end();
  return found == indices.end() ? std::nullopt : std::optional(found->second);
}

Effects Renamer::summarise(Operation *op) {
  Effects effects(variables.size());
  if (std::optional<unsigned> variable = variableOf(op)) {
    (isRead(op) ? effects.reads : effects.overwrites).set(*variable);
    if (isWrite(op))
      effects.writes.set(*variable);
    return effects;
  }
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      summarise(block);
      effects.writes |= of(&block).writes;
    }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    // It may not run at all, so it overwrites nothing for certain.
    effects.reads = of(loop.getBody()).reads;
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    effects.reads = of(branch.thenBlock()).reads;
    if (Block *elseBlock = branch.elseBlock()) {
      effects.reads |= of(elseBlock).reads;
      effects.overwrites = of(branch.thenBlock()).overwrites;
      effects.overwrites &= of(elseBlock).overwrites;
    }
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    const Effects &before = of(loop.getBeforeBody());
    effects.reads = before.liveBefore(of(loop.getAfterBody()).reads);
    effects.overwrites = before.overwrites;
  }
  return effects;
}

void Renamer::summarise(Block &block) {
  Effects effects(variables.size());
  for (Operation &op : llvm::reverse(block)) {
    if (!op.getNumRegions() && !variableOf(&op))
      continue;
    Effects inner = summarise(&op);
    effects.reads = inner.liveBefore(effects.reads);
    effects.overwrites |= inner.overwrites;
    effects.writes |= inner.writes;
    operations.insert_or_assign(&op, std::move(inner));
  }
  blocks.insert_or_assign(&block, std::move(effects));
}

//===-----------------------------------------------------------------------------------------===//
// Renaming
//===-----------------------------------------------------------------------------------------===//

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
    auto effects = operations.find(&op);
    if (effects == operations.end())
      continue;
    if (op.getNumRegions())
      liveBehind[&op] = live;
    live = effects->second.liveBefore(live);
  }
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (std::optional<unsigned> variable = variableOf(&op))
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
  if (isWrite(op)) {
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
  const Effects &body = of(loop.getBody());
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
  Operation *yield = block.getTerminator();
  SmallVector<Value> yielded(yield->getOperands());
  appendValues(yield, carried, inner, yielded);
  yield->setOperands(yielded);
  finish(loop, widened, written, carried, values);
}

void Renamer::renameIf(scf::IfOp branch, const VariableSet &liveAfter, Values &values) {
  VariableSet written = of(branch).writes, passed = written;
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
    Operation *yield = region.front().getTerminator();
    SmallVector<Value> yielded(yield->getOperands());
    appendValues(yield, passed, inner, yielded);
    yield->setOperands(yielded);
  }
  finish(branch, widened, written, passed, values);
}

void Renamer::renameWhile(scf::WhileOp loop, const VariableSet &liveAfter, Values &values) {
  const Effects &before = of(loop.getBeforeBody()), &after = of(loop.getAfterBody());
  VariableSet written = of(loop).writes;
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
  Operation *yield = afterBlock.getTerminator();
  SmallVector<Value> yielded(yield->getOperands());
  appendValues(yield, carried, inner, yielded);
  yield->setOperands(yielded);
  finish(loop, widened, written, passed, values);
}

namespace {
struct PromoteBuffersPass : kiln::tile::impl::PromoteBuffersPassBase<PromoteBuffersPass> {
  using PromoteBuffersPassBase::PromoteBuffersPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function.getBody().hasOneBlock())
      return;
    SmallVector<Variable> variables = findVariables(function, pinned);
    if (variables.empty())
      return;
    Renamer(variables).run(function);
    for (Variable &variable : variables)
      variable.buffer.erase();
  }
};
} // namespace
