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

#include "lib/Frontend/Ast/Subscripts.h"
#include "lib/Frontend/Sema/Sema.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace kiln;
using namespace kiln::frontend;

Completion Sema::runLanes(const ast::ForStmt &node, const ScopeData &scope) {
  const auto *sequence = llvm::dyn_cast<ast::SequenceExpr>(node.target);
  CallContext context(*this, *node.iterable, "loop");
  Value targets;
  {
    llvm::SaveAndRestore<const ast::ForStmt *> entering(enteredLoop, &node);
    targets = scope.enter(context, sequence ? sequence->elements.size() : 1);
  }
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

mlir::Block *Sema::blockAround(mlir::Block *block) const {
  if (mlir::Operation *parent = block->getParentOp())
    return parent == kernelFunction ? nullptr : parent->getBlock();
  for (auto [region, outside] : openBranches)
    if (region == block->getParent())
      return outside;
  return nullptr;
}

std::optional<int64_t> Sema::extentIndexedBy(size_t target) const {
  if (!enteredLoop)
    return std::nullopt;
  const ast::Expr *expr = enteredLoop->target;
  if (const auto *sequence = llvm::dyn_cast<ast::SequenceExpr>(expr))
    expr = target < sequence->elements.size() ? sequence->elements[target] : nullptr;
  const auto *name = llvm::dyn_cast_or_null<ast::NameExpr>(expr);
  if (!name)
    return std::nullopt;
  std::optional<int64_t> smallest;
  ast::forEachSubscript(enteredLoop->body, [&](const ast::SubscriptExpr &node) {
    const auto *object = llvm::dyn_cast<ast::NameExpr>(node.object);
    std::shared_ptr<const BufferData> buffer =
        object ? frame->names[object->id].value.asBuffer() : nullptr;
    if (!buffer || buffer->isGlobal)
      return;
    const auto *sequence = llvm::dyn_cast<ast::SequenceExpr>(node.index);
    llvm::ArrayRef<const ast::Expr *> indices =
        sequence ? llvm::ArrayRef<const ast::Expr *>(sequence->elements)
                 : llvm::ArrayRef(node.index);
    for (auto [index, extent] : llvm::zip(indices, buffer->shape)) {
      const auto *used = llvm::dyn_cast<ast::NameExpr>(index);
      std::optional<int64_t> size = extent.asInt() ? extent.asInt()->asInt64() : std::nullopt;
      if (used && used->id == name->id && size)
        smallest = std::min(smallest.value_or(*size), *size);
    }
  });
  return smallest;
}
