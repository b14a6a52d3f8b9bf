//===- Hooks.h - what the front end asks of the language --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_TILELANG_HOOKS_H
#define KILN_LIB_FRONTEND_TILELANG_HOOKS_H

#include "Parallel.h"

namespace kiln::frontend::tilelang {

// The members of OperatorHooks (kiln/Frontend/Vocabulary.h) of these names.
Value binary(CallContext &context, BinaryOperator op, const Value &lhs, const Value &rhs);
Value subscript(CallContext &context, const Value &object, llvm::ArrayRef<Value> indices);
Value read(CallContext &context, const RegionData &element);
Value write(CallContext &context, const Value &object, llvm::ArrayRef<Value> indices,
            const Value &value);

/// The hook `beginKernel`: on which level the kernel is, and what of it is the author's.
void decideLevel(CallContext &context);

} // namespace kiln::frontend::tilelang

#endif // KILN_LIB_FRONTEND_TILELANG_HOOKS_H
