//===- LaneLoops.cpp - loops whose body is visited once for all lanes --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The language's scope says what the targets stand for: blocks with one element for each lane. Such
// a loop hands nothing from lane to lane, so a name that would be is an error.
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Sema/Sema.h"

using namespace kiln;
using namespace kiln::frontend;

Completion Sema::runLanes(const ast::ForStmt &node, const ScopeData &scope) {
  CallContext context(*this, *node.iterable, "loop");
  Value targets = enter(context, scope, node.target, node.body);
  std::vector<Binding> before = frame->names;
  if (scope.widen && !targets.isPoison())
    for (Binding &binding : frame->names)
      if (binding.state == Binding::Bound)
        binding.value = scope.widen(context, binding.value);
  assign(node.target, targets);
  Completion completion = runLoopBody(node.body, node.facts);
  if (scope.leave)
    scope.leave(context);
  refuseCarriedNames(node, before);
  for (auto [id, binding] : llvm::enumerate(before))
    if (!node.facts.assigned.test(id))
      frame->names[id] = binding;
  forgetNames(node.facts.assigned, node);
  return completion.kind == Completion::Stops ? completion : Completion();
}

/// Names that an iteration reads as the one before has left them.
void Sema::refuseCarriedNames(const ast::ForStmt &node, llvm::ArrayRef<Binding> before) {
  for (ast::NameId id : node.facts.assigned.set_bits()) {
    const Binding &binding = frame->names[id];
    if (!node.facts.exposed.test(id) || before[id].state != Binding::Bound ||
        before[id].value.hasPoison() || !binding.place)
      continue;
    Diagnostic &diagnostic = reportError(
        *binding.place, "'" + frame->function->names[id] +
                            "' would go from one lane to the next here, but lanes run in "
                            "parallel: a reduction makes one value of many, T.serial runs in "
                            "order");
    if (before[id].place)
      diagnostic.note("it has its first value from here", place(*before[id].place));
  }
}
