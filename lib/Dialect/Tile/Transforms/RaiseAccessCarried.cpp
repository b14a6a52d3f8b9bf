//===- RaiseAccessCarried.cpp - let loops carry scalars instead of pointers ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A pointer tensor that a loop moves by the same amount in all lanes is a base, fixed strides and
// one scalar. Loops and branches carry just that scalar, and the tensor is rebuilt where it is
// used:
//
//   scf.for … iter_args(%p = %p0) {                scf.for … iter_args(%o = %o0) {
//     … tile.ptr_load %p …                           %p = tile.addptr splat(%x), lanes + splat(%o)
//     %q = tile.addptr %p, splat(%step)        →     … tile.ptr_load %p …
//     scf.yield %q                                   scf.yield %o + %step
//
// The same goes for tensors of offsets that addresses or masks use. What is carried is a *merge*:
// values that receive one of several incoming values. All merges first are taken to keep the lanes
// of their first incoming value; a merge whose other incoming values disagree is demoted, and
// everything is looked at again, until nothing changes. Pointers whose lanes differ carry a base
// and a tensor of offsets.
//
//===-----------------------------------------------------------------------------------------===//

#include "RaiseAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

namespace {
/// How a merge is carried, from the best form to the last.
enum class Carry {
  Offset,     ///< a scalar offset; base and lanes are the same on every way in
  BaseOffset, ///< a scalar base and a scalar offset
  Indexed,    ///< a scalar base and a tensor of offsets
  AsItIs,     ///< a tensor of integers that stays one
};

struct Merge {
  Operation *op;
  unsigned position;              ///< among the operands or results of its kind
  SmallVector<Value, 2> values;   ///< the values that carry it
  SmallVector<Value, 2> incoming; ///< the first one gives the form
  Carry carry = Carry::Offset;
  LaneAffine form = {}; ///< of the first incoming value, if `carry` is affine

  bool isPointer() const { return isPtrLike(values.front().getType()); }
  bool isAffine() const { return carry == Carry::Offset || carry == Carry::BaseOffset; }
};

/// The merges of an operation; `early` ones are known before its regions, `late` ones after.
struct OpMerges {
  SmallVector<Merge, 2> early, late;
  bool any() const { return !early.empty() || !late.empty(); }
};

class CarriedSplitter {
public:
  explicit CarriedSplitter(func::FuncOp function) : function(function) {}
  LogicalResult run();

private:
  void findNeeded();
  void collect(Operation *op);
  bool isCandidate(Value value) const;

  // Analysis.
  void analyze();
  void assumeBlock(Block &block);
  void assumeMerges(MutableArrayRef<Merge> list);
  bool demote(Merge &merge);

  // Rewrite.
  LogicalResult rewriteBlock(Block &block);
  LogicalResult rewriteOp(Operation *op);
  FailureOr<SmallVector<Value>> emitIncoming(OpBuilder &builder, const Merge &merge,
                                             Value incoming);
  Value rebuild(OpBuilder &builder, const Merge &merge, Value value, ValueRange parts);
  SmallVector<Type> partTypes(const Merge &merge) const;
  void addArguments(Block &block, ArrayRef<Merge> list);
  void replaceResults(Operation *op, Operation *by, ArrayRef<Merge> list);
  LogicalResult finishTerminator(Operation *terminator, ArrayRef<Merge> list, unsigned incoming,
                                 unsigned first);
  LogicalResult finish();

  func::FuncOp function;
  llvm::DenseSet<Value> needed;
  llvm::MapVector<Operation *, OpMerges> merges;
  std::unique_ptr<LaneAffines> lanes;
  LinearExprEmitter scalars;
  AccessEmitter emitter{scalars};
  std::unique_ptr<IndexedPointers> indexed;
  SmallVector<std::pair<Operation *, Operation *>> replaced; ///< old and new op
  SmallVector<BlockArgument> deadArguments;
};
} // namespace

//===-----------------------------------------------------------------------------------------===//
// Which values matter
//===-----------------------------------------------------------------------------------------===//

