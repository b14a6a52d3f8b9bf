//===- LiveNames.h - which names a statement binds, reads, and leaves for later ----------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// SSA form needs to know, before a loop's body is visited, which names the loop carries: those that
// it assigns and that are read before they are assigned in an iteration, or after the loop. Two
// passes over the tree answer that for every statement with blocks: one forward and bottom-up
// (assigned, exposed), one backward (live after). Both are linear in the number of statements,
// whatever the nesting. The facts are syntactic, so branches that are dead for one set of constexpr
// arguments count.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_AST_LIVENAMES_H
#define KILN_LIB_FRONTEND_AST_LIVENAMES_H

#include "lib/Frontend/Ast/Ast.h"

namespace kiln::frontend::ast {

/// Fills in the facts of every statement with blocks, and `used` of every lambda.
void analyseFlow(Function &function);

/// Adds the names that `block` may bind.
void collectAssigned(llvm::ArrayRef<const Stmt *> block, NameSet &assigned);
/// Adds the names that `expr` may bind with `:=`.
void collectAssigned(const Expr *expr, NameSet &assigned);

} // namespace kiln::frontend::ast

#endif // KILN_LIB_FRONTEND_AST_LIVENAMES_H
