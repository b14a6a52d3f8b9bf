//===- SingleLaneStores.h - masked stores that write one known lane --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_CPU_SINGLELANESTORES_H
#define KILN_LIB_TARGET_CPU_SINGLELANESTORES_H

namespace llvm {
class Function;
} // namespace llvm

namespace kiln::cpu {

/// Makes scalar stores of masked stores whose mask has one lane on. LLVM 22's code generation for
/// x86 does the same, but where a truncation feeds the store it writes the element as wide as it
/// was before: a lane of 16 bits wrote 32.
void splitSingleLaneStores(llvm::Function &function);

} // namespace kiln::cpu

#endif // KILN_LIB_TARGET_CPU_SINGLELANESTORES_H
