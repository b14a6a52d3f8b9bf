//===- Tables.h - the parts of Triton's vocabulary -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// One function per file: it adds that file's table. A table's row is a name, its signature and its
// lowering; nothing else has to be told about a new name.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_TRITON_TABLES_H
#define KILN_LIB_FRONTEND_TRITON_TABLES_H

#include "kiln/Frontend/Vocabulary.h"

namespace kiln::frontend::triton {

void addPrograms(Vocabulary &vocabulary);
void addCreation(Vocabulary &vocabulary);
void addShape(Vocabulary &vocabulary);
void addMemory(Vocabulary &vocabulary);
void addArithmetic(Vocabulary &vocabulary);
void addMath(Vocabulary &vocabulary);
void addCasts(Vocabulary &vocabulary);
void addReductions(Vocabulary &vocabulary);
void addHints(Vocabulary &vocabulary);
void addDebug(Vocabulary &vocabulary);
/// dtypes and other constants, attributes of tensors and dtypes, methods, operators.
void addTypes(Vocabulary &vocabulary);
void addTensorMethods(Vocabulary &vocabulary);
/// Public names that have no lowering.
void addNotYet(Vocabulary &vocabulary);

} // namespace kiln::frontend::triton

#endif // KILN_LIB_FRONTEND_TRITON_TABLES_H
