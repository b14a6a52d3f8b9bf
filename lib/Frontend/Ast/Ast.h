//===- Ast.h - the captured Python as typed nodes ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Nodes mirror Python's `ast`. Names are numbered per function (`Function::names`), so scopes are
// vectors and name sets are bit vectors. What the language refuses altogether (`try`, dictionaries,
// …) becomes an Unsupported node, so that it is an error where it is reached and not in a branch
// that is never visited. A capture owns its nodes in one list.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_AST_AST_H
#define KILN_LIB_FRONTEND_AST_AST_H

#include "kiln/Frontend/Value.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Casting.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kiln::frontend {
enum class BinaryOperator;
enum class UnaryOperator;
} // namespace kiln::frontend

namespace kiln::frontend::ast {

using NameId = unsigned;
using NameSet = llvm::BitVector;

enum class NodeKind : uint8_t {
  // Expressions.
  Constant,
  Name,
  Attribute,
  Subscript,
  Slice,
  Sequence,
  Unary,
  Binary,
  BoolOp,
  Compare,
  Call,
  IfExp,
  Lambda,
  FormattedString,
  NamedExpr,
  Starred,
  ListComp,
  Dict,
  UnsupportedExpr,
  // Statements.
  Assign,
  AnnAssign,
  AugAssign,
  ExprStmt,
  If,
  For,
  While,
  Return,
  Assert,
  Pass,
  With,
  UnsupportedStmt,
  // Neither.
  Parameter,
};

/// Lines and columns count from 1; `endColumn` is one past the end.
struct Node {
  NodeKind kind;
  unsigned line = 0, column = 0, endLine = 0, endColumn = 0;

