//===- LiveNames.cpp - which names a statement binds, reads, and leaves for later --------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Ast/LiveNames.h"
#include "lib/Frontend/Ast/Children.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace kiln::frontend;
using namespace kiln::frontend::ast;

namespace {

/// Calls `read` and `bind` for names, in the order of evaluation; `mayBind` for `:=`, which `and`
/// or a ternary may skip.
struct NameWalk {
  llvm::function_ref<void(NameId)> read, bind, mayBind;

  /// The targets of comprehensions are names of their own; counting them as read only makes facts
  /// larger.
  void expr(const Expr *node) {
    if (!node)
      return;
    if (const auto *name = llvm::dyn_cast<NameExpr>(node))
      return read(name->id);
    if (const auto *function = llvm::dyn_cast<LambdaExpr>(node))
      return lambda(function);
    forEachChild(node, [&](const Expr *part) { expr(part); });
    if (const auto *named = llvm::dyn_cast<NamedExpr>(node))
      mayBind(named->target);
  }

  void lambda(const LambdaExpr *node) {
    exprs(node->defaults);
    std::vector<NameId> used;
    auto note = [&](NameId id) {
      if (!llvm::is_contained(node->parameters, id) && !llvm::is_contained(used, id))
        used.push_back(id);
    };
    NameWalk{note, note, note}.expr(node->body);
    llvm::for_each(used, read);
    // Nodes are built mutable and only handed out as const; this is still their construction.
    const_cast<LambdaExpr *>(node)->used = std::move(used);
  }

  void exprs(llvm::ArrayRef<const Expr *> nodes) {
    for (const Expr *node : nodes)
      expr(node);
  }

  /// The names that assigning to `target` binds; reads what stands in subscripts and attributes.
  void target(const Expr *node) {
    if (const auto *name = llvm::dyn_cast<NameExpr>(node))
      bind(name->id);
    else if (const auto *sequence = llvm::dyn_cast<SequenceExpr>(node))
      for (const Expr *element : sequence->elements)
        target(element);
    else if (const auto *starred = llvm::dyn_cast<StarredExpr>(node))
      target(starred->value);
    else
      expr(node);
  }

  /// A statement without blocks; of a `with`, what stands before its block.
  void simple(const Stmt *node) {
    llvm::TypeSwitch<const Stmt *>(node)
        .Case([&](const AssignStmt *s) {
          expr(s->value);
          for (const Expr *one : s->targets)
            target(one);
        })
        .Case([&](const AnnAssignStmt *s) {
          expr(s->value);
          if (s->value)
            target(s->target);
        })
        .Case([&](const AugAssignStmt *s) {
          expr(s->target);
          expr(s->value);
          target(s->target);
        })
        .Case([&](const ExprStmt *s) { expr(s->value); })
        .Case([&](const ReturnStmt *s) { expr(s->value); })
        .Case([&](const WithStmt *s) {
          for (const WithStmt::Item &item : s->items) {
            expr(item.context);
            if (item.target)
              target(item.target);
          }
        })
        .Case([&](const AssertStmt *s) { exprs({s->condition, s->message}); });
  }
};

/// What a block does as a whole.
struct Summary {
  NameSet assigned, exposed;
  NameSet certain; ///< bound on every way through
  bool mayReturn = false, alwaysReturns = false;
};

class FlowAnalysis {
public:
  explicit FlowAnalysis(unsigned size) : size(size) {}

  Summary forward(const Block &block) {
    Summary s{NameSet(size), NameSet(size), NameSet(size)};
    auto read = [&](NameId id) {
      if (!s.certain.test(id))
        s.exposed.set(id);
    };
    auto bind = [&](NameId id) {
      s.assigned.set(id);
      s.certain.set(id);
    };
    auto mayBind = [&](NameId id) { s.assigned.set(id); };
    NameWalk walk{read, bind, mayBind};
    for (const Stmt *stmt : block) {
      if (llvm::isa<ReturnStmt>(stmt))
        s.mayReturn = s.alwaysReturns = true;
      if (const auto *node = llvm::dyn_cast<IfStmt>(stmt)) {
        walk.expr(node->condition);
        Summary yes = forward(node->thenBody), no = forward(node->elseBody);
        auto *mutableNode = const_cast<IfStmt *>(node);
        mutableNode->thenReturns = yes.alwaysReturns;
        mutableNode->elseReturns = no.alwaysReturns;
        s.alwaysReturns |= yes.alwaysReturns && no.alwaysReturns;
        NameSet certain = yes.alwaysReturns ? no.certain : yes.certain;
        if (!yes.alwaysReturns && !no.alwaysReturns)
          certain &= no.certain;
        record(mutableNode->facts, s, std::move(yes), &no);
        s.certain |= certain;
      } else if (const auto *node = llvm::dyn_cast<ForStmt>(stmt)) {
        walk.expr(node->iterable);
        Summary body = forward(node->body);
        auto bindTarget = [&](NameId id) {
          body.exposed.reset(id);
          body.assigned.set(id);
        };
        NameWalk{read, bindTarget, mayBind}.target(node->target);
        record(const_cast<ForStmt *>(node)->facts, s, std::move(body), nullptr);
      } else if (const auto *node = llvm::dyn_cast<WhileStmt>(stmt)) {
        Summary body = forward(node->body);
        auto readCondition = [&](NameId id) { body.exposed.set(id); };
        auto bindCondition = [&](NameId id) { body.assigned.set(id); };
        NameWalk{readCondition, bindCondition, bindCondition}.expr(node->condition);
        record(const_cast<WhileStmt *>(node)->facts, s, std::move(body), nullptr);
      } else {
        walk.simple(stmt);
        if (const auto *node = llvm::dyn_cast<WithStmt>(stmt))
          append(s, forward(node->body));
      }
    }
    return s;
  }

