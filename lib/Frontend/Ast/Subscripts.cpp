//===- Subscripts.cpp - where a block says `x[…]` ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Ast/Subscripts.h"
#include "lib/Frontend/Ast/Children.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace kiln::frontend;
using namespace kiln::frontend::ast;

namespace {

struct SubscriptWalk {
  llvm::function_ref<void(const SubscriptExpr &)> visit;

  void exprs(llvm::ArrayRef<const Expr *> nodes) {
    for (const Expr *node : nodes)
      expr(node);
  }

  void expr(const Expr *node) {
    if (!node)
      return;
    if (const auto *subscript = llvm::dyn_cast<SubscriptExpr>(node))
      visit(*subscript);
    forEachChild(node, [&](const Expr *part) { expr(part); });
  }

  void block(const Block &statements) {
    for (const Stmt *stmt : statements)
      llvm::TypeSwitch<const Stmt *>(stmt)
          .Case([&](const AssignStmt *s) {
            expr(s->value);
            exprs(s->targets);
          })
          .Case([&](const AnnAssignStmt *s) { expr(s->value); })
          .Case([&](const AugAssignStmt *s) { exprs({s->target, s->value}); })
          .Case([&](const ExprStmt *s) { expr(s->value); })
          .Case([&](const AssertStmt *s) { expr(s->condition); })
          .Case([&](const IfStmt *s) {
            expr(s->condition);
            block(s->thenBody);
            block(s->elseBody);
          })
          .Case([&](const ForStmt *s) {
            expr(s->iterable);
            block(s->body);
          })
          .Case([&](const WhileStmt *s) {
            expr(s->condition);
            block(s->body);
          })
          .Case([&](const WithStmt *s) {
            for (const WithStmt::Item &item : s->items)
              expr(item.context);
            block(s->body);
          });
  }
};

} // namespace

void ast::forEachSubscript(const Block &block,
                           llvm::function_ref<void(const SubscriptExpr &)> visit) {
  SubscriptWalk{visit}.block(block);
}
