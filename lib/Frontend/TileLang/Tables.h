//===- Tables.h - the parts of TileLang's vocabulary ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// One function per file: it adds that file's table. A row is a name, its signature and its
// lowering; nothing else has to be told about a new name.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_TILELANG_TABLES_H
#define KILN_LIB_FRONTEND_TILELANG_TABLES_H

#include "kiln/Frontend/Vocabulary.h"

namespace kiln::frontend::tilelang {

/// dtypes, attributes of buffers.
void addTypes(Vocabulary &vocabulary);
/// `T.Kernel`, `T.Scope`, `T.func_attr` …
void addPrograms(Vocabulary &vocabulary);
/// `T.serial`, `T.unroll`, `T.Pipelined`, `T.Persistent` …
void addLoops(Vocabulary &vocabulary);
void addParallel(Vocabulary &vocabulary);
/// `T.alloc_…`, `T.annotate_…`
void addAllocations(Vocabulary &vocabulary);
void addCopies(Vocabulary &vocabulary);
/// Scalars and blocks in expressions: `T.ceildiv`, `T.if_then_else`, `T.exp` …
void addExpressions(Vocabulary &vocabulary);
/// `T.tile.…`
void addTileOps(Vocabulary &vocabulary);
void addReductions(Vocabulary &vocabulary);
/// Flags, barriers, and what else only the npu level has.
void addExpert(Vocabulary &vocabulary);
/// Public names that have no lowering.
void addNotYet(Vocabulary &vocabulary);

} // namespace kiln::frontend::tilelang

#endif // KILN_LIB_FRONTEND_TILELANG_TABLES_H
