//===- Subscripts.h - where a block says `x[…]` ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_AST_SUBSCRIPTS_H
#define KILN_LIB_FRONTEND_AST_SUBSCRIPTS_H

#include "lib/Frontend/Ast/Ast.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace kiln::frontend::ast {

/// Calls `visit` for every subscript in the block and the blocks inside it, but for lambdas.
void forEachSubscript(const Block &block, llvm::function_ref<void(const SubscriptExpr &)> visit);

} // namespace kiln::frontend::ast

#endif // KILN_LIB_FRONTEND_AST_SUBSCRIPTS_H
