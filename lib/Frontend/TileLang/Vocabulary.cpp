//===- Vocabulary.cpp - TileLang's language, put together -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Hooks.h"
#include "Tables.h"

namespace kiln::frontend {

namespace tilelang {

static std::unique_ptr<LanguageState> makeState() { return std::make_unique<State>(); }

static void endKernel(CallContext &context) {
  if (!stateOf(context).hasKernel)
    context.error("found no T.Kernel in the function, expected one");
  // Tile operations would see memory of the buffer's own, which nothing fills.
  for (const std::shared_ptr<const BufferData> &buffer : stateOf(context).shared)
    if (!buffer->handle.use_empty())
      context.error("'" + buffer->name +
                    "' has the memory of another buffer, by T.reinterpretcast: this is not there "
                    "yet where it is used by more than copies and T.tile operations");
}

} // namespace tilelang

/// Lowerings call Triton's names, so they are in the table as well; a kernel reaches `T.` only.
static void fill(Vocabulary &vocabulary) {
  using namespace tilelang;
  addTritonVocabulary(vocabulary);
  addTypes(vocabulary);
  addPrograms(vocabulary);
  addLoops(vocabulary);
  addParallel(vocabulary);
  addAllocations(vocabulary);
  addCopies(vocabulary);
  addExpressions(vocabulary);
  addTileOps(vocabulary);
  addReductions(vocabulary);
  addExpert(vocabulary);
  addNotYet(vocabulary);
  for (llvm::StringRef module : {"tilelang.language", "tilelang.language.tile"})
    vocabulary.addAlias(module, module.ends_with(".tile") ? "T.tile" : "T");
  vocabulary.setHooks({.binary = tilelang::binary,
                       .compare = triton::compareOperator,
                       .unary = triton::unaryOperator,
                       .cast = triton::castTo,
                       .truth = triton::condition,
                       .subscript = tilelang::subscript,
                       .read = tilelang::read,
                       .write = tilelang::write,
                       .enterMask = enterMask,
                       .leaveMask = leaveMask,
                       .select = selectLanes,
                       .spread = spreadOverLanes,
                       .makeState = makeState,
                       .beginKernel = decideLevel,
                       .endKernel = endKernel,
                       .plainGlobals = true});
}

const Vocabulary &tileLangVocabulary() {
  static const Vocabulary vocabulary = [] {
    Vocabulary filled;
    fill(filled);
    return filled;
  }();
  return vocabulary;
}

} // namespace kiln::frontend
