//===- Run.h - what kiln-sim does ---------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILNSIM_RUN_H
#define KILN_TOOLS_KILNSIM_RUN_H

#include "CommandLine.h"

namespace kiln {

struct Output {
  std::string text;       ///< for standard output
  std::string complaints; ///< for standard error: findings
  bool hasFindings = false;
};

Result<Output> perform(const CommandLine &line);

} // namespace kiln

#endif // KILN_TOOLS_KILNSIM_RUN_H
