//===- Sema.h - meaning of a kernel: from nodes to operations ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// One Sema translates one kernel. It walks the nodes once, in the order in which they run, and
// writes operations at the builder's insertion point; compile-time values are computed on the way,
// so branches that constexpr conditions rule out are never visited and called functions are inlined
// where they are called. A frame holds the names of the function being walked. The methods are
// spread over files by idea: Names, Expressions, Operators, Calls, Functions, Builtins,
// Statements, Assignments, Branches, Loops, Materialize, Kernel.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_SEMA_SEMA_H
#define KILN_LIB_FRONTEND_SEMA_SEMA_H

#include "lib/Frontend/Ast/Ast.h"

#include "kiln/Frontend/CallContext.h"
#include "kiln/Frontend/Frontend.h"
#include "kiln/Frontend/Vocabulary.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace kiln::frontend {

/// What a name stands for at the current point.
struct Binding {
  enum State : uint8_t {
    Unbound,
    Bound,
    /// Assigned on some ways to this point only: an error at use.
    Maybe,
  } state = Unbound;
  Value value;
  const ast::Node *place = nullptr; ///< where it was assigned last
};

/// The names of one function while it is walked.
struct Frame {
  const ast::Function *function;
  std::vector<Binding> names;
  const Frame *caller = nullptr;
  const ast::Node *callNode = nullptr; ///< in the caller
  mlir::Location callLoc;
  mlir::StringAttr file;
  ast::NameSet awaitsConstexpr; ///< after a bare `x: tl.constexpr`
  unsigned loopDepth = 0;
  bool isKernel = false;
  bool isLambda = false;
};

/// How control leaves a list of statements.
struct Completion {
  enum Kind {
    Falls,   ///< to what follows
    Returns, ///< always with `value`
    May,     ///< with `value` where `flag` is set, else falls
    Stops,   ///< cancelled, or too many errors: nothing more is visited
  } kind = Falls;
  Value value;
  const ast::Node *place = nullptr; ///< the return statement
  mlir::Value flag;

  static Completion stops() {
    Completion completion;
    completion.kind = Stops;
    return completion;
  }
};

class Sema {
public:
  Sema(mlir::MLIRContext &context, const FrontendInput &input, const ast::Capture &capture,
       DiagnosticEngine &diagnostics, const Vocabulary &vocabulary);

  /// The kernel for a signature of the request; null after errors or cancellation.
  mlir::OwningOpRef<mlir::ModuleOp> kernel(const llvm::json::Array &signature);
  bool wasCancelled() const { return isCancelled; }

  //===--- Places and messages (Sema.cpp) ---===//
  mlir::Location loc(const ast::Node &node);
  SourcePlace place(const ast::Node &node) const;
  /// Reports an error in the current frame, with notes for the calls that led there; returns
  /// poison.
  Value error(const ast::Node &node, const llvm::Twine &message);
  Diagnostic &reportError(const ast::Node &node, const llvm::Twine &message);
  void warning(const ast::Node &node, const llvm::Twine &message);
  void remark(const ast::Node &node, const llvm::Twine &message);
  void print(llvm::StringRef line);

  //===--- The kernel as a whole (Kernel.cpp) ---===//
  LanguageState &languageState() { return *state; }
  mlir::Operation *kernelOp() { return kernelFunction; }
  bool mentions(llvm::StringRef name) const;
  Value passConfig(llvm::StringRef key) const;
  std::vector<std::string> passConfigKeys() const;

  //===--- What lowerings ask while a scope is entered (Scopes.cpp) ---===//
  bool readsTarget(size_t index) const;
  std::optional<int64_t> extentIndexedBy(size_t target) const;
  mlir::Block *blockAround(mlir::Block *block) const;

  //===--- Expressions ---===//
  Value evaluate(const ast::Expr *expr);
  Value binary(const ast::Node &node, BinaryOperator op, const Value &left, const Value &right);
  Value compare(const ast::Node &node, CompareOperator op, const Value &left, const Value &right);
  Value unary(const ast::Node &node, UnaryOperator op, const Value &given);
  Value attribute(const ast::Node &node, const Value &object, llvm::StringRef name);
  Value subscript(const ast::Node &node, const Value &object, const Value &index);
  /// An element of a buffer becomes its value; anything else stays.
  Value read(const ast::Node &node, const Value &value);

  //===--- Calls ---===//
  using GivenArguments = llvm::SmallVector<Signature::GivenArgument, 4>;
  Value call(const ast::Node &node, const Value &callee, const GivenArguments &arguments);
  Value callLanguage(const ast::Node &node, llvm::StringRef name, const GivenArguments &arguments);
  static bool isCallable(const Value &value);