/// What addresses and masks are computed from, through loops and branches.
void CarriedSplitter::findNeeded() {
  SmallVector<Value> work;
  function.walk([&](Operation *op) {
    if (auto load = dyn_cast<PtrLoadOp>(op)) {
      work.push_back(load.getPtr());
      if (load.getMask())
        work.push_back(load.getMask());
    } else if (auto store = dyn_cast<PtrStoreOp>(op)) {
      work.push_back(store.getPtr());
      if (store.getMask())
        work.push_back(store.getMask());
    }
  });
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!isa<RankedTensorType>(value.getType()) || !needed.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    Operation *parent = op ? op : value.getParentBlock()->getParentOp();
    if (op && op->getNumRegions() == 0) {
      if (!isa<PtrLoadOp>(op))
        llvm::append_range(work, op->getOperands());
      continue;
    }
    unsigned number =
        op ? cast<OpResult>(value).getResultNumber() : cast<BlockArgument>(value).getArgNumber();
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      unsigned position = op ? number : number - loop.getNumInductionVars();
      work.append({loop.getInitArgs()[position], loop.getYieldedValues()[position],
                   loop.getRegionIterArg(position), loop.getResult(position)});
    } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      if (!op && value.getParentBlock() == loop.getBeforeBody()) {
        work.append({loop.getInits()[number], loop.getYieldOp().getOperand(number)});
      } else {
        work.append({loop.getConditionOp().getArgs()[number], loop.getAfterArguments()[number],
                     loop.getResult(number)});
      }
    } else if (auto branch = dyn_cast<scf::IfOp>(parent)) {
      work.append({branch.thenYield().getOperand(number), branch.elseYield().getOperand(number)});
    }
  }
}

bool CarriedSplitter::isCandidate(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return false;
  Type element = type.getElementType();
  bool offsets = element.isIndex() || element.isInteger(32) || element.isInteger(64);
  return isa<PtrType>(element) || (offsets && needed.contains(value));
}

void CarriedSplitter::collect(Operation *op) {
  OpMerges found;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (unsigned i = 0; i < loop.getInitArgs().size(); ++i)
      if (isCandidate(loop.getResult(i)) || isCandidate(loop.getRegionIterArg(i)))
        found.early.push_back({op,
                               i,
                               {loop.getRegionIterArg(i), loop.getResult(i)},
                               {loop.getInitArgs()[i], loop.getYieldedValues()[i]}});
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (unsigned i = 0; i < loop.getInits().size(); ++i)
      if (isCandidate(loop.getBeforeArguments()[i]))
        found.early.push_back({op,
                               i,
                               {loop.getBeforeArguments()[i]},
                               {loop.getInits()[i], loop.getYieldOp().getOperand(i)}});
    for (unsigned i = 0; i < loop.getNumResults(); ++i)
      if (isCandidate(loop.getResult(i)) || isCandidate(loop.getAfterArguments()[i]))
        found.late.push_back({op,
                              i,
                              {loop.getAfterArguments()[i], loop.getResult(i)},
                              {loop.getConditionOp().getArgs()[i]}});
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (unsigned i = 0; i < branch.getNumResults(); ++i)
      if (isCandidate(branch.getResult(i)))
        found.late.push_back(
            {op,
             i,
             {branch.getResult(i)},
             {branch.thenYield().getOperand(i), branch.elseYield().getOperand(i)}});
  }
  if (found.any())
    merges[op] = std::move(found);
}

//===-----------------------------------------------------------------------------------------===//
// Analysis
//===-----------------------------------------------------------------------------------------===//

/// Is every scalar that the lanes depend on known outside `op`?
static bool isKnownOutside(const LaneAffine &form, bool withBase, Operation *op) {
  auto outside = [&](Value value) {
    Operation *place = value.getDefiningOp();
    if (!place)
      place = value.getParentBlock()->getParentOp();
    else if (place == op)
      return false;
    return place == op ? isa<OpResult>(value) : !op->isProperAncestor(place);
  };
  auto all = [&](const LinearExpr &expr) {
    return llvm::all_of(expr.getTerms(), [&](const LinearTerm &term) {
      return llvm::all_of(term.factors, outside);
    });
  };
  if (withBase && form.base && !outside(form.base))
    return false;
  return llvm::all_of(form.dims, [&](const LaneDim &dim) {
    return all(dim.coefficient) && (!dim.wrap || (all(dim.wrap->start) && all(dim.wrap->size)));
  });
}

