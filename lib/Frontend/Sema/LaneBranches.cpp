//===- LaneBranches.cpp - an `if` on a block ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// In a loop whose body is visited once for all lanes a condition is a block. Both branches are
// visited, each under its mask, which the language's stores see; a name that a branch assigned
// stands for a choice lane by lane afterwards.
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Sema/Sema.h"

using namespace kiln;
using namespace kiln::frontend;

Value Sema::spread(const ast::Node &node, const Value &value) {
  if (!vocabulary.hooks().spread || !value.isRuntime())
    return value;
  CallContext context(*this, node, "lanes");
  return vocabulary.hooks().spread(context, value);
}

Completion Sema::runLaneBranches(const ast::IfStmt &node, const Value &mask) {
  const OperatorHooks &hooks = vocabulary.hooks();
  CallContext context(*this, *node.condition, "if");
  llvm::SmallVector<ast::NameId> ids(node.facts.assigned.set_bits_begin(),
                                     node.facts.assigned.set_bits_end());
  std::vector<Binding> before, after[2];
  for (ast::NameId id : ids)
    before.push_back(frame->names[id]);

  for (int side : {0, 1}) {
    Value lanes = side == 0 ? mask : hooks.unary(context, UnaryOperator::Not, mask);
    if (lanes.isPoison() || !hooks.enterMask(context, lanes)) {
      poisonNames(node.facts.assigned, node);
      return {};
    }
    Completion completion = run(side == 0 ? node.thenBody : node.elseBody, node.facts.liveAfter);
    hooks.leaveMask(context);
    for (auto [id, binding] : llvm::zip(ids, before)) {
      after[side].push_back(frame->names[id]);
      frame->names[id] = binding;
    }
    if (completion.kind == Completion::Stops)
      return completion;
    if (completion.kind != Completion::Falls && completion.place)
      error(*completion.place, "found 'return' under a condition that differs from lane to lane, "
                               "expected it behind the condition");
  }

  for (auto [index, id] : llvm::enumerate(ids)) {
    const Binding &yes = after[0][index], &no = after[1][index];
    if (yes.state != Binding::Bound || no.state != Binding::Bound) {
      frame->names[id] = {Binding::Maybe, {}, yes.place ? yes.place : no.place};
      continue;
    }
    Value joined = isSameValue(yes.value, no.value)
                       ? yes.value
                       : hooks.select(context, mask, yes.value, no.value);
    frame->names[id] = {Binding::Bound, joined, yes.place};
  }
  return {};
}

Value Sema::chooseLanes(const ast::IfExpr &node, const Value &mask) {
  const OperatorHooks &hooks = vocabulary.hooks();
  CallContext context(*this, *node.condition, "if");
  Value values[2];
  for (int side : {0, 1}) {
    Value lanes = side == 0 ? mask : hooks.unary(context, UnaryOperator::Not, mask);
    if (lanes.isPoison() || !hooks.enterMask(context, lanes))
      return Value::poison();
    const ast::Expr *expr = side == 0 ? node.thenValue : node.elseValue;
    values[side] = read(*expr, evaluate(expr));
    hooks.leaveMask(context);
  }
  return hooks.select(context, mask, values[0], values[1]);
}