  //===--- Compile-time numbers as runtime values (Materialize.cpp) ---===//
  Value materialize(const ast::Node &node, const Value &value);
  Value materializeAs(const ast::Node &node, const Value &value, DType dtype);
  mlir::Value constant(mlir::Location loc, const Type &type, const Integer &value);
  mlir::Value constant(mlir::Location loc, const Type &type, double value);
  /// Any value of the type: what stands where control never comes from.
  mlir::Value filler(mlir::Location loc, const Type &type);

  mlir::OpBuilder builder;
  const KernelOptions &options() const { return input.options; }
  const Vocabulary &vocabulary;
  /// The elements of something that is iterated at compile time.
  std::optional<std::vector<Value>> iterate(const ast::Node &node, const Value &iterable);

private:
  friend class BranchJoin;
  friend class LoopCarry;

  //===--- Names.cpp ---===//
  Value readName(const ast::Node &node, ast::NameId id);
  Value readGlobal(const ast::Node &node, const ast::Function &function, llvm::StringRef name);
  Value undefinedName(const ast::Node &node, llvm::StringRef name);
  void bind(ast::NameId id, Value value, const ast::Node &place);
  Value resolveLanguage(const ast::Node &node, llvm::StringRef name);
  /// What the capture holds, as lowerings see it: language names resolved, extents that the launch
  /// solves as runtime scalars.
  Value resolveCaptured(const ast::Node &node, const Value &value);
  Value resolveSymbol(const ast::Node &node, const SymbolData &symbol);
  /// Gives a buffer that has none the name it is bound to, for messages.
  static void nameBuffer(const Value &value, llvm::StringRef name);
  static bool isCoreName(llvm::StringRef name);

  //===--- Expressions.cpp ---===//
  Value evaluateKind(const ast::Expr *expr);
  Value evaluateSequence(const ast::SequenceExpr &node);
  Value evaluateBool(const ast::BoolExpr &node);
  Value evaluateComparison(const ast::CompareExpr &node);
  Value compareOne(const ast::CompareExpr &node, ast::Comparison op, const Value &lhs,
                   const Value &rhs);
  Value evaluateTernary(const ast::IfExpr &node);
  Value evaluateLambda(const ast::LambdaExpr &node);
  Value evaluateFormatted(const ast::FormattedString &node);
  Value evaluateComprehension(const ast::ListComp &node);
  /// Counts a statement or an element; false, after an error, where there are too many.
  bool countVisit(const ast::Node &node);
  bool comprehend(const ast::ListComp &node, size_t depth, std::vector<Value> &result);
  Value evaluateSlice(const ast::SliceExpr &node);
  Value evaluateDict(const ast::DictExpr &node);
  llvm::SmallVector<Value> indicesOf(const ast::Node &node, const Value &index);
  bool hasBuffers() const { return vocabulary.hooks().makeState != nullptr; }
  /// The truth of a condition as a constant or as an i1 scalar; absent after an error.
  std::optional<Value> condition(const ast::Node &node, const Value &given);

  //===--- Calls.cpp, Functions.cpp, Builtins.cpp ---===//
  Value evaluateCall(const ast::CallExpr &node);
  bool evaluateArguments(const ast::CallExpr &node, GivenArguments &arguments);
  Value callFunction(const ast::Node &node, const ast::Function &function,
                     const GivenArguments &arguments);
  Value callLambda(const ast::Node &node, const LambdaData &lambda,
                   const GivenArguments &arguments);
  Value callHost(const ast::Node &node, int64_t id, const GivenArguments &arguments);
  Value callBuiltin(const ast::Node &node, llvm::StringRef name, const GivenArguments &arguments);
  std::optional<Value> callCore(const ast::Node &node, llvm::StringRef name,
                                const GivenArguments &arguments);
  Value callNextPowerOf2(const ast::Node &node, const GivenArguments &arguments);
  Value callRange(const ast::Node &node, llvm::StringRef name, const GivenArguments &arguments);
  Value resultOf(const ast::Node &node, const ast::Function &function, Completion completion);
  Value tensorOf(const ast::Parameter &parameter, const Value &pointer);
  bool bindParameters(const ast::Node &node, const ast::Function &function,
                      const GivenArguments &arguments, Frame &callee);
  Frame newFrame(const ast::Function &function, const ast::Node *callNode);

