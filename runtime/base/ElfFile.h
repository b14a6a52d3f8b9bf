//===- ElfFile.h - the few facts of an ELF file that loading needs ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_BASE_ELFFILE_H
#define KILN_RUNTIME_BASE_ELFFILE_H

#include "runtime/base/Result.h"

#include <string>

namespace kiln {

/// The GNU build id of a file, in hexadecimal, read without loading it.
Result<std::string> readBuildId(const std::string &path);

/// Refuses what is no shared object of this machine and what was cut off: the system's loader would
/// map segments beyond the end of such a file and fault.
Result<void> checkSharedObject(int descriptor, const std::string &path);

} // namespace kiln

#endif // KILN_RUNTIME_BASE_ELFFILE_H
