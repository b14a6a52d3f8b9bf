//===- Errors.cpp - errors of the runtime as Python exceptions ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "python/native/Errors.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace kiln::python {

namespace {

/// The exception class of `kind`: a builtin, or the name of one in kiln.errors.
struct ExceptionClass {
  PyObject *builtin;
  const char *name;
};

ExceptionClass exceptionClass(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::Invalid:
  case ErrorKind::NotFound:
    return {PyExc_ValueError, nullptr};
  case ErrorKind::Type:
    return {PyExc_TypeError, nullptr};
  case ErrorKind::Unsupported:
    return {nullptr, "NotThereYetError"};
  case ErrorKind::System:
    return {nullptr, "KilnError"};
  case ErrorKind::Assertion:
    return {nullptr, "DeviceAssertionError"};
  case ErrorKind::Compile:
    return {nullptr, "CompilationError"};
  case ErrorKind::Check:
    return {nullptr, "DeviceCheckError"};
  case ErrorKind::Cancelled:
    return {PyExc_KeyboardInterrupt, nullptr};
  }
  return {nullptr, "KilnError"};
}

} // namespace

void setException(const Error &error) {
  if (PyErr_Occurred())
    return;
  ExceptionClass choice = exceptionClass(error.kind);
  if (choice.builtin) {
    PyErr_SetString(choice.builtin, error.message().c_str());
    return;
  }
  try {
    nb::module_ errors = nb::module_::import_("kiln.errors");
    if (error.kind == ErrorKind::Compile && !error.report.empty()) {
      nb::object exception = errors.attr("from_report")(error.report);
      PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.ptr())), exception.ptr());
      return;
    }
    PyErr_SetString(nb::object(errors.attr(choice.name)).ptr(), error.message().c_str());
  } catch (nb::python_error &failure) {
    failure.restore();
  }
}

void throwException(const Error &error) {
  setException(error);
  throw nb::python_error();
}

} // namespace kiln::python
