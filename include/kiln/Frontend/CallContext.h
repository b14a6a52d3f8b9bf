//===- CallContext.h - what a lowering may ask of the front end --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A lowering turns a call of a language name into operations. It gets the bound arguments and this
// context: where to put operations, how to report errors (each returns poison, so `return
// context.error(…)` is the idiom), helpers for arguments that must be known at compile time, and
// the way back into the language: operators, casts, calls of other language names and of callables
// that the kernel passed in.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_FRONTEND_CALLCONTEXT_H
#define KILN_FRONTEND_CALLCONTEXT_H

#include "kiln/Frontend/Value.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/Twine.h"

#include <optional>

namespace kiln {
struct SourcePlace;
}

namespace kiln::frontend {

class Sema;
class Signature;
struct BufferData;
struct RegionData;
class Vocabulary;
struct KernelOptions;

namespace ast {
struct Node;
} // namespace ast

enum class BinaryOperator {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  MatMul,
  And,
  Or,
  Xor,
  Shl,
  Shr,
  LogicalAnd,
  LogicalOr, // Python's `and`, `or` with a runtime operand
};
enum class CompareOperator { Eq, Ne, Lt, Le, Gt, Ge };
enum class UnaryOperator { Plus, Minus, Invert, Not };

/// `+`, `//`, `<`, `not`, … as the source has it.
llvm::StringRef spelling(BinaryOperator op);
llvm::StringRef spelling(CompareOperator op);
llvm::StringRef spelling(UnaryOperator op);

/// The arguments of one call, bound to the parameters of the form of the signature that fitted.
class Arguments {
public:
  struct Argument {
    std::string name;
    Value value;
    const ast::Node *node = nullptr; ///< null where the default was taken
  };

  /// The parameter `name`; poison if the bound form has none of that name.
  const Value &operator[](llvm::StringRef name) const;
  const Value &operator[](size_t index) const { return bound[index].value; }
  /// The bound form has the parameter and the call gave it.
  bool given(llvm::StringRef name) const;
  const Argument *find(llvm::StringRef name) const;
  size_t size() const { return bound.size(); }
  /// What `*args` of the signature took.
  llvm::ArrayRef<Argument> rest() const { return variadic; }
  llvm::SmallVector<Value> restValues() const;

  llvm::SmallVector<Argument, 8> bound;
  llvm::SmallVector<Argument, 0> variadic;
};

/// What the lowerings of one language share while a kernel is translated.
class LanguageState {
public:
  virtual ~LanguageState() = default;
};

class CallContext {
public:
  CallContext(Sema &sema, const ast::Node &node, llvm::StringRef callee)
      : sema(sema), node(node), calleeName(callee) {}

  //===--- Operations ---===//
  mlir::OpBuilder &builder();
  mlir::Location loc();
  mlir::MLIRContext *mlirContext();
  template <typename Op, typename... Args> Op create(Args &&...args) {
    return Op::create(builder(), loc(), std::forward<Args>(args)...);
  }
  /// Creates the op or folds it; one result.
  template <typename Op, typename... Args> mlir::Value fold(Args &&...args) {
    return builder().createOrFold<Op>(loc(), std::forward<Args>(args)...);
  }
  /// The block that the operation around `block` stands in, also for the branch of an `if` that is
  /// being written and has no operation yet; null for the function's body.
  mlir::Block *blockAround(mlir::Block *block);
  const KernelOptions &options();
  const Vocabulary &vocabulary();
  /// The canonical name that is being called (`tl.load`); for operators their spelling.
  llvm::StringRef callee() const { return calleeName; }

  /// What the vocabulary's `makeState` made.
  LanguageState &state();
  /// The kernel's function.
  mlir::Operation *kernel();
  /// Whether the kernel, or a function it calls, mentions an attribute or name so spelt.
  bool mentions(llvm::StringRef name);
  /// While a loop for all lanes is entered: the smallest extent, known at compile time, of a
  /// dimension of a buffer on chip whose index in the body is just the loop's target number
  /// `target`.
  std::optional<int64_t> extentIndexedBy(size_t target);
  /// A decorator's `pass_configs` entry; None where it is absent.
  Value passConfig(llvm::StringRef key);
  /// While a scope is entered: whether the body reads its target number `index` (if that is a name;
  /// what is no name counts as read).
  bool readsTarget(size_t index);
  /// The keys that there are, sorted.
  std::vector<std::string> passConfigKeys();

