//===- Function.h - a @jit function and its launch path -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The way of a launch `kernel[grid](x, y, n, BLOCK=1024)`, without a Python frame when the kernel
// is compiled:
//
//   kernel[grid]     a Launcher object: the function and the grid
//   bind             Arguments.cpp: arguments to parameters, defaults, launch options
//   read             Arguments.cpp, Arrays.cpp: each argument to a runtime::Argument
//   specialize       runtime: facts, key and argument block
//   look up          Compile.cpp: key -> Variant; a miss compiles
//   launch           runtime: with the interpreter lock released
//
// Python derives `kiln.jit.JITFunction` from the type Function; what is rare (capture, launch
// options, constexpr values of unusual types, changed globals) is asked of its methods.
//
//===-----------------------------------------------------------------------------------------===//
#ifndef KILN_PYTHON_NATIVE_FUNCTION_H
#define KILN_PYTHON_NATIVE_FUNCTION_H

#include <Python.h>

#include "python/native/Arrays.h"
#include "python/native/Session.h"
#include "runtime/launch/Dispatcher.h"
#include "runtime/launch/KernelLoader.h"
#include "runtime/launch/Specialization.h"

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace kiln::python {

/// A compiled kernel and the kiln.kernel.CompiledKernel that a launch returns.
struct Variant {
  std::shared_ptr<const runtime::Kernel> kernel;
  PyObject *compiled = nullptr;
};

/// A parameter: what binding needs beside runtime::Parameter.
struct ParameterInfo {
  PyObject *name = nullptr;         ///< interned
  PyObject *defaultValue = nullptr; ///< or null
  /// The last constexpr argument and its text, so that the same object costs no second encoding.
  PyObject *lastConstant = nullptr;
  std::string lastText;
};

/// A name outside the function that its code depends on.
struct GlobalValue {
  PyObject *name;  ///< interned
  PyObject *owner; ///< a dictionary or a cell
  PyObject *value; ///< what the compiled variants have seen
};

/// The launch options of a call, encoded; the last ones are kept because calls repeat.
struct OptionsCache {
  PyObject *names = nullptr;      ///< the tuple of keyword names
  std::vector<PyObject *> values; ///< those of the options among them, in order
  std::string text;               ///< JSON
};

struct FunctionState {
  std::string name;
  runtime::Signature signature;
  std::vector<ParameterInfo> parameters;
  size_t positional = 0; ///< parameters that positional arguments may fill
  std::vector<GlobalValue> globals;
  std::string defaultOptions; ///< JSON
  OptionsCache options;
  std::shared_ptr<runtime::Dispatcher> dispatcher = std::make_shared<runtime::Dispatcher>();
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
  };
  std::unordered_map<std::string, Variant, Hash, std::equal_to<>> variants;

  ~FunctionState();
  void clearVariants();
  void clearGlobals();
};

struct FunctionObject {
  PyObject_HEAD;
  FunctionState *state;
};

/// A call, bound: `values` has one borrowed reference per parameter.
struct BoundCall {
  std::vector<PyObject *> values;
  // Copies: while an argument is read, Python code may run and another thread may call the
  // function.
  std::string options;            ///< JSON
  std::vector<std::string> texts; ///< per parameter: the JSON of a constexpr value
  OpenDevice *device = nullptr;
};

/// Arguments of `kernel[grid](…)` to parameters and options. False with an exception set.
bool bindCall(FunctionObject *function, PyObject *const *args, size_t count, PyObject *keywords,
              BoundCall &call);

/// Arguments of any kind to what `specialize` takes; constexpr texts stay in `call`.
/// `abstract` allows element types in the place of arrays (`warmup`).
bool readArguments(FunctionObject *function, BoundCall &call, bool abstract,
                   std::vector<runtime::Argument> &arguments, Holds &holds);

/// Compiles or loads the kernel that `key` stands for; null with an exception set. Runs without
/// the interpreter lock for the most part.
const Variant *makeVariant(FunctionObject *function, const runtime::Specialization &specialization,
                           const BoundCall &call);

/// Adds the types Function and Launcher, and what compiling needs, to the module.
bool addFunctionTypes(PyObject *module);

} // namespace kiln::python

#endif // KILN_PYTHON_NATIVE_FUNCTION_H