  /// Sets `liveAfter` in `block`, after which the names in `live` may be read; `live` becomes what
  /// may be read before.
  void backward(const Block &block, NameSet &live) {
    for (const Stmt *stmt : llvm::reverse(block)) {
      if (auto *node = llvm::dyn_cast<IfStmt>(const_cast<Stmt *>(stmt))) {
        node->facts.liveAfter = live;
        NameSet yes = live, no = live;
        backward(node->thenBody, yes);
        backward(node->elseBody, no);
        live |= yes;
        live |= no;
        readAll(node->condition, live);
      } else if (auto *node = llvm::dyn_cast<ForStmt>(const_cast<Stmt *>(stmt))) {
        loop(node->facts, node->body, live);
        readAll(node->iterable, live);
      } else if (auto *node = llvm::dyn_cast<WhileStmt>(const_cast<Stmt *>(stmt))) {
        loop(node->facts, node->body, live);
        readAll(node->condition, live);
      } else {
        if (auto *node = llvm::dyn_cast<WithStmt>(const_cast<Stmt *>(stmt))) {
          node->liveAfter = live;
          backward(node->body, live);
        }
        llvm::SmallVector<NameId> reads, binds;
        NameWalk{[&](NameId id) { reads.push_back(id); }, [&](NameId id) { binds.push_back(id); },
                 [](NameId) {}}
            .simple(stmt);
        for (NameId id : binds)
          live.reset(id);
        for (NameId id : reads)
          live.set(id);
      }
    }
  }

private:
  /// What a block does that always runs, after what `outer` has done.
  void append(Summary &outer, Summary &&inner) {
    inner.exposed.reset(outer.certain);
    outer.exposed |= inner.exposed;
    outer.assigned |= inner.assigned;
    outer.certain |= inner.certain;
    outer.mayReturn |= inner.mayReturn;
    outer.alwaysReturns |= inner.alwaysReturns;
  }

  void record(FlowFacts &facts, Summary &outer, Summary &&inner, const Summary *other) {
    facts.assigned = std::move(inner.assigned);
    facts.exposed = std::move(inner.exposed);
    facts.mayReturn = inner.mayReturn;
    if (other) {
      facts.assigned |= other->assigned;
      facts.exposed |= other->exposed;
      facts.mayReturn |= other->mayReturn;
    }
    outer.assigned |= facts.assigned;
    NameSet exposed = facts.exposed;
    exposed.reset(outer.certain);
    outer.exposed |= exposed;
    outer.mayReturn |= facts.mayReturn;
  }

  void loop(FlowFacts &facts, const Block &body, NameSet &live) {
    facts.liveAfter = live;
    live |= facts.exposed;
    NameSet inside = live;
    backward(body, inside);
  }

  static void readAll(const Expr *expr, NameSet &live) {
    NameWalk{[&](NameId id) { live.set(id); }, [](NameId) {}, [](NameId) {}}.expr(expr);
  }

  unsigned size;
};

} // namespace

void ast::analyseFlow(Function &function) {
  FlowAnalysis analysis(function.names.size());
  analysis.forward(function.body);
  NameSet live(function.names.size());
  analysis.backward(function.body, live);
}

void ast::collectAssigned(const Expr *expr, NameSet &assigned) {
  auto ignore = [](NameId) {};
  auto note = [&](NameId id) { assigned.set(id); };
  NameWalk{ignore, note, note}.expr(expr);
}

void ast::collectAssigned(llvm::ArrayRef<const Stmt *> block, NameSet &assigned) {
  auto ignore = [](NameId) {};
  auto note = [&](NameId id) { assigned.set(id); };
  NameWalk walk{ignore, note, note};
  for (const Stmt *stmt : block) {
    if (const auto *node = llvm::dyn_cast<IfStmt>(stmt)) {
      walk.expr(node->condition);
      assigned |= node->facts.assigned;
    } else if (const auto *node = llvm::dyn_cast<ForStmt>(stmt)) {
      walk.expr(node->iterable);
      assigned |= node->facts.assigned;
    } else if (const auto *node = llvm::dyn_cast<WhileStmt>(stmt)) {
      assigned |= node->facts.assigned;
    } else {
      walk.simple(stmt);
      if (const auto *node = llvm::dyn_cast<WithStmt>(stmt))
        collectAssigned(node->body, assigned);
    }
  }
}
