//===- Loops.cpp - for and while ---------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Ast/LiveNames.h"
#include "lib/Frontend/Sema/ConstEval.h"
#include "lib/Frontend/Sema/LoopCarry.h"
#include "lib/Frontend/Sema/Sema.h"

#include "kiln/Analysis/IntegerFacts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace kiln;
using namespace kiln::frontend;

void Sema::poisonNames(const ast::NameSet &names, const ast::Node &place) {
  for (ast::NameId id : names.set_bits())
    frame->names[id] = {Binding::Bound, Value::poison(), &place};
}

llvm::SmallVector<ast::NameId> Sema::carriedNames(const ast::FlowFacts &facts) {
  llvm::SmallVector<ast::NameId> ids;
  for (ast::NameId id : facts.assigned.set_bits())
    if (frame->names[id].state == Binding::Bound &&
        (facts.exposed.test(id) || facts.liveAfter.test(id)))
      ids.push_back(id);
  return ids;
}

/// What the body assigned and the loop does not carry has no value after it: the loop may not have
/// run.
void Sema::forgetNames(const ast::NameSet &names, const ast::Node &place) {
  for (ast::NameId id : names.set_bits())
    frame->names[id] = {
        Binding::Maybe, {}, frame->names[id].place ? frame->names[id].place : &place};
}

Completion Sema::runLoopBody(const ast::Block &body, const ast::FlowFacts &facts) {
  llvm::SaveAndRestore<unsigned> inLoop(frame->loopDepth, frame->loopDepth + 1);
  ast::NameSet live = facts.liveAfter;
  live |= facts.exposed;
  return run(body, live);
}

Completion Sema::runFor(const ast::ForStmt &node) {
  if (node.elseClause)
    error(*node.elseClause, "unsupported construct: found 'else' on a loop");
  Value iterable = evaluate(node.iterable);
  if (const ScopeData *scope = iterable.asScope())
    return runLanes(node, *scope);
  const RangeData *range = iterable.asRange();
  if (iterable.isTuple() && hasBuffers())
    return runUnrolled(node, iterable);
  if (!llvm::isa<ast::NameExpr>(node.target) && !(range && range->element) &&
      !iterable.isPoison()) {
    error(*node.target, "unsupported construct: the target of a loop must be a name");
    return {};
  }
  if (!range) {
    if (!iterable.isPoison())
      error(*node.iterable,
            "found " + describe(iterable) +
                (hasBuffers() ? ", expected T.serial or another loop of the language"
                              : ", expected range, tl.range or tl.static_range"));
    // The body is visited for the errors in it.
    poisonNames(node.facts.assigned, node);
    Completion completion = runLoopBody(node.body, node.facts);
    poisonNames(node.facts.assigned, node);
    return completion.kind == Completion::Stops ? completion : Completion();
  }
  return range->isStatic ? runUnrolled(node, iterable) : runRangeLoop(node, *range);
}

Completion Sema::runUnrolled(const ast::ForStmt &node, const Value &range) {
  std::optional<std::vector<Value>> values = iterate(*node.iterable, range);
  if (!values) {
    poisonNames(node.facts.assigned, node);
    return {};
  }
  for (const Value &value : *values) {
    assign(node.target, value);
    if (runLoopBody(node.body, node.facts).kind == Completion::Stops)
      return Completion::stops();
  }
  return {};
}

/// The type in which the loop variable is seen: the widest of the bounds', at least 32 bits,
/// unsigned if one of that width is.
static std::optional<DType> counterType(llvm::ArrayRef<Value> bounds) {
  unsigned width = 32;
  bool isUnsigned = false;
  for (const Value &bound : bounds)
    if (bound.isRuntime())
      width = std::max(width, bitWidth(bound.type().dtype()));
  for (const Value &bound : bounds) {
    if (bound.isRuntime())
      isUnsigned |= !isSigned(bound.type().dtype()) && bitWidth(bound.type().dtype()) == width;
    else if (!bound.asInt()->fits(64, true))
      return std::nullopt;
    else if (!bound.asInt()->fits(width, true))
      width = 64;
  }
  // The counter passes the end by up to a step.
  if (const Integer *stop = bounds[1].asInt(), *step = bounds[2].asInt(); stop && step)
    if (std::optional<Integer> end = stop->add(*step); end && !end->fits(width, true))
      width = 64;
  if (width == 32)
    return isUnsigned ? DType::U32 : DType::I32;
  return isUnsigned ? DType::U64 : DType::I64;
}

