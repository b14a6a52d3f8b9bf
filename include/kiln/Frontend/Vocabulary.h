//===- Vocabulary.h - the table of language names ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Everything a kernel can name beyond Python itself is an entry of a table: canonical name,
// signature, lowering. A name is a dotted path (`tl.load`, `tl.math.exp`). Names of values' methods
// and attributes are entries too, under the receiver's class: `tensor.to`, `tensor.shape` (a
// runtime value, scalar or block), `dtype.is_floating` (a type).
//
// Operators on runtime values are hooks, for they are not looked up by name.
//
// The core itself defines Python's builtins and `tl.range`, `tl.static_range`, `tl.constexpr`; the
// builtins fall back on entries of the vocabulary where an argument is a runtime value: `abs` →
// `tl.abs`, `min` → `tl.minimum`, `max` → `tl.maximum`, `print` → `tl.device_print`, the statement
// `assert` → `tl.device_assert`.
//
// A vocabulary is filled once, at first use, and never changes after.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_FRONTEND_VOCABULARY_H
#define KILN_FRONTEND_VOCABULARY_H

#include "kiln/Frontend/CallContext.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <vector>

namespace kiln::frontend {

/// The parameters of a language name, parsed from text as Python writes it:
/// `pointer, mask=None, other=None, *, cache_modifier='', volatile=False`. A `*` alone makes what
/// follows keyword-only,
/// `*args` takes the rest. Defaults are None, True, False, numbers, strings, `()` and dotted names
/// (`tl.float32`). Forms are separated by `|`; a call takes the first that fits.
class Signature {
public:
  struct Parameter {
    std::string name;
    std::optional<Value> defaultValue;
    bool isKeywordOnly = false;
    bool isVariadic = false;
  };
  using Form = std::vector<Parameter>;

  /// Asserts that the text is well formed: signatures are part of the program.
  static Signature parse(llvm::StringRef text);

  struct GivenArgument {
    std::string keyword; ///< empty for positional ones
    Value value;
    const ast::Node *node = nullptr;
  };
  /// Binds to the first form that fits; otherwise the reason why the first one does not.
  bool bind(llvm::ArrayRef<GivenArgument> given, Arguments &arguments, std::string &reason) const;

  llvm::ArrayRef<Form> forms() const { return formList; }

private:
  std::vector<Form> formList;
};

/// Arguments are free of poison. Returns None for calls without a result.
using Lowering = Value (*)(CallContext &context, const Arguments &arguments);
/// An attribute that is not called, of a value (`x.shape`).
using AttributeLowering = Value (*)(CallContext &context, const Value &object);

struct LanguageEntry {
  llvm::StringLiteral
      name; ///< `tl.load`; for methods `tensor.to`, the receiver being the first parameter
  llvm::StringLiteral signature; ///< see Signature
  Lowering lower;
};

struct AttributeEntry {
  llvm::StringLiteral name; ///< `tensor.shape`, `dtype.itemsize`
  AttributeLowering get;
};

/// What operators do where at least one operand is a runtime value. Operands are never poison; the
/// other one may be any value, so a hook says what is wrong with it.
struct OperatorHooks {
  Value (*binary)(CallContext &, BinaryOperator, const Value &lhs, const Value &rhs) = nullptr;
  Value (*compare)(CallContext &, CompareOperator, const Value &lhs, const Value &rhs) = nullptr;
  /// `not` on a runtime value included.
  Value (*unary)(CallContext &, UnaryOperator, const Value &operand) = nullptr;
  /// An explicit conversion: `int(x)`, `float(x)`, carried values of narrower ranges.
  Value (*cast)(CallContext &, const Value &operand, DType to) = nullptr;
  /// A scalar as an i1 scalar (`!= 0`): conditions of `if`, `while` and the ternary.
  Value (*truth)(CallContext &, const Value &operand) = nullptr;
  /// `x[…]` of a runtime value, buffer or region; indices are None, slices, ints, `...` or runtime
  /// values, one element for `x[i]`.
  Value (*subscript)(CallContext &, const Value &object, llvm::ArrayRef<Value> indices) = nullptr;

