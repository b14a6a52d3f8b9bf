//===- TensorMethods.cpp - functions as methods ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Tables.h"

namespace kiln::frontend::triton {

/// `x.name(…)` is `tl.name(x, …)`.
static constexpr llvm::StringLiteral kMethods[] = {
    "abs",   "argmax",    "argmin", "broadcast_to", "cast",      "cdiv",    "ceil",  "cos",
    "erf",   "exp",       "exp2",   "expand_dims",  "floor",     "log",     "log2",  "max",
    "min",   "permute",   "ravel",  "reduce",       "reduce_or", "reshape", "rsqrt", "sigmoid",
    "sin",   "softmax",   "split",  "sqrt",         "sqrt_rn",   "squeeze", "store", "sum",
    "trans", "unsqueeze", "view",   "xor_sum",
};

void addTensorMethods(Vocabulary &vocabulary) {
  for (llvm::StringRef name : kMethods)
    vocabulary.addAlias(("tensor." + name).str(), ("tl." + name).str());
}

} // namespace kiln::frontend::triton
