//===- NpuToAsm.h - npu functions as text of the image language ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_TRANSLATE_NPUTOASM_H
#define KILN_TOOLS_KILN_TRANSLATE_NPUTOASM_H

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace kiln {

/// Prints the disassembled image of every function of an MLIR file to standard output. Pieces are
/// separated by `// -----` if `split`; if `verify`, diagnostics are compared with `expected-error`
/// comments. The exit status.
int npuToAsm(std::unique_ptr<llvm::MemoryBuffer> buffer, const std::string &chip, bool split,
             bool verify);

} // namespace kiln

#endif // KILN_TOOLS_KILN_TRANSLATE_NPUTOASM_H
