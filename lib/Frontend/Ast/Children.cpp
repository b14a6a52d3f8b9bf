//===- Children.cpp - the parts of an expression ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Ast/Children.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace kiln::frontend;
using namespace kiln::frontend::ast;

void ast::forEachChild(const Expr *expr, llvm::function_ref<void(const Expr *)> visit) {
  auto visitAll = [&](llvm::ArrayRef<const Expr *> parts) {
    for (const Expr *part : parts)
      if (part)
        visit(part);
  };
  llvm::TypeSwitch<const Expr *>(expr)
      .Case([&](const AttributeExpr *e) { visit(e->object); })
      .Case([&](const SubscriptExpr *e) { visitAll({e->object, e->index}); })
      .Case([&](const SliceExpr *e) { visitAll({e->lower, e->upper, e->step}); })
      .Case([&](const SequenceExpr *e) { visitAll(e->elements); })
      .Case([&](const UnaryExpr *e) { visit(e->operand); })
      .Case([&](const BinaryExpr *e) { visitAll({e->lhs, e->rhs}); })
      .Case([&](const BoolExpr *e) { visitAll(e->operands); })
      .Case([&](const CompareExpr *e) {
        visit(e->first);
        visitAll(e->rest);
      })
      .Case([&](const CallExpr *e) {
        visit(e->callee);
        visitAll(e->arguments);
        for (const CallExpr::Keyword &keyword : e->keywords)
          visit(keyword.value);
      })
      .Case([&](const IfExpr *e) { visitAll({e->condition, e->thenValue, e->elseValue}); })
      .Case([&](const FormattedString *e) {
        for (const FormattedString::Part &part : e->parts)
          visit(part.value);
      })
      .Case([&](const NamedExpr *e) { visit(e->value); })
      .Case([&](const StarredExpr *e) { visit(e->value); })
      .Case([&](const DictExpr *e) {
        visitAll(e->keys);
        visitAll(e->values);
      })
      .Case([&](const ListComp *e) {
        for (const ListComp::Generator &generator : e->generators) {
          visit(generator.iterable);
          visitAll(generator.conditions);
        }
        visit(e->element);
      });
}
