//===- Memory.cpp - loads and stores ---------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The pointers decide the shape: mask, other and value are broadcast to it and never beyond.
// A bool lives in memory as one byte: any non-zero byte reads as true, true is written as 1.
//
//===-----------------------------------------------------------------------------------------===//

#include "Semantics.h"
#include "Tables.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

namespace kiln::frontend::triton {

using llvm::Twine;

static Value pointerArgument(CallContext &context, const Arguments &arguments) {
  Value pointer = context.runtime(arguments, "pointer");
  if (pointer.isPoison() || pointer.type().isPointer())
    return pointer;
  return wrongArgument(context, arguments, "pointer", pointer, "a pointer or a block of pointers");
}

/// The argument in the pointers' shape.
static Value inShapeOf(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                       Value value, const Value &pointer) {
  if (value.isPoison())
    return value;
  ShapeRef want = pointer.type().shape(), have = value.type().shape();
  bool fits = have.size() <= want.size();
  for (auto [haveSize, wantSize] : llvm::zip(llvm::reverse(have), llvm::reverse(want)))
    fits &= haveSize == 1 || haveSize == wantSize;
  if (!fits)
    return wrongArgument(context, arguments, name, value,
                         (want.empty() ? Twine("a scalar, as the pointer is one")
                                       : "the pointer's shape [" + Twine(shapeText(want)) +
                                             "] or one that broadcasts to it"));
  while (!have.empty() && value.type().rank() < int64_t(want.size()))
    value = insertUnitDim(context, value, 0);
  return broadcastTo(context, value, want);
}

/// The mask as i1 in the pointers' shape; a null IR value where there is none.
static std::optional<mlir::Value> maskArgument(CallContext &context, const Arguments &arguments,
                                               const Value &pointer) {
  if (arguments["mask"].isNone())
    return mlir::Value();
  Value mask = context.runtime(arguments, "mask");
  if (!mask.isPoison() && !mask.type().isIntegerLike())
    mask = wrongArgument(context, arguments, "mask", mask, "bool or an integer");
  mask = inShapeOf(context, arguments, "mask", toBool(context, mask), pointer);
  return mask.isPoison() ? std::nullopt : std::optional(mask.ir());
}

/// A value in the pointee's type and the pointers' shape, as memory holds it.
static Value forMemory(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                       const Value &pointer) {
  Value value = context.runtime(arguments, name);
  DType pointee = pointer.type().dtype();
  if (!value.isPoison() && value.type().isPointer() && bitWidth(pointee) != 64)
    return wrongArgument(context, arguments, name, value, info(pointee).languageName);
  value = castTo(context, value, pointee);
  value = inShapeOf(context, arguments, name, value, pointer);
  return isBool(pointee) ? castTo(context, value, DType::I8) : value;
}

//===----------------------------------------------------------------------------------------===//
// Hints of the memory system: checked, without effect on the meaning
//===----------------------------------------------------------------------------------------===//

static bool checkWord(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                      llvm::ArrayRef<llvm::StringLiteral> words) {
  const Value &value = arguments[name];
  if (value.isNone())
    return true;
  std::optional<std::string> word = context.stringConst(arguments, name);
  if (!word)
    return false;
  if (word->empty() || llvm::is_contained(words, *word))
    return true;
  std::string list;
  for (llvm::StringRef entry : words)
    list += (list.empty() ? "'" : ", '") + entry.str() + "'";
  wrongArgument(context, arguments, name, "'" + *word + "'", "'' or one of " + list);
  return false;
}

static constexpr llvm::StringLiteral kLoadCaching[] = {".ca", ".cg", ".cs", ".cv"};
static constexpr llvm::StringLiteral kStoreCaching[] = {".wb", ".cg", ".cs", ".wt"};
static constexpr llvm::StringLiteral kEviction[] = {"evict_normal", "evict_first", "evict_last"};

static bool checkHints(CallContext &context, const Arguments &arguments,
                       llvm::ArrayRef<llvm::StringLiteral> caching) {
  bool isCachingKnown = checkWord(context, arguments, "cache_modifier", caching);
  return checkWord(context, arguments, "eviction_policy", kEviction) && isCachingKnown;
}

/// `boundary_check` and `padding_option` belong to block pointers.
static bool checkNoBlockPointer(CallContext &context, const Arguments &arguments) {
  for (llvm::StringRef name : {"boundary_check", "padding_option"}) {
    const Arguments::Argument *argument = arguments.find(name);
    if (!argument || argument->value.isNone() ||
        (argument->value.isTuple() && argument->value.elements().empty()) ||
        (argument->value.asString() && argument->value.asString()->empty()))
      continue;
    context.errorAt(*argument, name + " needs a block pointer; those are not there yet");
    return false;
  }
  return true;
}

//===----------------------------------------------------------------------------------------===//
// Load and store
//===----------------------------------------------------------------------------------------===//

static Value lowerLoad(CallContext &context, const Arguments &arguments) {
  Value pointer = pointerArgument(context, arguments);
  std::optional<bool> isVolatile = context.boolConst(arguments, "volatile");
  bool isValid = checkHints(context, arguments, kLoadCaching);
  isValid &= checkNoBlockPointer(context, arguments);
  if (pointer.isPoison() || !isVolatile || !isValid)
    return Value::poison();
  bool hasOther = !arguments["other"].isNone();
  if (hasOther && arguments["mask"].isNone())
    return wrongArgument(context, arguments, "other", arguments["other"],
                         "None, as there is no mask");
  std::optional<mlir::Value> mask = maskArgument(context, arguments, pointer);
  mlir::Value other;
  if (hasOther) {
    Value value = forMemory(context, arguments, "other", pointer);
    if (value.isPoison())
      return value;
    other = value.ir();
  }
  if (!mask)
    return Value::poison();
  Type type = pointer.type().pointee();
  bool asByte = isBool(type.dtype());
  Type memory = asByte ? type.withDType(DType::I8) : type;
  auto op = context.create<tile::PtrLoadOp>(
      memory.mlir(context.mlirContext()), pointer.ir(), *mask, other,
      *isVolatile ? context.builder().getUnitAttr() : mlir::UnitAttr());
  Value loaded = Value::runtime(op.getResult(), memory);
  return asByte ? toBool(context, loaded) : loaded;
}

static Value lowerStore(CallContext &context, const Arguments &arguments) {
  Value pointer = pointerArgument(context, arguments);
  bool isValid = checkHints(context, arguments, kStoreCaching);
  isValid &= checkNoBlockPointer(context, arguments);
  if (pointer.isPoison() || !isValid)
    return Value::poison();
  if (pointer.type().isConstPointer())
    return wrongArgument(context, arguments, "pointer", describe(pointer) + " to constant memory",
                         "one that may be written");
  Value value = forMemory(context, arguments, "value", pointer);
  std::optional<mlir::Value> mask = maskArgument(context, arguments, pointer);
  if (value.isPoison() || !mask)
    return Value::poison();
  context.create<tile::PtrStoreOp>(pointer.ir(), value.ir(), *mask);
  return Value::none();
}

void addMemory(Vocabulary &vocabulary) {
  static constexpr LanguageEntry kEntries[] = {
      {"tl.load",
       "pointer, mask=None, other=None, *, cache_modifier='', eviction_policy='', volatile=False"
       " | pointer, mask=None, other=None, boundary_check=(), padding_option='', "
       "cache_modifier='', eviction_policy='', volatile=False",
       lowerLoad},
      {"tl.store",
       "pointer, value, mask=None, *, cache_modifier='', eviction_policy=''"
       " | pointer, value, mask=None, boundary_check=(), cache_modifier='', eviction_policy=''",
       lowerStore},
  };
  vocabulary.add(kEntries);
}

} // namespace kiln::frontend::triton
