//===- Allocations.cpp - buffers and variables of a program -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Buffers.h"
#include "Tables.h"

#include "llvm/ADT/StringExtras.h"

namespace kiln::frontend::tilelang {

using llvm::Twine;

static Value lowerAllocation(CallContext &context, const Arguments &arguments,
                             llvm::StringRef memory) {
  std::optional<Shape> shape = context.shapeConst(arguments, "shape");
  std::optional<DType> dtype = dtypeArgument(context, arguments, "dtype");
  if (!shape || !dtype)
    return Value::poison();
  if (shape->empty() || shape->size() > 4)
    return context.errorAt(arguments, "shape",
                           "found " + Twine(shape->size()) +
                               " dimensions of a buffer, expected one to four");
  return allocate(context, *shape, *dtype, memory);
}

static Value lowerShared(CallContext &context, const Arguments &arguments) {
  return lowerAllocation(context, arguments, "");
}

static Value lowerUb(CallContext &context, const Arguments &arguments) {
  return lowerAllocation(context, arguments, "ub");
}

/// A scalar that assignments change: a name of the function, which loops and branches carry.
static Value lowerVariable(CallContext &context, const Arguments &arguments) {
  std::optional<DType> dtype = dtypeArgument(context, arguments, "dtype");
  if (!dtype)
    return Value::poison();
  Value init = context.read(arguments["init"]);
  if (init.isNone())
    init = Value::integer(0);
  if (init.isNumber())
    return context.materializeAs(init, *dtype);
  if (!init.isRuntime() || init.type().isBlock())
    return triton::wrongArgument(context, arguments, "init", init, "a scalar");
  return triton::castTo(context, init, *dtype);
}

//===----------------------------------------------------------------------------------------===//
// The eager form: extents and results that the launch knows
//===----------------------------------------------------------------------------------------===//

static Value lowerConst(CallContext &context, const Arguments &arguments) {
  std::optional<std::string> text = context.stringConst(arguments, "names");
  if (!text)
    return Value::poison();
  llvm::SmallVector<llvm::StringRef> names;
  llvm::SplitString(*text, names, ", ");
  std::vector<Value> extents;
  for (llvm::StringRef name : names) {
    extents.push_back(context.constExtent(name));
    if (extents.back().isNone())
      return context.errorAt(arguments, "names",
                             "the extent '" + name +
                                 "' is that of no tensor argument; T.const belongs to the form in "
                                 "which the decorated function is the kernel");
  }
  return extents.size() == 1 ? extents.front() : Value::tuple(std::move(extents));
}

static Value lowerEmpty(CallContext &context, const Arguments &) {
  Value output = context.output(stateOf(context).outputs++);
  return output.isNone() ? context.error("T.empty belongs to the form in which the decorated "
                                         "function is the kernel, before T.Kernel")
                         : output;
}

void addAllocations(Vocabulary &vocabulary) {
  static constexpr LanguageEntry kEntries[] = {
      {"T.alloc_shared", "shape, dtype, scope='shared.dyn'", lowerShared},
      {"T.alloc_fragment", "shape, dtype, scope='local.fragment'", lowerShared},
      {"T.alloc_local", "shape, dtype, scope='local'", lowerShared},
      {"T.alloc_ub", "shape, dtype", lowerUb},
      {"T.const", "names", lowerConst},
      {"T.empty", "*shape, dtype='float32'", lowerEmpty},
      {"T.alloc_var", "dtype, init=None, scope='local.var'", lowerVariable},
  };
  vocabulary.add(kEntries);
}

} // namespace kiln::frontend::tilelang
