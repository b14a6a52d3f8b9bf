//===- Errors.h - errors of the runtime as Python exceptions --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Functions below that set an exception need the interpreter lock, as all of this folder does
// unless it says otherwise.
//
//===-----------------------------------------------------------------------------------------===//
#ifndef KILN_PYTHON_NATIVE_ERRORS_H
#define KILN_PYTHON_NATIVE_ERRORS_H

#include <Python.h>

#include "runtime/base/Result.h"

namespace kiln::python {

/// Sets the Python exception that stands for `error`: TypeError and ValueError for wrong arguments,
/// kiln.CompilationError with the report's diagnostics, kiln.DeviceAssertionError, else
/// kiln.KilnError. An exception that is set already (by a callback that failed) stays.
void setException(const Error &error);

/// setException, then throws nanobind's python_error.
[[noreturn]] void throwException(const Error &error);

} // namespace kiln::python

#endif // KILN_PYTHON_NATIVE_ERRORS_H
