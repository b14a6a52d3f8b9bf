//===- Arguments.cpp - arguments of a launch to parameters and values -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "python/native/Errors.h"
#include "python/native/Function.h"

using kiln::runtime::Argument;

namespace kiln::python {

namespace {

bool typeError(const FunctionState &state, const std::string &message) {
  PyErr_SetString(PyExc_TypeError, (state.name + "() " + message).c_str());
  return false;
}

std::string textOfName(PyObject *name) {
  const char *text = PyUnicode_AsUTF8(name);
  if (!text)
    PyErr_Clear();
  return text ? text : "?";
}

/// The parameter called `name`, or -1. Names are interned nearly always.
int findParameter(const FunctionState &state, PyObject *name) {
  for (size_t i = 0; i < state.parameters.size(); ++i)
    if (state.parameters[i].name == name)
      return int(i);
  for (size_t i = 0; i < state.parameters.size(); ++i)
    if (PyUnicode_Compare(state.parameters[i].name, name) == 0)
      return int(i);
  return -1;
}

/// The launch options among the keywords: encoded by Python once, then known by identity.
bool encodeOptions(FunctionObject *function, PyObject *keywords, PyObject *const *values,
                   const std::vector<size_t> &positions, BoundCall &call) {
  OptionsCache &cache = function->state->options;
  bool same = cache.names == keywords && cache.values.size() == positions.size();
  for (size_t i = 0; same && i < positions.size(); ++i)
    same = cache.values[i] == values[positions[i]];
  if (!same) {
    PyObject *chosen = PyDict_New();
    for (size_t i = 0; chosen && i < positions.size(); ++i)
      if (PyDict_SetItem(chosen, PyTuple_GET_ITEM(keywords, Py_ssize_t(positions[i])),
                         values[positions[i]]))
        Py_CLEAR(chosen);
    PyObject *text = chosen ? PyObject_CallMethod(reinterpret_cast<PyObject *>(function),
                                                  "_encode_options", "O", chosen)
                            : nullptr;
    Py_XDECREF(chosen);
    Py_ssize_t size = 0;
    const char *bytes = text ? PyUnicode_AsUTF8AndSize(text, &size) : nullptr;
    if (!bytes) {
      Py_XDECREF(text);
      return false;
    }
    Py_INCREF(keywords);
    Py_XSETREF(cache.names, keywords);
    for (PyObject *value : cache.values)
      Py_DECREF(value);
    cache.values.clear();
    for (size_t position : positions) {
      Py_INCREF(values[position]);
      cache.values.push_back(values[position]);
    }
    cache.text.assign(bytes, size_t(size));
    Py_DECREF(text);
  }
  call.options = cache.text;
  return true;
}

bool chooseDevice(PyObject *name, BoundCall &call) {
  Result<OpenDevice *> device = nullptr;
  if (!name || name == Py_None) {
    device = Session::get().currentDevice();
  } else {
    const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
    if (!text) {
      if (!PyErr_Occurred())
        PyErr_Format(PyExc_TypeError,
                     "launch option 'device': found a %s, expected a name such as 'cpu'",
                     Py_TYPE(name)->tp_name);
      return false;
    }
    device = Session::get().device(text);
  }
  if (!device) {
    setException(device.error());
    return false;
  }
  call.device = *device;
  return true;
}

/// JSON of a string, quotes included.
void appendJsonString(std::string &out, std::string_view text) {
  static const char digits[] = "0123456789abcdef";
  out += '"';
  for (unsigned char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += char(c);
    else if (c < 0x20)
      ((out += "\\u00") += digits[c >> 4]) += digits[c & 15];
    else
      out += char(c);
  }
  out += '"';
}

/// Texts of the values that are constexpr arguments day by day; anything else is asked of Python.
bool encodeConstant(FunctionObject *function, PyObject *value, std::string &text) {
  text.clear();
  if (value == Py_None) {
    text = R"({"t":"none"})";
    return true;
  }
  if (PyBool_Check(value)) {
    text = value == Py_True ? R"({"t":"bool","v":true})" : R"({"t":"bool","v":false})";
    return true;
  }
  if (PyLong_CheckExact(value)) {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (!overflow) {
      text = R"({"t":"int","v":")" + std::to_string(number) + R"("})";
      return true;
    }
  }
  if (PyUnicode_CheckExact(value)) {
    Py_ssize_t size = 0;
    const char *bytes = PyUnicode_AsUTF8AndSize(value, &size);
    if (!bytes)
      return false;
    text = R"({"t":"str","v":)";
    appendJsonString(text, {bytes, size_t(size)});
    text += '}';
    return true;
  }
  PyObject *encoded =
      PyObject_CallMethod(reinterpret_cast<PyObject *>(function), "_encode_constant", "O", value);
  Py_ssize_t size = 0;
  const char *bytes = encoded ? PyUnicode_AsUTF8AndSize(encoded, &size) : nullptr;
  if (bytes)
    text.assign(bytes, size_t(size));
  Py_XDECREF(encoded);
  return bytes != nullptr;
}

bool readConstant(FunctionObject *function, ParameterInfo &parameter, PyObject *value,
                  std::string &text, Argument &result) {
  // A list may change under the same identity.
  bool keep = !PyList_Check(value);
  if (keep && value == parameter.lastConstant) {
    text = parameter.lastText;
  } else {
    if (!encodeConstant(function, value, text))
      return false;
    parameter.lastText = text;
    Py_XINCREF(keep ? value : nullptr);
    Py_XSETREF(parameter.lastConstant, keep ? value : nullptr);
  }
  result = Argument::constant(text);
  return true;
}

bool readInteger(PyObject *number, const std::string &parameter, Argument &result) {
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (!overflow) {
    if (value == -1 && PyErr_Occurred())
      return false;
    result = Argument::integer(int64_t(value));
    return true;
  }
  unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(number) : 0;
  if (overflow < 0 || PyErr_Occurred()) {
    PyErr_Clear();
    PyObject *text = PyObject_Str(number);
    setException(runtime::integerOutOfRange(parameter, text ? textOfName(text) : "?"));
    Py_XDECREF(text);
    return false;
  }
  result = Argument::integer(uint64_t(large));
  return true;
}

/// Numbers of other types: NumPy's scalars, and what converts to int or float.
bool readNumber(PyObject *value, const std::string &parameter, Argument &result, bool &isNumber) {
  isNumber = true;
  std::string_view type = Py_TYPE(value)->tp_name;
  if (type == "numpy.bool" || type == "numpy.bool_") {
    result = Argument::boolean(PyObject_IsTrue(value) == 1);
    return true;
  }
  if (PyIndex_Check(value)) {
    PyObject *number = PyNumber_Index(value);
    bool read = number && readInteger(number, parameter, result);
    Py_XDECREF(number);
    return read;
  }
  if (PyNumber_Check(value) && Py_TYPE(value)->tp_as_number->nb_float) {
    PyObject *number = PyNumber_Float(value);
    if (!number)
      return false;
    result = Argument::floating(PyFloat_AS_DOUBLE(number));
    Py_DECREF(number);
    return true;
  }
  isNumber = false;
  return true;
}

bool readArgument(FunctionObject *function, size_t index, PyObject *value, BoundCall &call,
                  bool abstract, Argument &result, Holds &holds) {
  FunctionState &state = *function->state;
  const runtime::Parameter &parameter = state.signature.parameters[index];
  if (parameter.isConstexpr)
    return readConstant(function, state.parameters[index], value, call.texts[index], result);
  if (value == Py_None) {
    result = Argument::none();
    return true;
  }
  if (PyBool_Check(value)) {
    result = Argument::boolean(value == Py_True);
    return true;
  }
  if (PyLong_CheckExact(value))
    return readInteger(value, parameter.name, result);
  if (PyFloat_CheckExact(value)) {
    result = Argument::floating(PyFloat_AS_DOUBLE(value));
    return true;
  }
  ObjectClass objectClass = classify(value);
  if (objectClass == ObjectClass::Other) {
    bool isNumber = false;
    if (!readNumber(value, parameter.name, result, isNumber))
      return false;
    if (isNumber)
      return true;
    if (abstract)
      if (std::optional<DType> element = elementType(value)) {
        // 16-byte aligned, apart from every other argument.
        uint64_t address = (index + 1) << 40;
        result = Argument::pointer(*element, address, address, address + 1);
        return true;
      }
  }
  return readArray(value, objectClass, parameter.name, *call.device, result, holds);
}

} // namespace

bool bindCall(FunctionObject *function, PyObject *const *args, size_t count, PyObject *keywords,
              BoundCall &call) {
  FunctionState &state = *function->state;
  size_t parameters = state.parameters.size();
  if (count > state.positional)
    return typeError(state, "takes " + std::to_string(state.positional) + " positional argument" +
                                (state.positional == 1 ? "" : "s") + ", but " +
                                std::to_string(count) + " were given");
  call.values.assign(parameters, nullptr);
  for (size_t i = 0; i < count; ++i)
    call.values[i] = args[i];

  PyObject *device = nullptr;
  std::vector<size_t> options;
  size_t named = keywords ? size_t(PyTuple_GET_SIZE(keywords)) : 0;
  for (size_t i = 0; i < named; ++i) {
    PyObject *name = PyTuple_GET_ITEM(keywords, Py_ssize_t(i));
    PyObject *value = args[count + i];
    if (int found = findParameter(state, name); found >= 0) {
      if (call.values[size_t(found)])
        return typeError(state, "got multiple values for argument '" + textOfName(name) + "'");
      call.values[size_t(found)] = value;
    } else if (PyUnicode_CompareWithASCIIString(name, "device") == 0) {
      device = value;
    } else {
      options.push_back(i);
    }
  }

  std::string missing;
  for (size_t i = 0; i < parameters; ++i) {
    if (!call.values[i])
      call.values[i] = state.parameters[i].defaultValue;
    if (!call.values[i])
      missing += (missing.empty() ? "'" : ", '") + state.signature.parameters[i].name + "'";
  }
  if (!missing.empty())
    return typeError(state, "missing argument " + missing);
  call.options = state.defaultOptions;
  if (!options.empty() && !encodeOptions(function, keywords, args + count, options, call))
    return false;
  return chooseDevice(device, call);
}

bool readArguments(FunctionObject *function, BoundCall &call, bool abstract,
                   std::vector<Argument> &arguments, Holds &holds) {
  arguments.resize(call.values.size());
  call.texts.resize(call.values.size());
  for (size_t i = 0; i < call.values.size(); ++i)
    if (!readArgument(function, i, call.values[i], call, abstract, arguments[i], holds))
      return false;
  return true;
}

} // namespace kiln::python
