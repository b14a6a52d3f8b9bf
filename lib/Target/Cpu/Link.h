//===- Link.h - object file to shared object, in memory --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_CPU_LINK_H
#define KILN_LIB_TARGET_CPU_LINK_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace kiln::cpu {

/// Links one relocatable object into a shared object. An undefined symbol is an error: a kernel's
/// object must need nothing of the process that loads it.
llvm::Expected<std::vector<char>> linkSharedObject(llvm::StringRef object);

} // namespace kiln::cpu

#endif // KILN_LIB_TARGET_CPU_LINK_H
