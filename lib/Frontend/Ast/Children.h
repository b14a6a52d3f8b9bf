//===- Children.h - the parts of an expression ------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_AST_CHILDREN_H
#define KILN_LIB_FRONTEND_AST_CHILDREN_H

#include "lib/Frontend/Ast/Ast.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace kiln::frontend::ast {

/// Calls `visit` for the expressions that make up `expr`, in the order of evaluation. A lambda has
/// none, for its body is not evaluated with it; targets of comprehensions are names of their own.
void forEachChild(const Expr *expr, llvm::function_ref<void(const Expr *)> visit);

} // namespace kiln::frontend::ast

#endif // KILN_LIB_FRONTEND_AST_CHILDREN_H
