//===- Value.h - what a name of a kernel can stand for -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Evaluating an expression gives a Value: poison (an error was reported: whoever meets it stays
// silent and passes it on), a runtime value (SSA value and language type), a compile-time value
// (Python's None, bool, int, float, str; a type; a slice; a loop range), a tuple of values, or
// something callable. Everything but poison and runtime values is known at compile time; a tuple is
// where all its elements are. Values are cheap to copy: large parts are shared and immutable.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_FRONTEND_VALUE_H
#define KILN_FRONTEND_VALUE_H

#include "kiln/Frontend/Integer.h"
#include "kiln/Frontend/Type.h"

#include "mlir/IR/Value.h"

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace kiln::frontend {

namespace ast {
struct Function;
struct LambdaExpr;
} // namespace ast

class CallContext;
class Value;
struct LambdaData;

struct RuntimeValue {
  mlir::Value ir;
  Type type;
};
struct NoneValue {};
/// `a:b:c`; absent parts are None.
struct SliceData;
/// What `range`, `tl.range` and `tl.static_range` return.
struct RangeData;
struct TupleData;
/// `...`
struct EllipsisValue {};
/// A dotted language name, canonical (`tl.load`, `tl.math`): a function, a namespace or a symbol
/// without further value.
struct LanguageName {
  std::string name;
};
/// Another `@jit` function.
struct FunctionRef {
  const ast::Function *function;
};
/// A callable of the host that is evaluated on constexpr arguments.
struct HostRef {
  int64_t id;
};
struct BuiltinRef {
  std::string name;
};
/// `x.to`: calling it calls the vocabulary's entry `name` (`tensor.to`) with the receiver first.
struct MethodData;
/// A Python module that is not part of the language: the attributes that the kernel mentions.
struct ModuleData;
/// Memory with a shape: a tensor argument, or a buffer of the program.
struct BufferData;
/// A part of a buffer, or one element of it.
struct RegionData;
/// What a `with` statement enters, or a loop whose body is visited once for all lanes.
struct ScopeData;
/// An extent that a launch solves from its arguments, or an expression of such; never seen by
/// lowerings: reading a name makes a runtime value of it.
struct SymbolData;
/// Something of Python's that kernels cannot use, by its type's name.
struct OpaqueValue {
  std::string typeName;
};

class Value {
public:
  /// Poison.
  Value() = default;
  static Value poison() { return {}; }
  static Value none() { return Value(NoneValue{}); }
  static Value boolean(bool value) { return Value(Storage(value)); }
  static Value integer(Integer value) { return Value(Storage(std::move(value))); }
  static Value number(double value) { return Value(Storage(value)); }
  static Value string(llvm::StringRef value) { return Value(Storage(value.str())); }
  static Value type(Type value) { return Value(Storage(std::move(value))); }
  static Value runtime(mlir::Value ir, Type type) { return Value(RuntimeValue{ir, type}); }
  static Value tuple(std::vector<Value> elements, std::vector<std::string> names = {},
                     bool isList = false);
  static Value slice(Value lower, Value upper, Value step);
  static Value range(RangeData range);
  static Value ellipsis() { return Value(EllipsisValue{}); }
  static Value language(llvm::StringRef name) { return Value(LanguageName{name.str()}); }
  static Value function(const ast::Function *function) { return Value(FunctionRef{function}); }
  static Value host(int64_t id) { return Value(HostRef{id}); }
  static Value builtin(llvm::StringRef name) { return Value(BuiltinRef{name.str()}); }
  static Value lambda(std::shared_ptr<const LambdaData> lambda) { return Value(Storage(lambda)); }
  static Value method(Value receiver, llvm::StringRef entry);
  static Value module(ModuleData module);
  static Value buffer(std::shared_ptr<const BufferData> buffer) { return Value(Storage(buffer)); }
  static Value region(RegionData region);
  static Value scope(ScopeData scope);
  static Value symbol(SymbolData symbol);
  static Value opaque(llvm::StringRef typeName) { return Value(OpaqueValue{typeName.str()}); }

  bool isPoison() const { return std::holds_alternative<std::monostate>(storage); }
  bool isRuntime() const { return std::holds_alternative<RuntimeValue>(storage); }
  bool isNone() const { return std::holds_alternative<NoneValue>(storage); }
  bool isTuple() const { return asTuple() != nullptr; }
  /// Known at compile time, elements of tuples included.
  bool isConstant() const;
  /// Poison, or a tuple with poison in it.
  bool hasPoison() const;
  /// A compile-time bool, int or float.
  bool isNumber() const;

  /// Of a runtime value.
  mlir::Value ir() const { return std::get<RuntimeValue>(storage).ir; }
  const Type &type() const { return std::get<RuntimeValue>(storage).type; }

  const RuntimeValue *asRuntime() const { return std::get_if<RuntimeValue>(&storage); }
  const bool *asBool() const { return std::get_if<bool>(&storage); }
  const Integer *asInt() const { return std::get_if<Integer>(&storage); }
  const double *asFloat() const { return std::get_if<double>(&storage); }
  const std::string *asString() const { return std::get_if<std::string>(&storage); }
  const Type *asType() const { return std::get_if<Type>(&storage); }
  const TupleData *asTuple() const { return shared<TupleData>(); }
  const SliceData *asSlice() const { return shared<SliceData>(); }
  const RangeData *asRange() const { return shared<RangeData>(); }
  const MethodData *asMethod() const { return shared<MethodData>(); }
  const LambdaData *asLambda() const { return shared<LambdaData>(); }
  const ModuleData *asModule() const { return shared<ModuleData>(); }
  std::shared_ptr<const BufferData> asBuffer() const {
    auto *pointer = std::get_if<Shared<BufferData>>(&storage);
    return pointer ? *pointer : nullptr;
  }
  const RegionData *asRegion() const { return shared<RegionData>(); }
  const ScopeData *asScope() const { return shared<ScopeData>(); }
  const SymbolData *asSymbol() const { return shared<SymbolData>(); }
  bool isEllipsis() const { return std::holds_alternative<EllipsisValue>(storage); }
  const LanguageName *asLanguage() const { return std::get_if<LanguageName>(&storage); }
  const FunctionRef *asFunction() const { return std::get_if<FunctionRef>(&storage); }
  const HostRef *asHost() const { return std::get_if<HostRef>(&storage); }
  const BuiltinRef *asBuiltin() const { return std::get_if<BuiltinRef>(&storage); }
  const OpaqueValue *asOpaque() const { return std::get_if<OpaqueValue>(&storage); }

  /// The elements of a tuple; none for anything else.
  llvm::ArrayRef<Value> elements() const;

private:
  template <typename T> using Shared = std::shared_ptr<const T>;
  using Storage =
      std::variant<std::monostate, RuntimeValue, NoneValue, bool, Integer, double, std::string,
                   Type, Shared<TupleData>, Shared<SliceData>, Shared<RangeData>,
                   Shared<MethodData>, Shared<LambdaData>, Shared<ModuleData>, Shared<BufferData>,
                   Shared<RegionData>, Shared<ScopeData>, Shared<SymbolData>, EllipsisValue,
                   LanguageName, FunctionRef, HostRef, BuiltinRef, OpaqueValue>;

  explicit Value(Storage storage) : storage(std::move(storage)) {}
  template <typename T> const T *shared() const {
    auto *pointer = std::get_if<Shared<T>>(&storage);
    return pointer ? pointer->get() : nullptr;
  }

  Storage storage;
};

struct TupleData {
  std::vector<Value> elements;
  /// One per element for named tuples, else empty.
  std::vector<std::string> names;
  bool isList = false;
};

struct SliceData {
  Value lower, upper, step;
};

struct RangeData {
  Value start, stop, step;
  /// `tl.static_range`: unrolled by the front end.
  bool isStatic = false;
  /// Loop hints to leave on the `scf.for` as discardable attributes, by name; constants.
  std::vector<std::pair<std::string, Value>> hints;
  /// What the loop's target gets for a number of the range; empty: the number.
  std::function<Value(CallContext &, const Value &)> element;
};

struct MethodData {
  Value receiver;
  std::string entry;
};

struct LambdaData {
  const ast::LambdaExpr *node;
  /// The values of the names its body uses, as they were where it was written.
  std::vector<std::pair<std::string, Value>> captured;
  /// Of the last parameters.
  std::vector<Value> defaults;
  /// The function it was written in: where its global names are looked up.
  const ast::Function *function;
};

struct ModuleData {
  std::string name;
  struct Attribute {
    std::string name;
    Value value;
    bool isConstexpr;
  };
  std::vector<Attribute> attributes;
};

struct BufferData {
  /// Of the parameter, or of the first variable that the buffer is bound to; for messages only.
  mutable std::string name;
  /// `!tile.ptr` to the first element of a tensor argument, or a `!tile.local`.
  mlir::Value handle;
  DType dtype;
  /// Ints; of tensor arguments also runtime integer scalars. Dense, row-major.
  std::vector<Value> shape;
  bool isGlobal = false;
  /// Where the author put a buffer of the program: "ub", "l1", …; empty where that is the
  /// compiler's choice.
  std::string memory;

  int64_t rank() const { return shape.size(); }
};

struct RegionData {
  std::shared_ptr<const BufferData> buffer;
  /// Per dimension of the buffer: an int, a runtime integer scalar, or (of an element in lanes) a
  /// block of integers.
  std::vector<Value> offsets;
  /// Per dimension: an int or a runtime integer scalar; 1 where `isIndex`.
  std::vector<Value> extents;
  /// The dimension was given by an index, not by a slice.
  std::vector<bool> isIndex;

  /// `x[i, j]`: read where a value is wanted, the corner of a region where one is wanted.
  bool isElement() const;
};

struct ScopeData {
  /// What `as` (or the loop's target) gets; `targets` is the number of names there, 0 for none.
  std::function<Value(CallContext &, size_t targets)> enter;
  std::function<void(CallContext &)> leave;
  /// Of a loop for all lanes: what a value from outside stands for in its body; empty: the same.
  std::function<Value(CallContext &, const Value &)> widen;
};

struct SymbolData {
  std::string name; ///< or empty: an expression
  std::string op;   ///< `+ - * // % ceildiv min max`
  std::vector<Value> arguments;
};

/// Both known at compile time and the same: same kind, same value (True is not 1).
bool identical(const Value &a, const Value &b);
/// The same in this sense, or the same runtime value in the same type.
bool isSameValue(const Value &a, const Value &b);
/// Python's `str()` and `repr()`; runtime values show their type.
std::string pythonStr(const Value &value);
std::string pythonRepr(const Value &value);
/// For messages: `a tensor fp32[128]`, `the int 3`, `the function tl.load`, `None`.
std::string describe(const Value &value);
/// For messages about types: `fp32[128]`; numbers known at compile time by the type that they would
/// get, `int32`.
std::string typeName(const Value &value);

} // namespace kiln::frontend

#endif // KILN_FRONTEND_VALUE_H
