//===- Scopes.cpp - scopes of the language ------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A `with` statement, and a loop for all lanes, enter a scope that the language gives a meaning.
// While it is entered, the language may ask what the body does with the targets.
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Ast/Subscripts.h"
#include "lib/Frontend/Sema/Sema.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace kiln;
using namespace kiln::frontend;

Completion Sema::runWith(const ast::WithStmt &node) {
  std::vector<Value> scopes;
  for (const ast::WithStmt::Item &item : node.items) {
    Value value = evaluate(item.context);
    const ScopeData *scope = value.asScope();
    if (!scope && !value.isPoison())
      value = error(*item.context, hasBuffers() ? "found " + describe(value) + ", expected a scope"
                                                : "unsupported construct: found 'with', which "
                                                  "kernels cannot contain");
    CallContext context(*this, *item.context, "with");
    Value given = scope ? enter(context, *scope, item.target, node.body) : Value::poison();
    if (item.target)
      assign(item.target, given);
    if (scope)
      scopes.push_back(value);
  }
  Completion completion = run(node.body, node.liveAfter);
  for (const Value &value : llvm::reverse(scopes)) {
    CallContext context(*this, node, "with");
    if (value.asScope()->leave)
      value.asScope()->leave(context);
  }
  return completion;
}

Value Sema::enter(CallContext &context, const ScopeData &scope, const ast::Expr *target,
                  const ast::Block &body) {
  llvm::SaveAndRestore inner(entered);
  entered = {target, &body};
  const auto *sequence = llvm::dyn_cast_or_null<ast::SequenceExpr>(target);
  return scope.enter(context, sequence ? sequence->elements.size() : target ? 1 : 0);
}

const ast::NameExpr *Sema::enteredName(size_t index) const {
  const ast::Expr *target = entered.target;
  if (const auto *sequence = llvm::dyn_cast_or_null<ast::SequenceExpr>(target))
    target = index < sequence->elements.size() ? sequence->elements[index] : nullptr;
  return llvm::dyn_cast_or_null<ast::NameExpr>(target);
}

bool Sema::readsTarget(size_t index) const {
  const ast::NameExpr *name = enteredName(index);
  // The target itself is the first mention.
  return !name || frame->function->mentions.lookup(frame->function->names[name->id]) > 1;
}

std::optional<int64_t> Sema::extentIndexedBy(size_t target) const {
  const ast::NameExpr *name = enteredName(target);
  if (!name)
    return std::nullopt;
  std::optional<int64_t> smallest;
  ast::forEachSubscript(*entered.body, [&](const ast::SubscriptExpr &node) {
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

mlir::Block *Sema::blockAround(mlir::Block *block) const {
  if (mlir::Operation *parent = block->getParentOp())
    return parent == kernelFunction ? nullptr : parent->getBlock();
  for (auto [region, outside] : openBranches)
    if (region == block->getParent())
      return outside;
  return nullptr;
}