Completion Sema::runRangeLoop(const ast::ForStmt &node, const RangeData &range) {
  Value bounds[] = {range.start, range.stop, range.step};
  bool isDown = range.step.asInt() && range.step.asInt()->isNegative();
  if (isDown)
    bounds[2] = Value::integer(-*range.step.asInt());
  std::optional<DType> seen = counterType(bounds);
  if (!seen) {
    error(*node.iterable, "a bound of the range is outside the range of int64");
    poisonNames(node.facts.assigned, node);
    return {};
  }
  // Signed comparison of the loop op: unsigned 32-bit counters run in 64 bits.
  DType counter = *seen == DType::U32 ? DType::I64 : *seen == DType::U64 ? DType::I64 : *seen;
  mlir::Location here = loc(node);
  CallContext context(*this, *node.iterable, "range");
  mlir::Value values[3];
  for (int i : {0, 1, 2}) {
    Value converted = bounds[i].isRuntime() ? vocabulary.hooks().cast(context, bounds[i], counter)
                                            : materializeAs(*node.iterable, bounds[i], counter);
    if (converted.isPoison()) {
      poisonNames(node.facts.assigned, node);
      return {};
    }
    values[i] = converted.ir();
  }
  if (isDown)
    std::swap(values[0], values[1]);
  if (bounds[2].isRuntime() && !IntegerFacts().get(values[2]).isPositive()) {
    // Python refuses a step of zero, and a negative one comes to no end behind the start. The
    // loop's operation would not end at all.
    mlir::Type type = values[2].getType();
    auto number = [&](int64_t value) -> mlir::Value {
      return mlir::arith::ConstantOp::create(builder, here, builder.getIntegerAttr(type, value));
    };
    mlir::Value isUp = mlir::arith::CmpIOp::create(builder, here, mlir::arith::CmpIPredicate::sgt,
                                                   values[2], number(0));
    values[1] = mlir::arith::SelectOp::create(builder, here, isUp, values[1], values[0]);
    values[2] = mlir::arith::MaxSIOp::create(builder, here, values[2], number(1));
  }

  llvm::SmallVector<ast::NameId> ids = carriedNames(node.facts);
  // The loop gives its target a value of its own each time.
  if (const auto *target = llvm::dyn_cast<ast::NameExpr>(node.target))
    llvm::erase(ids, target->id);
  LoopCarry carry(*this, node, ids);
  auto op =
      mlir::scf::ForOp::create(builder, here, values[0], values[1], values[2], carry.initial());
  for (const auto &[hint, value] : range.hints)
    op->setDiscardableAttr("tile." + hint,
                           builder.getI64IntegerAttr(asInteger(value)->asInt64().value_or(0)));
  Completion completion;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    mlir::Block *body = op.getBody();
    if (carry.initial().empty())
      builder.setInsertionPoint(body->getTerminator());
    else
      builder.setInsertionPointToEnd(body);
    mlir::Value index = op.getInductionVar();
    if (isDown)
      // Walks up from the stop; the program sees start - (index - stop).
      index = mlir::arith::SubIOp::create(
          builder, here, values[1], mlir::arith::SubIOp::create(builder, here, index, values[0]));
    Value visible = Value::runtime(index, counter);
    if (counter != *seen)
      visible = vocabulary.hooks().cast(context, visible, *seen);
    carry.enter(op.getRegionIterArgs());
    assign(node.target, range.element ? range.element(context, visible) : visible);
    completion = runLoopBody(node.body, node.facts);
    llvm::SmallVector<mlir::Value> yielded = carry.leave();
    if (!carry.initial().empty())
      mlir::scf::YieldOp::create(builder, here, yielded);
  }
  forgetNames(node.facts.assigned, node);
  carry.enter(op.getResults());
  return completion.kind == Completion::Stops ? completion : Completion();
}

/// The condition is a region of its own, run before each iteration. Names that it binds with `:=`
/// and that the loop does not carry anyway travel from it to the body and to what follows.
Completion Sema::runWhile(const ast::WhileStmt &node) {
  if (node.elseClause)
    error(*node.elseClause, "unsupported construct: found 'else' on a loop");
  mlir::Location here = loc(node);
  llvm::SmallVector<ast::NameId> ids = carriedNames(node.facts);
  LoopCarry carry(*this, node, ids);
  llvm::SmallVector<mlir::Type> types = carry.types();
  auto locations = [&](size_t count) { return llvm::SmallVector<mlir::Location>(count, here); };
  mlir::OpBuilder::InsertPoint outside = builder.saveInsertionPoint();

  mlir::Region before;
  mlir::Block *head = builder.createBlock(&before, {}, types, locations(types.size()));
  carry.enter(head->getArguments());
  std::optional<Value> decided = condition(*node.condition, evaluate(node.condition));
  const bool *known = decided ? decided->asBool() : nullptr;
  if (!decided || known) {
    if (known && *known)
      error(*node.condition, "the condition is always true: found a loop without end");
    builder.restoreInsertionPoint(outside);
    forgetNames(node.facts.assigned, node);
    carry.restore();
    if (!known || *known)
      poisonNames(node.facts.assigned, node);
    return {};
  }
  ast::NameSet bound(frame->names.size());
  ast::collectAssigned(node.condition, bound);
  for (ast::NameId id : ids)
    bound.reset(id);
  llvm::SmallVector<ast::NameId> boundIds(bound.set_bits_begin(), bound.set_bits_end());
  llvm::erase_if(boundIds,
                 [&](ast::NameId id) { return frame->names[id].state != Binding::Bound; });
  LoopCarry fromCondition(*this, node, boundIds);
  llvm::SmallVector<mlir::Value> passed = carry.leave();
  llvm::append_range(passed, fromCondition.initial());
  mlir::scf::ConditionOp::create(builder, here, decided->ir(), passed);
  size_t count = types.size();
  llvm::append_range(types, fromCondition.types());

  builder.restoreInsertionPoint(outside);
  auto op = mlir::scf::WhileOp::create(builder, here, mlir::TypeRange(types), carry.initial());
  op.getBefore().takeBody(before);
  mlir::Block *body = builder.createBlock(&op.getAfter(), {}, types, locations(types.size()));
  carry.enter(body->getArguments().take_front(count));
  fromCondition.enter(body->getArguments().drop_front(count));
  Completion completion = runLoopBody(node.body, node.facts);
  mlir::scf::YieldOp::create(builder, here, carry.leave());
  builder.setInsertionPointAfter(op);
  forgetNames(node.facts.assigned, node);
  carry.enter(op.getResults().take_front(count));
  fromCondition.enter(op.getResults().drop_front(count));
  return completion.kind == Completion::Stops ? completion : Completion();
}
