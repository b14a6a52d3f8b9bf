//===- Function.cpp - a @jit function and its launch path -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "python/native/Function.h"
#include "python/native/Errors.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <structmember.h>

#include <utility>

namespace nb = nanobind;
using kiln::runtime::Argument;
using kiln::runtime::Specialization;

namespace kiln::python {

namespace {

/// `kernel[grid]`, called with the arguments.
struct LauncherObject {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  FunctionObject *function;
  PyObject *grid;
};

PyTypeObject *launcherType = nullptr;

//===-----------------------------------------------------------------------------------------===//
// Grid
//===-----------------------------------------------------------------------------------------===//

bool readExtent(PyObject *value, int axis, int64_t &result) {
  if (!PyIndex_Check(value)) {
    PyErr_Format(PyExc_TypeError, "grid: found a %s along axis %d, expected an integer",
                 Py_TYPE(value)->tp_name, axis);
    return false;
  }
  result = PyNumber_AsSsize_t(value, PyExc_OverflowError);
  return !(result == -1 && PyErr_Occurred());
}

bool readExtents(PyObject *grid, runtime::Grid &result) {
  if (PyIndex_Check(grid))
    return readExtent(grid, 0, result.x);
  bool tuple = PyTuple_Check(grid);
  if (!tuple && !PyList_Check(grid)) {
    PyErr_Format(PyExc_TypeError,
                 "grid: found a %s, expected one to three integers or a callable that returns them",
                 Py_TYPE(grid)->tp_name);
    return false;
  }
  Py_ssize_t rank = PySequence_Fast_GET_SIZE(grid);
  if (rank < 1 || rank > 3) {
    PyErr_Format(PyExc_ValueError, "grid: found %zd axes, expected one to three", rank);
    return false;
  }
  int64_t *extents[] = {&result.x, &result.y, &result.z};
  for (Py_ssize_t i = 0; i < rank; ++i)
    if (!readExtent(PySequence_Fast_GET_ITEM(grid, i), int(i), *extents[i]))
      return false;
  return true;
}

/// The grid of a launch: `grid` or what it returns for the bound arguments.
bool evaluateGrid(FunctionObject *function, const BoundCall &call, PyObject *grid,
                  runtime::Grid &result) {
  if (!PyCallable_Check(grid))
    return readExtents(grid, result);
  PyObject *bound = PyDict_New();
  for (size_t i = 0; bound && i < call.values.size(); ++i)
    if (PyDict_SetItem(bound, function->state->parameters[i].name, call.values[i]))
      Py_CLEAR(bound);
  PyObject *extents = bound ? PyObject_CallOneArg(grid, bound) : nullptr;
  Py_XDECREF(bound);
  bool read = extents && readExtents(extents, result);
  Py_XDECREF(extents);
  return read;
}

//===-----------------------------------------------------------------------------------------===//
// Launch
//===-----------------------------------------------------------------------------------------===//

/// Values outside the function are compared by identity; a difference is judged by Python, which
/// raises if compiled code would be stale.
bool checkGlobals(FunctionObject *function) {
  for (const GlobalValue &global : function->state->globals) {
    PyObject *now = PyCell_Check(global.owner) ? PyCell_GET(global.owner)
                                               : PyDict_GetItemWithError(global.owner, global.name);
    if (now == global.value) [[likely]]
      continue;
    PyObject *answer =
        PyObject_CallMethod(reinterpret_cast<PyObject *>(function), "_globals_changed", nullptr);
    Py_XDECREF(answer);
    return answer != nullptr;
  }
  return true;
}

/// What a launch needs beside its result; one per thread, its memory is kept.
struct Scratch {
  BoundCall call;
  std::vector<Argument> arguments;
  Specialization specialization;
  bool busy = false;
};

/// Runs the bound kernel. With `grid` null: compile only.
PyObject *launch(FunctionObject *function, PyObject *grid, bool abstract, PyObject *const *args,
                 size_t count, PyObject *keywords, Scratch &scratch) {
  FunctionState &state = *function->state;
  Holds holds;
  runtime::Grid extents;
  if (!checkGlobals(function) || !bindCall(function, args, count, keywords, scratch.call) ||
      (grid && !evaluateGrid(function, scratch.call, grid, extents)) ||
      !readArguments(function, scratch.call, abstract, scratch.arguments, holds))
    return nullptr;
  const OpenDevice &device = *scratch.call.device;
  // Devices have their own variants: the name is part of the key.
  thread_local std::string options;
  (options.assign(device.name) += '\n') += scratch.call.options;
  Result<void> done = runtime::specialize(state.signature, scratch.arguments, options,
                                          device.properties.cacheBytes, scratch.specialization);
  if (!done) {
    setException(done.error());
    return nullptr;
  }

  const Variant *variant = nullptr;
  if (auto found = state.variants.find(scratch.specialization.key()); found != state.variants.end())
    variant = &found->second;
  else
    variant = makeVariant(function, scratch.specialization, scratch.call);
  if (!variant)
    return nullptr;
  // The table may grow, and variants be dropped, while the lock is released.
  std::shared_ptr<const runtime::Kernel> kernel = variant->kernel;
  PyObject *compiled = variant->compiled;
  Py_INCREF(compiled);
  if (!grid || abstract)
    return compiled;

  done = runtime::checkReadOnly(state.signature, scratch.specialization, kernel->writes);
  if (done) {
    Py_BEGIN_ALLOW_THREADS;
    done = device.device->launch(*kernel->executable, extents, scratch.specialization.slots(),
                                 scratch.specialization.spans());
    Py_END_ALLOW_THREADS;
  }
  if (done)
    return compiled;
  Py_DECREF(compiled);
  setException(done.error());
  return nullptr;
}

PyObject *launchWithScratch(FunctionObject *function, PyObject *grid, bool abstract,
                            PyObject *const *args, size_t count, PyObject *keywords) {
  thread_local Scratch kept;
  // A launch can start inside another one of the same thread: in a grid function, say.
  if (kept.busy) {
    Scratch own;
    return launch(function, grid, abstract, args, count, keywords, own);
  }
  kept.busy = true;
  PyObject *result = launch(function, grid, abstract, args, count, keywords, kept);
  kept.busy = false;
  return result;
}

PyObject *callLauncher(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *keywords) {
  auto *launcher = reinterpret_cast<LauncherObject *>(self);
  return launchWithScratch(launcher->function, launcher->grid, false, args,
                           size_t(PyVectorcall_NARGS(nargsf)), keywords);
}

//===-----------------------------------------------------------------------------------------===//
// The type Launcher
//===-----------------------------------------------------------------------------------------===//

int traverseLauncher(PyObject *self, visitproc visit, void *arg) {
  auto *launcher = reinterpret_cast<LauncherObject *>(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(launcher->function);
  Py_VISIT(launcher->grid);
  return 0;
}

void deleteLauncher(PyObject *self) {
  auto *launcher = reinterpret_cast<LauncherObject *>(self);
  PyObject_GC_UnTrack(self);
  Py_XDECREF(launcher->function);
  Py_XDECREF(launcher->grid);
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

PyMemberDef launcherMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(LauncherObject, vectorcall), READONLY, nullptr},
    {"fn", T_OBJECT_EX, offsetof(LauncherObject, function), READONLY, nullptr},
    {"grid", T_OBJECT_EX, offsetof(LauncherObject, grid), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyType_Slot launcherSlots[] = {
    {Py_tp_doc, const_cast<char *>("kernel[grid]: call it with the arguments of the kernel.")},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deleteLauncher)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverseLauncher)},
    {Py_tp_members, launcherMembers},
    {0, nullptr}};

PyType_Spec launcherSpec = {"kiln._native.Launcher", sizeof(LauncherObject), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                                Py_TPFLAGS_DISALLOW_INSTANTIATION,
                            launcherSlots};

//===-----------------------------------------------------------------------------------------===//
// The type Function
//===-----------------------------------------------------------------------------------------===//

PyObject *getItem(PyObject *self, PyObject *grid) {
  LauncherObject *launcher = PyObject_GC_New(LauncherObject, launcherType);
  if (!launcher)
    return nullptr;
  launcher->vectorcall = callLauncher;
  launcher->function = reinterpret_cast<FunctionObject *>(Py_NewRef(self));
  launcher->grid = Py_NewRef(grid);
  PyObject_GC_Track(launcher);
  return reinterpret_cast<PyObject *>(launcher);
}

PyObject *newFunction(PyTypeObject *type, PyObject *, PyObject *) {
  auto *function = reinterpret_cast<FunctionObject *>(type->tp_alloc(type, 0));
  if (function)
    function->state = new FunctionState;
  return reinterpret_cast<PyObject *>(function);
}

int traverseFunction(PyObject *self, visitproc visit, void *arg) {
  FunctionState *state = reinterpret_cast<FunctionObject *>(self)->state;
  Py_VISIT(Py_TYPE(self));
  if (!state)
    return 0;
  for (ParameterInfo &parameter : state->parameters) {
    Py_VISIT(parameter.defaultValue);
    Py_VISIT(parameter.lastConstant);
  }
  for (GlobalValue &global : state->globals) {
    Py_VISIT(global.owner);
    Py_VISIT(global.value);
  }
  for (auto &[key, variant] : state->variants)
    Py_VISIT(variant.compiled);
  for (PyObject *value : state->options.values)
    Py_VISIT(value);
  return 0;
}

int clearFunction(PyObject *self) {
  FunctionState *&state = reinterpret_cast<FunctionObject *>(self)->state;
  FunctionState *old = state;
  state = new FunctionState; // a call from a finaliser finds an empty function, not a null
  delete old;
  return 0;
}

void deleteFunction(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  delete reinterpret_cast<FunctionObject *>(self)->state;
  type->tp_free(self);
  Py_DECREF(type);
}

FunctionObject *functionOf(nb::handle object) {
  return reinterpret_cast<FunctionObject *>(object.ptr());
}

/// _setup(name, parameters, positional, default_options); a parameter is a tuple (name, constexpr,
/// no specialisation, no alignment, scalar type or None, has default, default).
void setup(nb::handle self, std::string name, nb::list parameters, size_t positional,
           std::string defaultOptions) {
  auto state = std::make_unique<FunctionState>();
  state->name = std::move(name);
  state->positional = positional;
  state->defaultOptions = std::move(defaultOptions);
  for (nb::handle entry : parameters) {
    runtime::Parameter parameter;
    parameter.name = nb::cast<std::string>(entry[0]);
    parameter.isConstexpr = nb::cast<bool>(entry[1]);
    parameter.doNotSpecialize = nb::cast<bool>(entry[2]);
    parameter.doNotSpecializeOnAlignment = nb::cast<bool>(entry[3]);
    if (auto type = nb::cast<std::optional<std::string>>(entry[4]))
      parameter.scalarType = dtypeByName(*type);
    ParameterInfo info;
    PyObject *interned = PyUnicode_FromString(parameter.name.c_str());
    PyUnicode_InternInPlace(&interned);
    info.name = interned;
    if (nb::cast<bool>(entry[5]))
      info.defaultValue = nb::object(entry[6]).release().ptr();
    state->signature.parameters.push_back(std::move(parameter));
    state->parameters.push_back(std::move(info));
  }
  FunctionObject *function = functionOf(self);
  delete std::exchange(function->state, state.release());
}

PyObject *pySetup(PyObject *self, PyObject *args) {
  try {
    nb::tuple values = nb::borrow<nb::tuple>(args);
    setup(self, nb::cast<std::string>(values[0]), nb::list(values[1]), nb::cast<size_t>(values[2]),
          nb::cast<std::string>(values[3]));
    Py_RETURN_NONE;
  } catch (nb::python_error &error) {
    error.restore();
  } catch (std::exception &error) {
    PyErr_SetString(PyExc_TypeError, error.what());
  }
  return nullptr;
}

/// _set_globals([(name, owner, value), …])
PyObject *pySetGlobals(PyObject *self, PyObject *list) {
  FunctionState &state = *functionOf(self)->state;
  state.clearGlobals();
  for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
    PyObject *name, *owner, *value;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(list, i), "UOO", &name, &owner, &value))
      return nullptr;
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name);
    state.globals.push_back({name, Py_NewRef(owner), Py_NewRef(value)});
  }
  Py_RETURN_NONE;
}

