//===- Allocations.cpp - buffers and variables of a program -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Buffers.h"
#include "Tables.h"

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

// The launch has read what stands before `T.Kernel`, so these never get here in their place.
static Value lowerDeclaration(CallContext &context, const Arguments &) {
  return context.error(context.callee() + " belongs before T.Kernel, in the form in which the "
                                          "decorated function is the kernel");
}

void addAllocations(Vocabulary &vocabulary) {
  static constexpr LanguageEntry kEntries[] = {
      {"T.alloc_shared", "shape, dtype, scope='shared.dyn'", lowerShared},
      {"T.alloc_fragment", "shape, dtype, scope='local.fragment'", lowerShared},
      {"T.alloc_local", "shape, dtype, scope='local'", lowerShared},
      {"T.alloc_ub", "shape, dtype", lowerUb},
      {"T.const", "names", lowerDeclaration},
      {"T.empty", "*shape, dtype='float32'", lowerDeclaration},
      {"T.alloc_var", "dtype, init=None, scope='local.var'", lowerVariable},
  };
  vocabulary.add(kEntries);
}

} // namespace kiln::frontend::tilelang
