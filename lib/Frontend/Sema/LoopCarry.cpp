//===- LoopCarry.cpp - what a loop hands from one iteration to the next ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Sema/LoopCarry.h"

using namespace kiln;
using namespace kiln::frontend;

LoopCarry::LoopCarry(Sema &sema, const ast::Node &loop, llvm::ArrayRef<ast::NameId> ids)
    : sema(sema), loop(loop), ids(ids.begin(), ids.end()) {
  for (ast::NameId id : ids) {
    before.push_back(sema.frame->names[id]);
    plans.push_back(plan(before.back().value));
  }
}

LoopCarry::Plan LoopCarry::plan(const Value &value) {
  Plan result;
  if (value.isTuple() && !value.hasPoison()) {
    result.shape = value.asTuple();
    result.children.emplace();
    for (const Value &element : value.elements())
      result.children->push_back(plan(element));
    return result;
  }
  Value runtime = value.isNumber() ? sema.materialize(loop, value) : value;
  if (!runtime.isRuntime()) {
    result.known = runtime;
    return result;
  }
  // In lanes, numbers may come to differ; integers stay as they are, since they count and index.
  if (runtime.type().isFloatLike())
    runtime = sema.spread(loop, runtime);
  result.leaf = leaves.size();
  result.type = runtime.type();
  leaves.push_back(runtime.ir());
  return result;
}

llvm::SmallVector<mlir::Type> LoopCarry::types() const {
  llvm::SmallVector<mlir::Type> result;
  for (mlir::Value leaf : leaves)
    result.push_back(leaf.getType());
  return result;
}

Value LoopCarry::realize(const Plan &plan, mlir::ValueRange values) const {
  if (plan.leaf)
    return Value::runtime(values[*plan.leaf], plan.type);
  if (!plan.children)
    return plan.known;
  std::vector<Value> elements;
  for (const Plan &child : *plan.children)
    elements.push_back(realize(child, values));
  return Value::tuple(std::move(elements), plan.shape->names, plan.shape->isList);
}

void LoopCarry::enter(mlir::ValueRange values) {
  for (auto [id, plan, binding] : llvm::zip(ids, plans, before))
    sema.frame->names[id] = {Binding::Bound, realize(plan, values), binding.place};
}

void LoopCarry::restore() {
  for (auto [id, binding] : llvm::zip(ids, before))
    sema.frame->names[id] = binding;
}

bool LoopCarry::collect(const Plan &plan, const Value &value,
                        llvm::SmallVectorImpl<mlir::Value> &result) {
  if (plan.children) {
    if (!value.isTuple() || value.elements().size() != plan.children->size() ||
        value.asTuple()->names != plan.shape->names)
      return false;
    for (auto [child, element] : llvm::zip(*plan.children, value.elements()))
      if (!collect(child, element, result))
        return false;
    return true;
  }
  if (!plan.leaf)
    return plan.known.isPoison() || identical(plan.known, value);
  Value runtime = value;
  if (value.isNumber())
    runtime = sema.materialize(loop, value);
  if (runtime.isRuntime() && plan.type.isBlock())
    runtime = sema.spread(loop, runtime);
  if (!runtime.isRuntime() || runtime.type() != plan.type)
    return false;
  result.push_back(runtime.ir());
  return true;
}

llvm::SmallVector<mlir::Value> LoopCarry::leave() {
  llvm::SmallVector<mlir::Value> result;
  for (auto [id, plan, start] : llvm::zip(ids, plans, before)) {
    const Binding &end = sema.frame->names[id];
    size_t count = result.size();
    if (end.state == Binding::Bound && end.value.hasPoison()) {
      // Reported where it arose; the leaves only keep the IR's shape.
      plan = Plan();
    } else if (end.state != Binding::Bound) {
      sema.reportError(loop, "'" + sema.frame->function->names[id] +
                                 "' has no value on some ways through the loop's body")
          .note("it gets one only here", sema.place(*end.place));
      plan = Plan();
    } else if (!collect(plan, end.value, result)) {
      sema.reportError(*end.place, "'" + sema.frame->function->names[id] + "' is " +
                                       typeName(start.value) + " before the loop and " +
                                       typeName(end.value) +
                                       " after an iteration; a name that a loop carries keeps "
                                       "its type")
          .note("its first value comes from here", sema.place(*start.place));
      plan = Plan();
    }
    if (!plan.leaf && !plan.children)
      result.truncate(count);
  }
  // After an error the module is dropped; give the terminator operands of the right number and
  // types all the same.
  if (result.size() != leaves.size())
    return leaves;
  return result;
}