/// Forgets every compiled variant.
PyObject *pyReset(PyObject *self, PyObject *) {
  FunctionState &state = *functionOf(self)->state;
  state.clearGlobals();
  state.clearVariants();
  Py_RETURN_NONE;
}

PyObject *pyVariants(PyObject *self, PyObject *) {
  PyObject *list = PyList_New(0);
  for (auto &[key, variant] : functionOf(self)->state->variants)
    if (list && PyList_Append(list, variant.compiled))
      Py_CLEAR(list);
  return list;
}

/// _warmup(*args, **kwargs): compile for these arguments, of which arrays may be element types.
PyObject *pyWarmup(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
  return launchWithScratch(functionOf(self), nullptr, true, args, size_t(count), keywords);
}

PyMethodDef functionMethods[] = {{"_setup", pySetup, METH_VARARGS, nullptr},
                                 {"_set_globals", pySetGlobals, METH_O, nullptr},
                                 {"_reset", pyReset, METH_NOARGS, nullptr},
                                 {"_variants", pyVariants, METH_NOARGS, nullptr},
                                 {"_warmup",
                                  reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(pyWarmup)),
                                  METH_FASTCALL | METH_KEYWORDS, nullptr},
                                 {nullptr, nullptr, 0, nullptr}};

PyType_Slot functionSlots[] = {
    {Py_tp_doc, const_cast<char *>("The native part of kiln.jit.JITFunction.")},
    {Py_tp_new, reinterpret_cast<void *>(newFunction)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deleteFunction)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverseFunction)},
    {Py_tp_clear, reinterpret_cast<void *>(clearFunction)},
    {Py_tp_methods, functionMethods},
    {Py_mp_subscript, reinterpret_cast<void *>(getItem)},
    {0, nullptr}};

