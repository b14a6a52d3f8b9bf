//===- NodeReader.h - JSON to the nodes of one function ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
#ifndef KILN_LIB_FRONTEND_AST_NODEREADER_H
#define KILN_LIB_FRONTEND_AST_NODEREADER_H

#include "lib/Frontend/Ast/Ast.h"

#include "llvm/Support/JSON.h"

namespace kiln::frontend::ast {

/// Reads nodes into `capture.nodes`. After a failure (`failed()`) results are placeholders and
/// reading soon ends.
class NodeReader {
public:
  NodeReader(Capture &capture, Function &function) : capture(capture), function(function) {}

  Block block(const llvm::json::Object &parent, llvm::StringRef field);
  const Expr *optionalExpr(const llvm::json::Object &parent, llvm::StringRef field);

  bool failed() const { return !error.empty(); }
  /// What was wrong, with the line it stands in.
  llvm::StringRef message() const { return error; }

private:
  using Object = llvm::json::Object;

  template <typename T> T *make(const Object &json) {
    auto node = std::make_unique<T>();
    T *result = node.get();
    place(*result, json);
    capture.nodes.push_back(std::move(node));
    return result;
  }
  void place(Node &node, const Object &json);
  void fail(const Object &json, const llvm::Twine &message);

  const Expr *placeholder(const Object &json);
  const Expr *expr(const Object &parent, llvm::StringRef field);
  ExprList exprs(const Object &parent, llvm::StringRef field);
  const Expr *readExpr(const Object &json);
  const Expr *readExprOfKind(llvm::StringRef kind, const Object &json);
  const Expr *readCall(const Object &json);
  const Expr *readCompare(const Object &json);
  const Expr *readLambda(const Object &json);
  const Expr *readFormatted(const Object &json);
  const Expr *readListComp(const Object &json);
  const Expr *unsupportedExpr(const Object &json, llvm::StringRef what);

  const Stmt *readStmt(const Object &json);
  const Stmt *readStmtOfKind(llvm::StringRef kind, const Object &json);

  llvm::StringRef string(const Object &json, llvm::StringRef field);
  NameId name(const Object &json, llvm::StringRef field);
  const Object *object(const Object &parent, llvm::StringRef field);
  /// The objects of a list.
  std::vector<const Object *> objects(const Object &parent, llvm::StringRef field);
  BinaryOperator binaryOperator(const Object &json);
  UnaryOperator unaryOperator(const Object &json);

  Capture &capture;
  Function &function;
  std::string error;
  unsigned depth = 0;
};

} // namespace kiln::frontend::ast

#endif // KILN_LIB_FRONTEND_AST_NODEREADER_H
