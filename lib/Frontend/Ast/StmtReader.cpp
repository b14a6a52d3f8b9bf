//===- StmtReader.cpp - statements from JSON ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Ast/CaptureReader.h"
#include "lib/Frontend/Ast/NodeReader.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace kiln::frontend;
using namespace kiln::frontend::ast;

Block NodeReader::block(const Object &parent, llvm::StringRef field) {
  Block result;
  const llvm::json::Array *array = parent.getArray(field);
  if (!array) {
    fail(parent, "no list of statements in '" + field + "'");
    return result;
  }
  for (const llvm::json::Value &element : *array) {
    const Object *json = element.getAsObject();
    if (!json)
      fail(parent, "'" + field + "' holds something that is no node");
    if (failed())
      break;
    result.push_back(readStmt(*json));
  }
  return result;
}

std::vector<const NodeReader::Object *> NodeReader::objects(const Object &parent,
                                                            llvm::StringRef field) {
  std::vector<const Object *> result;
  const llvm::json::Array *array = parent.getArray(field);
  if (!array) {
    fail(parent, "no list in '" + field + "'");
    return result;
  }
  for (const llvm::json::Value &element : *array) {
    const Object *object = element.getAsObject();
    if (!object)
      fail(parent, "'" + field + "' holds something that is no object");
    else
      result.push_back(object);
  }
  return result;
}

const Stmt *NodeReader::readStmt(const Object &json) {
  llvm::SaveAndRestore<unsigned> scope(depth, depth + 1);
  if (depth > kMaxDepth)
    fail(json, "nested deeper than " + llvm::Twine(kMaxDepth) + " levels");
  if (failed())
    return make<PassStmt>(json);
  return readStmtOfKind(string(json, "k"), json);
}

const Stmt *NodeReader::readStmtOfKind(llvm::StringRef kind, const Object &json) {
  if (kind == "Assign") {
    auto *node = make<AssignStmt>(json);
    node->targets = exprs(json, "targets");
    node->value = expr(json, "value");
    return node;
  }
  if (kind == "AugAssign") {
    auto *node = make<AugAssignStmt>(json);
    node->target = expr(json, "target");
    node->op = binaryOperator(json);
    node->value = expr(json, "value");
    return node;
  }
  if (kind == "AnnAssign") {
    auto *node = make<AnnAssignStmt>(json);
    node->target = expr(json, "target");
    node->annotation = expr(json, "annotation");
    node->value = optionalExpr(json, "value");
    return node;
  }
  if (kind == "Expr") {
    auto *node = make<ExprStmt>(json);
    node->value = expr(json, "value");
    return node;
  }
  if (kind == "If") {
    auto *node = make<IfStmt>(json);
    node->condition = expr(json, "test");
    node->thenBody = block(json, "body");
    node->elseBody = block(json, "orelse");
    return node;
  }
  if (kind == "For") {
    auto *node = make<ForStmt>(json);
    node->target = expr(json, "target");
    node->iterable = expr(json, "iter");
    node->body = block(json, "body");
    if (Block otherwise = block(json, "orelse"); !otherwise.empty())
      node->elseClause = otherwise.front();
    return node;
  }
  if (kind == "While") {
    auto *node = make<WhileStmt>(json);
    node->condition = expr(json, "test");
    node->body = block(json, "body");
    if (Block otherwise = block(json, "orelse"); !otherwise.empty())
      node->elseClause = otherwise.front();
    return node;
  }
  if (kind == "Return") {
    auto *node = make<ReturnStmt>(json);
    node->value = optionalExpr(json, "value");
    return node;
  }
  if (kind == "Assert") {
    auto *node = make<AssertStmt>(json);
    node->condition = expr(json, "test");
    node->message = optionalExpr(json, "msg");
    return node;
  }
  if (kind == "With") {
    auto *node = make<WithStmt>(json);
    for (const Object *item : objects(json, "items"))
      node->items.push_back({expr(*item, "context_expr"), optionalExpr(*item, "optional_vars")});
    node->body = block(json, "body");
    return node;
  }
  if (kind == "Pass")
    return make<PassStmt>(json);

  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> refused[] = {
      {"AsyncWith", "'async with'"},
      {"AsyncFor", "'async for'"},
      {"Match", "'match'"},
      {"Break", "'break'"},
      {"Continue", "'continue'"},
      {"Try", "'try'"},
      {"TryStar", "'try'"},
      {"Raise", "'raise'"},
      {"Delete", "'del'"},
      {"Import", "'import'"},
      {"ImportFrom", "'import'"},
      {"FunctionDef", "a nested 'def'"},
      {"AsyncFunctionDef", "a nested 'def'"},
      {"ClassDef", "a class"},
      {"Global", "'global'"},
      {"Nonlocal", "'nonlocal'"},
      {"TypeAlias", "a type alias"},
  };
  for (auto &[name, what] : refused)
    if (kind == name) {
      auto *node = make<UnsupportedStmt>(json);
      node->what = what.str();
      return node;
    }
  fail(json, "unknown statement '" + kind + "'");
  return make<PassStmt>(json);
}
