//===- FatalErrors.h - outliving llvm::report_fatal_error ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_DRIVER_FATALERRORS_H
#define KILN_LIB_DRIVER_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace kiln::driver {

/// Runs `work`. False if LLVM reported a fatal error in this thread meanwhile: the work was left
/// where it stood (nothing of it is destroyed) and `message` says why. Without it LLVM would end
/// the process.
bool runGuarded(llvm::function_ref<void()> work, std::string &message);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_FATALERRORS_H