PyType_Spec functionSpec = {"kiln._native.Function", sizeof(FunctionObject), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
                            functionSlots};

} // namespace

void FunctionState::clearVariants() {
  // Dropping a reference may run Python code that looks at the table.
  auto old = std::move(variants);
  variants.clear();
  dispatcher = std::make_shared<runtime::Dispatcher>();
  for (auto &[key, variant] : old)
    Py_XDECREF(variant.compiled);
}

void FunctionState::clearGlobals() {
  auto old = std::move(globals);
  globals.clear();
  for (GlobalValue &global : old) {
    Py_XDECREF(global.name);
    Py_XDECREF(global.owner);
    Py_XDECREF(global.value);
  }
}

FunctionState::~FunctionState() {
  clearVariants();
  clearGlobals();
  for (ParameterInfo &parameter : parameters) {
    Py_XDECREF(parameter.name);
    Py_XDECREF(parameter.defaultValue);
    Py_XDECREF(parameter.lastConstant);
  }
  Py_XDECREF(options.names);
  for (PyObject *value : options.values)
    Py_DECREF(value);
}

bool addFunctionTypes(PyObject *module) {
  launcherType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&launcherSpec));
  PyObject *functionType = PyType_FromSpec(&functionSpec);
  return launcherType && functionType &&
         PyModule_AddObjectRef(module, "Launcher", reinterpret_cast<PyObject *>(launcherType)) ==
             0 &&
         PyModule_AddObjectRef(module, "Function", functionType) == 0;
}

} // namespace kiln::python