/// Gives the values of merges the form of their first incoming value, their own scalar in the place
/// of its offset.
void CarriedSplitter::assumeMerges(MutableArrayRef<Merge> list) {
  for (Merge &merge : list) {
    if (!merge.isAffine())
      continue;
    const LaneAffine *first = lanes->get(merge.incoming.front());
    bool carriesBase = merge.carry == Carry::BaseOffset;
    if (!first || !isKnownOutside(*first, !carriesBase, merge.op)) {
      merge.carry =
          first && merge.isPointer() && !carriesBase && isKnownOutside(*first, false, merge.op)
              ? Carry::BaseOffset
          : merge.isPointer() ? Carry::Indexed
                              : Carry::AsItIs;
      if (!merge.isAffine())
        continue;
      carriesBase = true;
    }
    merge.form = *first;
    for (Value value : merge.values) {
      LaneAffine form = *first;
      form.offset = LinearExpr::leaf(value);
      if (carriesBase)
        form.base = value;
      lanes->assume(value, form);
    }
  }
}

/// In program order, so that a form is assumed before anything asks for it.
void CarriedSplitter::assumeBlock(Block &block) {
  for (Operation &op : block) {
    if (op.getNumRegions() == 0)
      continue;
    auto found = merges.find(&op);
    bool any = found != merges.end();
    if (any)
      assumeMerges(found->second.early);
    auto loop = dyn_cast<scf::WhileOp>(&op);
    for (Region &region : op.getRegions()) {
      for (Block &inner : region)
        assumeBlock(inner);
      if (any && loop && &region == &loop.getBefore())
        assumeMerges(found->second.late);
    }
    if (any && !loop)
      assumeMerges(found->second.late);
  }
}

/// Checks the other ways in; true if the merge had to take a weaker form.
bool CarriedSplitter::demote(Merge &merge) {
  if (!merge.isAffine())
    return false;
  bool sameLanes = true, sameBase = true;
  for (Value incoming : llvm::drop_begin(merge.incoming)) {
    const LaneAffine *form = lanes->get(incoming);
    sameLanes &= form && form->sameLanes(merge.form);
    sameBase &= form && form->base == merge.form.base;
  }
  if (sameLanes && (sameBase || merge.carry == Carry::BaseOffset))
    return false;
  merge.carry = !merge.isPointer() ? Carry::AsItIs : sameLanes ? Carry::BaseOffset : Carry::Indexed;
  return true;
}

void CarriedSplitter::analyze() {
  for (bool changed = true; changed;) {
    changed = false;
    lanes = std::make_unique<LaneAffines>();
    for (Block &block : function.getBody())
      assumeBlock(block);
    for (auto &[op, found] : merges) {
      for (Merge &merge : found.early)
        changed |= demote(merge);
      for (Merge &merge : found.late)
        changed |= demote(merge);
    }
  }
  for (auto &[op, found] : merges) {
    auto stays = [](const Merge &merge) { return merge.carry == Carry::AsItIs; };
    llvm::erase_if(found.early, stays);
    llvm::erase_if(found.late, stays);
  }
}

//===-----------------------------------------------------------------------------------------===//
// Rewrite
//===-----------------------------------------------------------------------------------------===//

SmallVector<Type> CarriedSplitter::partTypes(const Merge &merge) const {
  auto tensor = cast<RankedTensorType>(merge.values.front().getType());
  MLIRContext *context = tensor.getContext();
  Type index = IndexType::get(context);
  switch (merge.carry) {
  case Carry::Offset:
    return {index};
  case Carry::BaseOffset:
    return {tensor.getElementType(), index};
  case Carry::Indexed:
    return {tensor.getElementType(),
            RankedTensorType::get(tensor.getShape(), IntegerType::get(context, 64))};
  case Carry::AsItIs:
    break;
  }
  return {};
}

/// The parts of an incoming value, at the builder's place.
FailureOr<SmallVector<Value>> CarriedSplitter::emitIncoming(OpBuilder &builder, const Merge &merge,
                                                            Value incoming) {
  Location loc = incoming.getLoc();
  if (merge.carry == Carry::Indexed) {
    auto form = indexed->getMaterialized(incoming);
    if (failed(form))
      return failure();
    return SmallVector<Value>{form->base, form->offsets};
  }
  const LaneAffine *form = lanes->get(incoming);
  Value offset = scalars.emit(builder, loc, form->offset);
  if (merge.carry == Carry::Offset)
    return SmallVector<Value>{offset};
  return SmallVector<Value>{emitter.resolveBase(form->base), offset};
}

