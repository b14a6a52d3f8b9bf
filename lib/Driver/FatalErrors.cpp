//===- FatalErrors.cpp - outliving llvm::report_fatal_error ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// LLVM's code generators end the process on IR that they cannot select. The handler that LLVM
// offers must not return, so it jumps back to the frame that started the work; what lies between
// leaks.
//
//===-----------------------------------------------------------------------------------------===//

#include "FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"

#include <csetjmp>
#include <mutex>

namespace kiln::driver {
namespace {

struct Guard {
  std::jmp_buf target;
  std::string *message;
};
thread_local Guard *current = nullptr;

void onFatalError(void *, const char *reason, bool) {
  Guard *guard = current;
  if (!guard)
    return; // not ours: LLVM goes on as it would
  *guard->message = reason;
  std::longjmp(guard->target, 1);
}

} // namespace

bool runGuarded(llvm::function_ref<void()> work, std::string &message) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::remove_fatal_error_handler();
    llvm::install_fatal_error_handler(onFatalError);
  });
  Guard guard;
  guard.message = &message;
  Guard *outer = current;
  if (setjmp(guard.target) != 0) {
    current = outer;
    return false;
  }
  current = &guard;
  work();
  current = outer;
  return true;
}

} // namespace kiln::driver
