//===- Assignments.cpp - names get values ------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Sema/Sema.h"

using namespace kiln;
using namespace kiln::frontend;

void Sema::assign(const ast::Expr *target, const Value &value) {
  if (const auto *name = llvm::dyn_cast<ast::NameExpr>(target)) {
    bind(name->id, value, *target);
    return;
  }
  if (const auto *item = llvm::dyn_cast<ast::SubscriptExpr>(target); item && hasBuffers()) {
    Value object = evaluate(item->object);
    assignItem(*target, object, evaluate(item->index), value);
    return;
  }
  const auto *sequence = llvm::dyn_cast<ast::SequenceExpr>(target);
  if (!sequence) {
    bool isItem = llvm::isa<ast::SubscriptExpr>(target);
    llvm::StringRef what = isItem                                  ? "an item"
                           : llvm::isa<ast::AttributeExpr>(target) ? "an attribute"
                           : llvm::isa<ast::StarredExpr>(target)   ? "a starred target"
                                                                   : "this expression";
    error(*target, "unsupported construct: found an assignment to " + what +
                       (isItem ? "; values are immutable, tl.store writes memory" : ""));
    return;
  }
  llvm::ArrayRef<Value> elements = value.elements();
  bool fits = value.isTuple() && elements.size() == sequence->elements.size();
  if (!fits && !value.isPoison())
    error(*target, "found " + describe(value) + ", expected a tuple of " +
                       llvm::Twine(sequence->elements.size()) + " to unpack");
  for (size_t i = 0; i < sequence->elements.size(); ++i)
    assign(sequence->elements[i], fits ? elements[i] : Value::poison());
}

void Sema::assignItem(const ast::Node &node, const Value &object, const Value &index,
                      const Value &value) {
  if (object.hasPoison() || index.hasPoison() || value.hasPoison())
    return;
  CallContext context(*this, node, "assignment");
  vocabulary.hooks().write(context, object, indicesOf(node, index), read(node, value));
}

void Sema::runAugmented(const ast::AugAssignStmt &node) {
  if (const auto *item = llvm::dyn_cast<ast::SubscriptExpr>(node.target); item && hasBuffers()) {
    Value object = evaluate(item->object), index = evaluate(item->index);
    Value old = subscript(*item, object, index);
    Value rhs = evaluate(node.value);
    assignItem(*item, object, index, binary(node, node.op, old, rhs));
    return;
  }
  const auto *name = llvm::dyn_cast<ast::NameExpr>(node.target);
  if (!name) {
    error(*node.target, "unsupported construct: found an augmented assignment to something that "
                        "is not a name");
    return;
  }
  Value lhs = readName(*name, name->id);
  Value rhs = evaluate(node.value);
  bind(name->id, binary(node, node.op, lhs, rhs), *name);
}

/// `tl.constexpr`, `constexpr`, or either as a string.
bool Sema::isConstexprAnnotation(const ast::Expr *annotation) {
  if (const auto *constant = llvm::dyn_cast<ast::ConstantExpr>(annotation))
    return constant->value.asString() &&
           llvm::StringRef(*constant->value.asString()).ends_with("constexpr");
  if (const auto *attribute = llvm::dyn_cast<ast::AttributeExpr>(annotation))
    return attribute->name == "constexpr";
  const auto *name = llvm::dyn_cast<ast::NameExpr>(annotation);
  return name && frame->function->names[name->id] == "constexpr";
}

void Sema::runAnnotated(const ast::AnnAssignStmt &node) {
  const auto *name = llvm::dyn_cast<ast::NameExpr>(node.target);
  if (!name) {
    error(*node.target, "unsupported construct: found an annotation on something that is not a "
                        "name");
    return;
  }
  bool isConstexpr = isConstexprAnnotation(node.annotation);
  Binding &binding = frame->names[name->id];
  if (isConstexpr && binding.state == Binding::Bound && binding.place != node.target &&
      !binding.value.isPoison()) {
    reportError(node, "'" + frame->function->names[name->id] +
                          "' is defined already and cannot become constexpr")
        .note("it is defined here", place(*binding.place));
    return;
  }
  if (isConstexpr)
    frame->awaitsConstexpr.set(name->id);
  if (node.value)
    bind(name->id, evaluate(node.value), *node.target);
}