/// Puts the tensor together again from its parts, and lets forms that speak of `value` find them.
Value CarriedSplitter::rebuild(OpBuilder &builder, const Merge &merge, Value value,
                               ValueRange parts) {
  Location loc = value.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  Value base = merge.isPointer() ? parts.front() : Value();
  Value offsets = parts.back();
  if (merge.carry == Carry::Offset && base)
    base = emitter.resolveBase(merge.form.base);
  if (merge.isAffine()) {
    scalars.bind(value, offsets);
    if (base)
      emitter.bindBase(value, base);
    LaneAffine form = merge.form;
    form.offset = LinearExpr::leaf(offsets);
    auto offsetType = base ? RankedTensorType::get(type.getShape(), builder.getI64Type()) : type;
    offsets = emitter.emitTensor(builder, loc, form, offsetType);
  } else {
    indexed->assume(value, {base, LinearExpr(), offsets});
  }
  if (!base)
    return offsets;
  Value splat = tensor::SplatOp::create(builder, loc, type, base);
  return AddPtrOp::create(builder, loc, type, splat, offsets);
}

static bool isMerged(ArrayRef<Merge> list, unsigned position) {
  return llvm::any_of(list, [&](const Merge &merge) { return merge.position == position; });
}

/// Adds block arguments for the parts and replaces the merges' values in the block.
void CarriedSplitter::addArguments(Block &block, ArrayRef<Merge> list) {
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  for (const Merge &merge : list) {
    Value value = merge.values.front();
    SmallVector<Value> parts;
    for (Type type : partTypes(merge))
      parts.push_back(block.addArgument(type, value.getLoc()));
    value.replaceAllUsesWith(rebuild(builder, merge, value, parts));
    deadArguments.push_back(cast<BlockArgument>(value));
  }
}

/// Replaces the results of `op` by those of `by`, which has what is not merged first.
void CarriedSplitter::replaceResults(Operation *op, Operation *by, ArrayRef<Merge> list) {
  unsigned next = 0;
  for (OpResult result : op->getResults()) {
    if (isMerged(list, result.getResultNumber()))
      continue;
    Value replacement = by->getResult(next++);
    result.replaceAllUsesWith(replacement);
    scalars.bind(result, replacement);
  }
  OpBuilder builder(op);
  for (const Merge &merge : list) {
    unsigned count = partTypes(merge).size();
    Value value = merge.values.back();
    value.replaceAllUsesWith(rebuild(builder, merge, value, by->getResults().slice(next, count)));
    next += count;
  }
  replaced.push_back({op, by});
}