  explicit Node(NodeKind kind) : kind(kind) {}
  virtual ~Node() = default;
};

struct Expr : Node {
  using Node::Node;
  static bool classof(const Node *node) { return node->kind <= NodeKind::UnsupportedExpr; }
};
struct Stmt : Node {
  using Node::Node;
  static bool classof(const Node *node) {
    return node->kind > NodeKind::UnsupportedExpr && node->kind <= NodeKind::UnsupportedStmt;
  }
};

using ExprList = std::vector<const Expr *>;
using Block = std::vector<const Stmt *>;

template <typename Base, NodeKind K> struct NodeOf : Base {
  NodeOf() : Base(K) {}
  static bool classof(const Node *node) { return node->kind == K; }
};

struct ConstantExpr : NodeOf<Expr, NodeKind::Constant> {
  Value value;
};
struct NameExpr : NodeOf<Expr, NodeKind::Name> {
  NameId id;
};
struct AttributeExpr : NodeOf<Expr, NodeKind::Attribute> {
  const Expr *object;
  std::string name;
};
struct SubscriptExpr : NodeOf<Expr, NodeKind::Subscript> {
  const Expr *object;
  const Expr *index;
};
struct SliceExpr : NodeOf<Expr, NodeKind::Slice> {
  const Expr *lower, *upper, *step; ///< each may be null
};
/// A tuple or a list.
struct SequenceExpr : NodeOf<Expr, NodeKind::Sequence> {
  ExprList elements;
  bool isList;
};
struct UnaryExpr : NodeOf<Expr, NodeKind::Unary> {
  UnaryOperator op;
  const Expr *operand;
};
struct BinaryExpr : NodeOf<Expr, NodeKind::Binary> {
  BinaryOperator op;
  const Expr *lhs, *rhs;
};
struct BoolExpr : NodeOf<Expr, NodeKind::BoolOp> {
  bool isAnd;
  ExprList operands;
};
enum class Comparison { Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn };
struct CompareExpr : NodeOf<Expr, NodeKind::Compare> {
  const Expr *first;
  std::vector<Comparison> ops;
  ExprList rest;
};
struct CallExpr : NodeOf<Expr, NodeKind::Call> {
  const Expr *callee;
  ExprList arguments; ///< Starred ones among them
  struct Keyword {
    std::string name; ///< empty for `**x`
    const Expr *value;
  };
  std::vector<Keyword> keywords;
};
struct IfExpr : NodeOf<Expr, NodeKind::IfExp> {
  const Expr *condition, *thenValue, *elseValue;
};
struct LambdaExpr : NodeOf<Expr, NodeKind::Lambda> {
  std::vector<NameId> parameters;
  ExprList defaults; ///< of the last parameters
  const Expr *body;
  std::vector<NameId> used; ///< names that the body reads and that are not parameters
};
struct FormattedString : NodeOf<Expr, NodeKind::FormattedString> {
  struct Part {
    const Expr *value; ///< a string constant, or what stands in braces
    char conversion;   ///< 'r', 's', 'a' or 0
    std::string format;
  };
  std::vector<Part> parts;
};
struct NamedExpr : NodeOf<Expr, NodeKind::NamedExpr> {
  NameId target;
  const Expr *value;
};
struct StarredExpr : NodeOf<Expr, NodeKind::Starred> {
  const Expr *value;
};
struct ListComp : NodeOf<Expr, NodeKind::ListComp> {
  const Expr *element;
  struct Generator {
    const Expr *target, *iterable;
    ExprList conditions;
  };
  std::vector<Generator> generators;
};
/// `{key: value, …}`; its value is a list of pairs.
struct DictExpr : NodeOf<Expr, NodeKind::Dict> {
  ExprList keys, values;
};
/// Python that kernels cannot contain; `what` names it for the message.
struct UnsupportedExpr : NodeOf<Expr, NodeKind::UnsupportedExpr> {
  std::string what;
};

struct AssignStmt : NodeOf<Stmt, NodeKind::Assign> {
  ExprList targets;
  const Expr *value;
};
struct AnnAssignStmt : NodeOf<Stmt, NodeKind::AnnAssign> {
  const Expr *target, *annotation;
  const Expr *value; ///< may be null
};
struct AugAssignStmt : NodeOf<Stmt, NodeKind::AugAssign> {
  const Expr *target;
  BinaryOperator op;
  const Expr *value;
};
struct ExprStmt : NodeOf<Stmt, NodeKind::ExprStmt> {
  const Expr *value;
};
/// What LiveNames.h finds out about a statement with blocks.
struct FlowFacts {
  NameSet assigned;  ///< names that the statement may bind
  NameSet exposed;   ///< names that it may read before it binds them
  NameSet liveAfter; ///< names that may be read after it
  bool mayReturn = false;
};
struct IfStmt : NodeOf<Stmt, NodeKind::If> {
  const Expr *condition;
  Block thenBody, elseBody;
  bool thenReturns = false, elseReturns = false; ///< always
  FlowFacts facts;
};
struct ForStmt : NodeOf<Stmt, NodeKind::For> {
  const Expr *target, *iterable;
  Block body;
  const Node *elseClause = nullptr;
  FlowFacts facts;
};
struct WhileStmt : NodeOf<Stmt, NodeKind::While> {
  const Expr *condition;
  Block body;
  const Node *elseClause = nullptr;
  FlowFacts facts;
};
struct ReturnStmt : NodeOf<Stmt, NodeKind::Return> {
  const Expr *value; ///< may be null
};
struct AssertStmt : NodeOf<Stmt, NodeKind::Assert> {
  const Expr *condition;
  const Expr *message; ///< may be null
};
struct WithStmt : NodeOf<Stmt, NodeKind::With> {
  struct Item {
    const Expr *context;
    const Expr *target; ///< may be null
  };
  std::vector<Item> items;
  Block body;
  NameSet liveAfter; ///< names that may be read after it
};
struct PassStmt : NodeOf<Stmt, NodeKind::Pass> {};
struct UnsupportedStmt : NodeOf<Stmt, NodeKind::UnsupportedStmt> {
  std::string what;
};

struct Parameter : NodeOf<Node, NodeKind::Parameter> {
  enum Kind { Positional, Variadic, KeywordOnly, Keywords } passing = Positional;
  std::string name;
  NameId id = 0;
  bool isConstexpr = false;
  std::optional<Value> defaultValue;
  /// A tensor with a declared shape; the signature's entry is its pointer.
  struct Tensor {
    Value dtype;
    std::vector<Value> shape;
  };
  std::optional<Tensor> tensor;
  /// An extent that the launch solves from the shapes of tensors; no name of the function.
  bool isSymbol = false;
};

/// A global or closure name as the kernel sees it.
struct Global {
  Value value;
  bool isConstexpr = false; ///< `tl.constexpr` at module level
};

struct Function {
  std::string name, file;
  unsigned line = 0;
  std::vector<std::string> source;
  std::vector<const Parameter *> parameters;
  Block body;
  std::vector<std::string> names;
  llvm::StringMap<NameId> nameIds;
  llvm::StringMap<Global> globals;
  std::string language = "triton";
  /// Settings of the decorator for the passes.
  llvm::StringMap<Value> passConfigs;
  /// How often the body mentions an attribute or name so spelt.
  llvm::StringMap<unsigned> mentions;

  NameId nameId(llvm::StringRef name);
};

struct Capture {
  llvm::StringMap<std::unique_ptr<Function>> functions;
  Function *kernel = nullptr;
  /// By the number of a host callable: what a call inlines that the host cannot answer, or null.
  std::vector<const Function *> hostBodies;
  std::vector<std::unique_ptr<Node>> nodes;
};

} // namespace kiln::frontend::ast

#endif // KILN_LIB_FRONTEND_AST_AST_H