  //===--- Languages with buffers ---===//
  /// An element of a buffer as a runtime value, wherever one is wanted.
  Value (*read)(CallContext &, const RegionData &element) = nullptr;
  /// `x[…] = value`; an error is poison, else None.
  Value (*write)(CallContext &, const Value &object, llvm::ArrayRef<Value> indices,
                 const Value &value) = nullptr;
  /// An `if` on a block (in a loop whose body is visited once for all lanes): what follows happens
  /// in the lanes of the mask, an i1 block, only. False after an error.
  bool (*enterMask)(CallContext &, const Value &mask) = nullptr;
  void (*leaveMask)(CallContext &) = nullptr;
  /// Lane by lane: what a name stands for after such an `if`.
  Value (*select)(CallContext &, const Value &mask, const Value &x, const Value &y) = nullptr;
  /// In such a loop, a scalar as the block that it is in all lanes; anything else stays.
  Value (*spread)(CallContext &, const Value &) = nullptr;
  /// The state that lowerings share while one kernel is translated.
  std::unique_ptr<LanguageState> (*makeState)() = nullptr;
  /// After the parameters are bound, and after the body.
  void (*beginKernel)(CallContext &) = nullptr;
  void (*endKernel)(CallContext &) = nullptr;
  /// Plain Python values from outside are constants without being marked as such.
  bool plainGlobals = false;
};

class Vocabulary {
public:
  void add(llvm::ArrayRef<LanguageEntry> entries);
  void addAttributes(llvm::ArrayRef<AttributeEntry> entries);
  /// A name that stands for a value: `tl.float32`.
  void addConstant(llvm::StringRef name, Value value);
  /// `alias` means `canonical`, itself or as the prefix of a longer name (`triton.language` →
  /// `tl`).
  void addAlias(llvm::StringRef alias, llvm::StringRef canonical);
  /// Names of the language's API that have no lowering: an error at use says that they are not
  /// there yet. `names` are separated by spaces; `space` goes before each of them.
  void addNotThereYet(llvm::StringRef names, llvm::StringRef space = "");
  void setHooks(const OperatorHooks &hooks) { operatorHooks = hooks; }

  struct Entry {
    std::string name;
    Signature signature;
    Lowering lower;
  };

  /// `name` with its aliases resolved.
  std::string canonical(llvm::StringRef name) const;
  const Entry *find(llvm::StringRef name) const;
  const Value *findConstant(llvm::StringRef name) const;
  AttributeLowering findAttribute(llvm::StringRef name) const;
  bool isNamespace(llvm::StringRef name) const;
  bool isNotThereYet(llvm::StringRef name) const;
  const OperatorHooks &hooks() const { return operatorHooks; }
  /// Up to three known names that look like `name` and share its prefix up to the last dot, nearest
  /// first.
  std::vector<std::string> nearest(llvm::StringRef name) const;
  /// Every name, sorted, for generated documentation.
  std::vector<std::string> names() const;
  /// The aliases, and the names without a lowering, sorted.
  std::vector<std::string> aliasNames() const;
  std::vector<std::string> notThereYetNames() const;

private:
  void addNamespacesOf(llvm::StringRef name);

  llvm::StringMap<Entry> entries;
  llvm::StringMap<Value> constants;
  llvm::StringMap<AttributeLowering> attributes;
  llvm::StringMap<std::string> aliases;
  llvm::StringSet<> namespaces;
  llvm::StringSet<> notThereYet;
  OperatorHooks operatorHooks;
};

/// The words among `candidates` that are close to `word`, nearest first, at most three.
std::vector<std::string> nearestWords(llvm::StringRef word, llvm::ArrayRef<std::string> candidates);

/// Fills in Triton's language (lib/Frontend/Triton).
void addTritonVocabulary(Vocabulary &vocabulary);
/// Triton's language, filled at the first call.
const Vocabulary &tritonVocabulary();
/// TileLang's (lib/Frontend/TileLang), likewise. Triton's names are in it too: lowerings call them.
const Vocabulary &tileLangVocabulary();

} // namespace kiln::frontend

#endif // KILN_FRONTEND_VOCABULARY_H