  //===--- Messages ---===//
  /// Reports at the call and returns poison.
  Value error(const llvm::Twine &message);
  /// Reports at the argument `name` (at the call where its default was taken).
  Value errorAt(const Arguments &arguments, llvm::StringRef name, const llvm::Twine &message);
  Value errorAt(const Arguments::Argument &argument, const llvm::Twine &message);
  /// Reports at the call, with a note at another place.
  Value error(const llvm::Twine &message, const llvm::Twine &note, const SourcePlace &noteAt);
  SourcePlace place() const;
  void warning(const llvm::Twine &message);
  /// Says what was done in a slow way, and why.
  void remark(const llvm::Twine &message);
  /// Shows one line of `tl.static_print` to the user.
  void staticPrint(llvm::StringRef text);

  //===--- Arguments known at compile time; an absent result means the error was reported ---===//
  std::optional<Integer> integer(const Arguments &arguments, llvm::StringRef name);
  std::optional<int64_t> intConst(const Arguments &arguments, llvm::StringRef name);
  std::optional<bool> boolConst(const Arguments &arguments, llvm::StringRef name);
  std::optional<std::string> stringConst(const Arguments &arguments, llvm::StringRef name);
  std::optional<DType> dtypeConst(const Arguments &arguments, llvm::StringRef name);
  /// A dtype or pointer type.
  std::optional<Type> typeConst(const Arguments &arguments, llvm::StringRef name);
  /// An int or a tuple of ints, each at least 1; the product at most kMaxTensorElements.
  std::optional<Type::Shape> shapeConst(const Arguments &arguments, llvm::StringRef name);
  /// An int or a tuple of ints, anything goes (axes, permutations).
  std::optional<llvm::SmallVector<int64_t, 4>> intsConst(const Arguments &arguments,
                                                         llvm::StringRef name);
  /// An axis of a value of `rank` dimensions, negative counted from the end.
  std::optional<int64_t> axisConst(const Arguments &arguments, llvm::StringRef name, int64_t rank);
  /// `*shape` signatures: one tuple or several ints.
  std::optional<Type::Shape> shapeConst(llvm::ArrayRef<Arguments::Argument> rest);

  //===--- Runtime values ---===//
  /// The argument as a runtime value: numbers become scalars (`materialize`); anything else is an
  /// error that says what was found. Poison stays poison.
  Value runtime(const Arguments &arguments, llvm::StringRef name);
  /// Numbers take the first type that holds them: bool → i1; int → i32, u32, i64, u64; float → f32,
  /// or f64 outside f32's normal range. Runtime values pass unchanged; others are an error.
  Value materialize(const Value &value);
  /// A number as a scalar of that dtype; an int outside the type's range and a float for an integer
  /// type are errors.
  Value materializeAs(const Value &value, DType dtype);
  /// A scalar or splat constant of `type` (not a pointer), no checks: ints are cut, floats rounded.
  mlir::Value constant(const Type &type, const Integer &value);
  mlir::Value constant(const Type &type, double value);

  //===--- Back into the language ---===//
  Value binary(BinaryOperator op, const Value &lhs, const Value &rhs);
  Value compare(CompareOperator op, const Value &lhs, const Value &rhs);
  Value unary(UnaryOperator op, const Value &operand);
  /// Calls a language name: positional arguments, then keywords.
  Value callLanguage(llvm::StringRef name, llvm::ArrayRef<Value> arguments,
                     llvm::ArrayRef<std::pair<std::string, Value>> keywords = {});
  /// Calls any callable value (jit function, lambda, language name, host function) at the builder's
  /// insertion point: set that into a region's block first to get a combine region.
  Value call(const Value &callee, llvm::ArrayRef<Value> arguments);
  bool isCallable(const Value &value) const;
  /// An element of a buffer becomes its value; anything else stays.
  Value read(const Value &value);
  /// `object.name`.
  Value attribute(const Value &object, llvm::StringRef name);

private:
  std::optional<Type::Shape> shapeOf(const Value &value, const Arguments::Argument *argument);

  Sema &sema;
  const ast::Node &node;
  std::string calleeName;
};

/// The largest block: TRITON_MAX_TENSOR_NUMEL.
inline constexpr int64_t kMaxTensorElements = 1048576;

} // namespace kiln::frontend

#endif // KILN_FRONTEND_CALLCONTEXT_H
