//===- Vocabulary.cpp - Triton's language, put together --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Semantics.h"
#include "Tables.h"

namespace kiln::frontend {

void addTritonVocabulary(Vocabulary &vocabulary) {
  using namespace triton;
  addTypes(vocabulary);
  addPrograms(vocabulary);
  addCreation(vocabulary);
  addShape(vocabulary);
  addMemory(vocabulary);
  addArithmetic(vocabulary);
  addMath(vocabulary);
  addCasts(vocabulary);
  addReductions(vocabulary);
  addHints(vocabulary);
  addDebug(vocabulary);
  addTensorMethods(vocabulary);
  addNotYet(vocabulary);
  // Triton's own modules, by which published files name the same things.
  for (llvm::StringRef module : {"triton.language", "tl.core", "tl.standard", "tl.random"})
    vocabulary.addAlias(module, "tl");
  vocabulary.addAlias("triton.cdiv", "tl.cdiv");
  vocabulary.setHooks({.binary = binaryOperator,
                       .compare = compareOperator,
                       .unary = unaryOperator,
                       .cast = castTo,
                       .truth = condition,
                       .subscript = subscript});
}

} // namespace kiln::frontend
