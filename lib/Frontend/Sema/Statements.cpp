//===- Statements.cpp - statements, and control that leaves early ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A `return` inside an `if` ends the function, but the IR has structured control flow only. Where
// one branch of the `if` always returns, what follows the `if` moves into the other branch:
//
//   if c: return a                 scf.if c { yield a } else { B … yield b }
//   B; return b
//
// Where a branch returns on some ways only, the `if` yields a flag beside the value, and what
// follows runs under it.
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Ast/LiveNames.h"
#include "lib/Frontend/Sema/ConstEval.h"
#include "lib/Frontend/Sema/Sema.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace kiln;
using namespace kiln::frontend;

bool Sema::countVisit(const ast::Node &node) {
  if (++visited == kMaxVisited)
    error(node, "the kernel has more than " + llvm::Twine(kMaxVisited) +
                    " statements, those of unrolled loops and of calls counted each time");
  isTooDeep |= visited >= kMaxVisited;
  return !isTooDeep;
}

Completion Sema::run(llvm::ArrayRef<const ast::Stmt *> statements, const ast::NameSet &liveOut) {
  llvm::SaveAndRestore<unsigned> scope(depth, depth + 1);
  for (size_t i = 0; i < statements.size(); ++i) {
    if (pollCancelled() || isTooDeep || diagnostics.errorCount() >= kMaxErrors)
      return Completion::stops();
    if (!countVisit(*statements[i]))
      return Completion::stops();
    llvm::ArrayRef<const ast::Stmt *> rest = statements.drop_front(i + 1);
    Completion completion;
    if (const auto *node = llvm::dyn_cast<ast::IfStmt>(statements[i])) {
      bool tookRest = false;
      completion = runIf(*node, rest, liveOut, tookRest);
      if (tookRest)
        return completion;
    } else {
      completion = runOne(statements[i]);
    }
    if (completion.kind == Completion::Falls)
      continue;
    if (completion.kind != Completion::May || rest.empty())
      return completion;

    ast::NameSet assigned(frame->names.size());
    ast::collectAssigned(rest, assigned);
    auto returned = [&] {
      return Completion{Completion::Returns, completion.value, completion.place, {}};
    };
    auto following = [&] { return run(rest, liveOut); };
    return runBranches(*statements[i], completion.flag, assigned, liveOut, returned, following);
  }
  return {};
}

Completion Sema::runIf(const ast::IfStmt &node, llvm::ArrayRef<const ast::Stmt *> rest,
                       const ast::NameSet &liveOut, bool &tookRest) {
  Value given = read(*node.condition, evaluate(node.condition));
  if (given.isRuntime() && given.type().isBlock() && vocabulary.hooks().enterMask)
    return runLaneBranches(node, given);
  std::optional<Value> decided = condition(*node.condition, given);
  if (!decided) {
    poisonNames(node.facts.assigned, node);
    return {};
  }
  if (const bool *known = decided->asBool())
    return run(*known ? node.thenBody : node.elseBody, node.facts.liveAfter);

  if (rest.empty() || !(node.thenReturns || node.elseReturns)) {
    auto thenBranch = [&] { return run(node.thenBody, node.facts.liveAfter); };
    auto elseBranch = [&] { return run(node.elseBody, node.facts.liveAfter); };
    return runBranches(node, decided->ir(), node.facts.assigned, node.facts.liveAfter, thenBranch,
                       elseBranch);
  }
  tookRest = true;
  ast::NameSet assigned = node.facts.assigned;
  ast::collectAssigned(rest, assigned);
  auto branch = [&](const ast::Block &body, bool returns) {
    if (returns)
      return run(body, liveOut);
    ast::Block whole = body;
    whole.insert(whole.end(), rest.begin(), rest.end());
    return run(whole, liveOut);
  };
  auto thenBranch = [&] { return branch(node.thenBody, node.thenReturns); };
  auto elseBranch = [&] { return branch(node.elseBody, node.elseReturns); };
  return runBranches(node, decided->ir(), assigned, liveOut, thenBranch, elseBranch);
}

Completion Sema::runOne(const ast::Stmt *stmt) {
  return llvm::TypeSwitch<const ast::Stmt *, Completion>(stmt)
      .Case([&](const ast::AssignStmt *node) {
        Value value = read(*node->value, evaluate(node->value));
        for (const ast::Expr *target : node->targets)
          assign(target, value);
        return Completion();
      })
      .Case([&](const ast::ExprStmt *node) {
        evaluate(node->value);
        return Completion();
      })
      .Case([&](const ast::AugAssignStmt *node) {
        runAugmented(*node);
        return Completion();
      })
      .Case([&](const ast::AnnAssignStmt *node) {
        runAnnotated(*node);
        return Completion();
      })
      .Case([&](const ast::ForStmt *node) { return runFor(*node); })
      .Case([&](const ast::WhileStmt *node) { return runWhile(*node); })
      .Case([&](const ast::WithStmt *node) { return runWith(*node); })
      .Case([&](const ast::ReturnStmt *node) { return runReturn(*node); })
      .Case([&](const ast::AssertStmt *node) {
        runAssert(*node);
        return Completion();
      })
      .Case([&](const ast::UnsupportedStmt *node) {
        error(*node,
              "unsupported construct: found " + node->what + ", which kernels cannot contain");
        return Completion();
      })
      .Default([](const ast::Stmt *) { return Completion(); });
}

Completion Sema::runReturn(const ast::ReturnStmt &node) {
  Completion completion{Completion::Returns, Value::none(), &node, {}};
  if (node.value)
    completion.value = evaluate(node.value);
  if (frame->loopDepth) {
    error(node, "unsupported construct: found 'return' inside a loop");
    return {};
  }
  if (frame->isKernel && !completion.value.isNone() && !completion.value.isPoison())
    error(node, "a kernel returns nothing: found " + describe(completion.value));
  return completion;
}

void Sema::runAssert(const ast::AssertStmt &node) {
  Value condition = evaluate(node.condition);
  Value message = node.message ? evaluate(node.message) : Value::string("");
  if (condition.hasPoison() || message.hasPoison())
    return;
  // What is known beforehand is a statement about the kernel, as `T.static_assert` would be.
  condition = read(*node.condition, condition);
  if (hasBuffers() && !condition.isRuntime() && truth(condition) == false) {
    const std::string *text = message.asString();
    error(node, llvm::Twine("assertion failed") + (text && !text->empty() ? ": " + *text : ""));
    return;
  }
  callLanguage(node, "tl.device_assert",
               {{"", condition, node.condition},
                {"", message, node.message ? node.message : node.condition}});
}