LogicalResult CarriedSplitter::rewriteOp(Operation *op) {
  const OpMerges &found = merges.find(op)->second;
  OpBuilder builder(op);
  Location loc = op->getLoc();

  // Operands: what is not merged, then the parts. Results likewise.
  auto inits = [&](ValueRange old) -> FailureOr<SmallVector<Value>> {
    SmallVector<Value> result;
    for (auto [position, value] : llvm::enumerate(old))
      if (!isMerged(found.early, position))
        result.push_back(value);
    for (const Merge &merge : found.early) {
      auto parts = emitIncoming(builder, merge, merge.incoming.front());
      if (failed(parts))
        return failure();
      llvm::append_range(result, *parts);
    }
    return result;
  };
  SmallVector<Type> results;
  for (auto [position, type] : llvm::enumerate(op->getResultTypes()))
    if (!isMerged(found.late, position))
      results.push_back(type);
  for (const Merge &merge : found.late)
    llvm::append_range(results, partTypes(merge));

  Operation *created;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    auto operands = inits(loop.getInitArgs());
    if (failed(operands))
      return failure();
    auto newLoop = scf::ForOp::create(builder, loc, loop.getLowerBound(), loop.getUpperBound(),
                                      loop.getStep(), *operands);
    newLoop.setUnsignedCmp(loop.getUnsignedCmp());
    newLoop.getRegion().takeBody(loop.getRegion());
    addArguments(*newLoop.getBody(), found.early);
    created = newLoop;
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    auto operands = inits(loop.getInits());
    if (failed(operands))
      return failure();
    auto newLoop = scf::WhileOp::create(builder, loc, results, *operands);
    newLoop.getBefore().takeBody(loop.getBefore());
    newLoop.getAfter().takeBody(loop.getAfter());
    addArguments(newLoop.getBefore().front(), found.early);
    created = newLoop;
  } else {
    auto branch = cast<scf::IfOp>(op);
    auto newBranch = scf::IfOp::create(builder, loc, results, branch.getCondition(),
                                       /*addThenBlock=*/false, /*addElseBlock=*/false);
    newBranch.getThenRegion().takeBody(branch.getThenRegion());
    newBranch.getElseRegion().takeBody(branch.getElseRegion());
    created = newBranch;
  }
  created->setDiscardableAttrs(op->getDiscardableAttrDictionary());

  auto loop = dyn_cast<scf::WhileOp>(created);
  for (Region &region : created->getRegions()) {
    if (loop && &region == &loop.getAfter())
      addArguments(region.front(), found.late);
    for (Block &block : region)
      if (failed(rewriteBlock(block)))
        return failure();
  }
  replaceResults(op, created, isa<scf::ForOp>(created) ? found.early : found.late);
  return success();
}

LogicalResult CarriedSplitter::rewriteBlock(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    if (op.getNumRegions())
      ops.push_back(&op);
  for (Operation *op : ops) {
    auto found = merges.find(op);
    if (found != merges.end() && found->second.any()) {
      if (failed(rewriteOp(op)))
        return failure();
      continue;
    }
    for (Region &region : op->getRegions())
      for (Block &inner : region)
        if (failed(rewriteBlock(inner)))
          return failure();
  }
  return success();
}

/// Lets a terminator pass on parts. `incoming` is its place among the merges' ways in, `first` the
/// operand that belongs to position 0.
LogicalResult CarriedSplitter::finishTerminator(Operation *terminator, ArrayRef<Merge> list,
                                                unsigned incoming, unsigned first) {
  OpBuilder builder(terminator);
  SmallVector<Value> operands;
  for (auto [position, value] : llvm::enumerate(terminator->getOperands()))
    if (position < first || !isMerged(list, position - first))
      operands.push_back(value);
  for (const Merge &merge : list) {
    auto parts = emitIncoming(builder, merge, merge.incoming[incoming]);
    if (failed(parts))
      return failure();
    llvm::append_range(operands, *parts);
  }
  terminator->setOperands(operands);
  return success();
}

LogicalResult CarriedSplitter::finish() {
  for (auto [old, created] : replaced) {
    const OpMerges &found = merges.find(old)->second;
    if (auto loop = dyn_cast<scf::ForOp>(created)) {
      if (failed(finishTerminator(loop.getBody()->getTerminator(), found.early, 1, 0)))
        return failure();
    } else if (auto loop = dyn_cast<scf::WhileOp>(created)) {
      if (failed(finishTerminator(loop.getConditionOp(), found.late, 0, 1)) ||
          failed(finishTerminator(loop.getYieldOp(), found.early, 1, 0)))
        return failure();
    } else {
      auto branch = cast<scf::IfOp>(created);
      if (failed(finishTerminator(branch.thenYield(), found.late, 0, 0)) ||
          failed(finishTerminator(branch.elseYield(), found.late, 1, 0)))
        return failure();
    }
  }
  for (auto [old, created] : replaced)
    old->dropAllReferences();
  for (auto [old, created] : replaced)
    old->erase();
  for (BlockArgument argument : deadArguments)
    argument.getOwner()->eraseArgument(argument.getArgNumber());
  return success();
}

LogicalResult CarriedSplitter::run() {
  findNeeded();
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { collect(op); });
  if (merges.empty())
    return success();
  analyze();
  indexed = std::make_unique<IndexedPointers>(*lanes, emitter);
  for (Block &block : function.getBody())
    if (failed(rewriteBlock(block)))
      return failure();
  return finish();
}

LogicalResult tile::splitCarriedPointers(func::FuncOp function) {
  return CarriedSplitter(function).run();
}