  //===--- Statements.cpp, Assignments.cpp ---===//
  /// `liveOut` are the names that may be read after the statements.
  Completion run(llvm::ArrayRef<const ast::Stmt *> statements, const ast::NameSet &liveOut);
  Completion runOne(const ast::Stmt *stmt);
  Completion runReturn(const ast::ReturnStmt &node);
  Completion runIf(const ast::IfStmt &node, llvm::ArrayRef<const ast::Stmt *> rest,
                   const ast::NameSet &liveOut, bool &tookRest);
  Completion runFor(const ast::ForStmt &node);
  Completion runWhile(const ast::WhileStmt &node);
  void runAssert(const ast::AssertStmt &node);
  void runAugmented(const ast::AugAssignStmt &node);
  void runAnnotated(const ast::AnnAssignStmt &node);
  void assign(const ast::Expr *target, const Value &value);
  void assignItem(const ast::Node &node, const Value &object, const Value &index,
                  const Value &value);
  bool isConstexprAnnotation(const ast::Expr *annotation);
  bool pollCancelled();

  //===--- Branches.cpp ---===//
  using Branch = llvm::function_ref<Completion()>;
  /// Both branches as an `scf.if`; names of `assigned` that are in `live` are joined.
  Completion runBranches(const ast::Node &node, mlir::Value condition, const ast::NameSet &assigned,
                         const ast::NameSet &live, Branch thenBranch, Branch elseBranch);

  //===--- Scopes.cpp ---===//
  Completion runWith(const ast::WithStmt &node);
  /// What the targets (null: there are none) of a scope around `body` get.
  Value enter(CallContext &context, const ScopeData &scope, const ast::Expr *target,
              const ast::Block &body);
  /// The name of a target of the scope that is being entered; null if it is no plain name.
  const ast::NameExpr *enteredName(size_t index) const;

  //===--- LaneBranches.cpp ---===//
  /// A scalar as a block where one is needed in all lanes; anything else stays.
  Value spread(const ast::Node &node, const Value &value);
  /// Both branches one after the other, each in its lanes.
  Completion runLaneBranches(const ast::IfStmt &node, const Value &mask);
  /// `a if mask else b`.
  Value chooseLanes(const ast::IfExpr &node, const Value &mask);

  //===--- LaneLoops.cpp ---===//
  /// A loop whose body is visited once, for all lanes.
  Completion runLanes(const ast::ForStmt &node, const ScopeData &scope);
  void refuseCarriedNames(const ast::ForStmt &node, llvm::ArrayRef<Binding> before);

  //===--- Loops.cpp ---===//
  Completion runRangeLoop(const ast::ForStmt &node, const RangeData &range);
  Completion runUnrolled(const ast::ForStmt &node, const Value &range);
  void poisonNames(const ast::NameSet &names, const ast::Node &place);
  void forgetNames(const ast::NameSet &names, const ast::Node &place);
  Completion runLoopBody(const ast::Block &body, const ast::FlowFacts &facts);
  /// The names that the loop carries from one iteration to the next.
  llvm::SmallVector<ast::NameId> carriedNames(const ast::FlowFacts &facts);

  const FrontendInput &input;
  const ast::Capture &capture;
  DiagnosticEngine &diagnostics;
  std::unique_ptr<LanguageState> state;
  mlir::Operation *kernelFunction = nullptr;
  llvm::StringMap<Value> symbols; ///< extents that the launch solves, by name
  Frame *frame = nullptr;
  /// Branches that are being written, and where their operation will stand.
  llvm::SmallVector<std::pair<const mlir::Region *, mlir::Block *>> openBranches;
  /// The scope that is being entered.
  struct {
    const ast::Expr *target = nullptr;
    const ast::Block *body = nullptr;
  } entered;
  unsigned depth = 0;
  unsigned branchDepth = 0;
  unsigned visited = 0;
  bool isCancelled = false;
  bool isTooDeep = false;
};

/// Evaluations nested deeper than this (calls included) are an error.
inline constexpr unsigned kMaxEvaluationDepth = 600;
/// Branches nested deeper, early returns in a row included, are an error: passes recurse over
/// regions.
inline constexpr unsigned kMaxBranchDepth = 256;
/// Statements and elements of comprehensions that are visited, in unrolled loops and calls each
/// time.
inline constexpr unsigned kMaxVisited = 1 << 17;
/// After this many errors the rest of the kernel is not visited.
inline constexpr unsigned kMaxErrors = 20;
/// `tl.static_range` and comprehensions longer than this are an error.
inline constexpr int64_t kMaxUnrolled = 65536;

} // namespace kiln::frontend

#endif // KILN_LIB_FRONTEND_SEMA_SEMA_H
