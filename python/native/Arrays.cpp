//===- Arrays.cpp - array objects as pointer arguments --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "python/native/Arrays.h"
#include "python/native/DLPack.h"
#include "python/native/Tensor.h"

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define NO_IMPORT_ARRAY
#include <numpy/ndarraytypes.h>

#include <unordered_map>

using kiln::runtime::Argument;

namespace kiln::python {

namespace {

/// The bytes that shape and byte strides reach around element 0.
struct Span {
  int64_t low = 0, high = 0; ///< relative to element 0
};

Span spanOf(int rank, const auto *shape, const auto *byteStrides, int64_t itemBytes) {
  Span span{0, itemBytes};
  for (int i = 0; i < rank; ++i) {
    if (shape[i] == 0)
      return {};
    int64_t reach = (int64_t(shape[i]) - 1) * int64_t(byteStrides[i]);
    (reach < 0 ? span.low : span.high) += reach;
  }
  return span;
}

bool fail(PyObject *exception, std::string_view parameter, const std::string &message) {
  std::string text = "argument '" + std::string(parameter) + "': " + message;
  PyErr_SetString(exception, text.c_str());
  return false;
}

bool finish(std::string_view parameter, DType element, uint64_t address, Span span, bool readOnly,
            Argument &result) {
  unsigned bytes = info(element).bytes;
  if (address % bytes)
    return fail(PyExc_ValueError, parameter,
                "the array's data is not aligned to its element size of " + std::to_string(bytes) +
                    " bytes");
  result = Argument::pointer(element, address, address + span.low, address + span.high, readOnly);
  return true;
}

//===-----------------------------------------------------------------------------------------===//
// Element types
//===-----------------------------------------------------------------------------------------===//

struct TypeName {
  std::string_view name;
  DType type;
};

// How NumPy, PyTorch and Kiln print element types (without "torch.").
constexpr TypeName typeNames[] = {
    {"bool", DType::I1},     {"int1", DType::I1},       {"int8", DType::I8},
    {"int16", DType::I16},   {"int32", DType::I32},     {"int64", DType::I64},
    {"uint8", DType::U8},    {"uint16", DType::U16},    {"uint32", DType::U32},
    {"uint64", DType::U64},  {"float16", DType::F16},   {"fp16", DType::F16},
    {"half", DType::F16},    {"bfloat16", DType::BF16}, {"bf16", DType::BF16},
    {"float32", DType::F32}, {"fp32", DType::F32},      {"float64", DType::F64},
    {"fp64", DType::F64},
};

std::optional<DType> numpyType(const PyArray_Descr *descr) {
  switch (descr->type_num) {
  case NPY_BOOL:
    return DType::I1;
  case NPY_BYTE:
    return DType::I8;
  case NPY_UBYTE:
    return DType::U8;
  case NPY_SHORT:
    return DType::I16;
  case NPY_USHORT:
    return DType::U16;
  case NPY_INT:
    return DType::I32;
  case NPY_UINT:
    return DType::U32;
  case NPY_LONG:
  case NPY_LONGLONG:
    return DType::I64;
  case NPY_ULONG:
  case NPY_ULONGLONG:
    return DType::U64;
  case NPY_HALF:
    return DType::F16;
  case NPY_FLOAT:
    return DType::F32;
  case NPY_DOUBLE:
    return DType::F64;
  }
  // A type of another package, such as ml_dtypes.bfloat16.
  if (descr->type_num >= NPY_USERDEF)
    return elementType(const_cast<PyObject *>(reinterpret_cast<const PyObject *>(descr)));
  return std::nullopt;
}

std::string textOf(PyObject *object) {
  PyObject *text = PyObject_Str(object);
  const char *bytes = text ? PyUnicode_AsUTF8(text) : nullptr;
  std::string result = bytes ? bytes : "?";
  Py_XDECREF(text);
  PyErr_Clear();
  return result;
}

const char *expectedTypes =
    ", expected an array of bool, an integer, float16, bfloat16, float32 or float64";

//===-----------------------------------------------------------------------------------------===//
// The kinds of arrays
//===-----------------------------------------------------------------------------------------===//

bool readNumPy(PyObject *object, std::string_view parameter, Argument &result) {
  auto *array = reinterpret_cast<PyArrayObject *>(object);
  const PyArray_Descr *descr = PyArray_DESCR(array);
  std::optional<DType> element = numpyType(descr);
  if (!element)
    return fail(PyExc_TypeError, parameter,
                "found an array of " + textOf((PyObject *)descr) + expectedTypes);
  if (descr->byteorder == '>')
    return fail(PyExc_TypeError, parameter, "found a big-endian array, expected native byte order");
  return finish(parameter, *element, uint64_t(PyArray_DATA(array)),
                spanOf(PyArray_NDIM(array), PyArray_DIMS(array), PyArray_STRIDES(array),
                       info(*element).bytes),
                !(PyArray_FLAGS(array) & NPY_ARRAY_WRITEABLE), result);
}

/// Reads a tuple of integers; false with an exception set.
bool readIntegers(PyObject *object, std::vector<int64_t> &result) {
  PyObject *items = object ? PySequence_Fast(object, "expected a sequence of integers") : nullptr;
  if (!items)
    return false;
  for (Py_ssize_t i = 0, n = PySequence_Fast_GET_SIZE(items); i < n; ++i) {
    result.push_back(PyLong_AsLongLong(PySequence_Fast_GET_ITEM(items, i)));
    if (PyErr_Occurred())
      break;
  }
  Py_DECREF(items);
  return !PyErr_Occurred();
}

/// The attribute, or the result of calling it; null with no exception if it is absent.
PyObject *optionalAttribute(PyObject *object, const char *name, bool call) {
  PyObject *value = PyObject_GetAttrString(object, name);
  if (value && call) {
    PyObject *called = PyObject_CallNoArgs(value);
    Py_DECREF(value);
    value = called;
    return value;
  }
  if (!value && PyErr_ExceptionMatches(PyExc_AttributeError))
    PyErr_Clear();
  return value;
}

/// PyTorch tensors say on which device they are; anything else that has an address is on the host.
bool checkHost(PyObject *object, std::string_view parameter) {
  // A tensor of PyTorch answers this much faster than it makes a device object.
  PyObject *onHost = optionalAttribute(object, "is_cpu", false);
  if (!onHost && PyErr_Occurred())
    return false;
  bool known = onHost == Py_True;
  Py_XDECREF(onHost);
  if (known)
    return true;
  PyObject *device = optionalAttribute(object, "device", false);
  if (!device)
    return !PyErr_Occurred();
  std::string text = textOf(device);
  Py_DECREF(device);
  if (text.starts_with("cpu"))
    return true;
  return fail(PyExc_ValueError, parameter,
              "the tensor is on device '" + text + "', expected host memory");
}

bool readDataPointer(PyObject *object, std::string_view parameter, Argument &result) {
  PyObject *dtype = PyObject_GetAttrString(object, "dtype");
  if (!dtype)
    return false;
  std::optional<DType> element = elementType(dtype);
  std::string name = element ? "" : textOf(dtype);
  Py_DECREF(dtype);
  if (!element)
    return fail(PyExc_TypeError, parameter, "found a tensor of " + name + expectedTypes);
  if (!checkHost(object, parameter))
    return false;
  PyObject *pointer = PyObject_CallMethod(object, "data_ptr", nullptr);
  if (!pointer)
    return false;
  uint64_t address = PyLong_AsUnsignedLongLong(pointer);
  Py_DECREF(pointer);
  if (PyErr_Occurred())
    return false;

  PyObject *shape = optionalAttribute(object, "shape", false);
  PyObject *strides = shape ? optionalAttribute(object, "stride", true) : nullptr;
  std::vector<int64_t> extents, steps;
  bool known = strides && readIntegers(shape, extents) && readIntegers(strides, steps) &&
               extents.size() == steps.size();
  Py_XDECREF(shape);
  Py_XDECREF(strides);
  PyErr_Clear();
  if (!known) {
    result = Argument::pointerOfUnknownSpan(*element, address);
    return true;
  }
  for (int64_t &step : steps)
    step *= info(*element).bytes;
  return finish(parameter, *element, address,
                spanOf(int(extents.size()), extents.data(), steps.data(), info(*element).bytes),
                false, result);
}

bool readDLPack(PyObject *object, std::string_view parameter, Argument &result, Holds &holds) {
  PyObject *capsule = PyObject_CallMethod(object, "__dlpack__", nullptr);
  if (!capsule)
    return false;
  holds.keep(capsule);
  auto *managed = static_cast<DLManagedTensor *>(PyCapsule_GetPointer(capsule, "dltensor"));
  if (!managed)
    return false;
  const DLTensor &tensor = managed->tensor;
  if (tensor.device.type != dlpackCpu)
    return fail(PyExc_ValueError, parameter, "the tensor is not in host memory");
  std::optional<DType> element =
      dtypeByDLPack(tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes);
  if (!element)
    return fail(PyExc_TypeError, parameter, std::string("unknown element type") + expectedTypes);
  int64_t bytes = info(*element).bytes;
  std::vector<int64_t> steps(size_t(tensor.ndim), bytes);
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.strides)
      steps[size_t(i)] = tensor.strides[i] * bytes;
    else if (i + 1 < tensor.ndim)
      steps[size_t(i)] = steps[size_t(i) + 1] * tensor.shape[i + 1];
  }
  return finish(parameter, *element, uint64_t(tensor.data) + tensor.byteOffset,
                spanOf(tensor.ndim, tensor.shape, steps.data(), bytes), false, result);
}

bool readBuffer(PyObject *object, std::string_view parameter, Argument &result, Holds &holds) {
  Py_buffer &view = holds.addView();
  if (PyObject_GetBuffer(object, &view, PyBUF_STRIDED_RO | PyBUF_FORMAT))
    return false;
  std::string_view format = view.format ? view.format : "B";
  std::optional<DType> element = dtypeByBufferFormat(format, size_t(view.itemsize));
  if (!element)
    return fail(PyExc_TypeError, parameter,
                "found a buffer of format '" + std::string(format) + "'" + expectedTypes);
  return finish(parameter, *element, uint64_t(view.buf),
                spanOf(view.ndim, view.shape, view.strides, view.itemsize), view.readonly, result);
}

bool readTensor(PyObject *object, std::string_view parameter, const OpenDevice &device,
                Argument &result) {
  const TensorData &tensor = tensorOf(object);
  if (tensor.device.get() != device.device.get())
    return fail(PyExc_ValueError, parameter,
                "the tensor belongs to device '" + tensor.deviceName + "', but the launch is on '" +
                    device.name + "'");
  Result<uint64_t> address = device.device->address(tensor.buffer);
  if (!address) {
    Error error = address.takeError();
    return fail(PyExc_ValueError, parameter, error.message());
  }
  result = Argument::pointer(tensor.element, *address, *address, *address + tensor.bytes);
  return true;
}

bool readReinterpreted(PyObject *object, std::string_view parameter, const OpenDevice &device,
                       Argument &result, Holds &holds) {
  PyObject *base = PyObject_GetAttrString(object, "base");
  PyObject *dtype = base ? PyObject_GetAttrString(object, "dtype") : nullptr;
  if (dtype)
    holds.keep(base); // the wrapper holds it, but its attribute may change during the launch
  else
    Py_XDECREF(base);
  if (!dtype)
    return false;
  std::optional<DType> element = elementType(dtype);
  std::string name = element ? "" : textOf(dtype);
  Py_DECREF(dtype);
  if (!element)
    return fail(PyExc_TypeError, parameter, "found a tensor of " + name + expectedTypes);
  if (!readArray(base, classify(base), parameter, device, result, holds))
    return false;
  result.element = *element;
  return true;
}

PyObject *numpyArrayType() {
  static PyObject *type = nullptr;
  if (!type) {
    // Never imports NumPy: an object of it cannot come before it.
    PyObject *numpy = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
    type = numpy ? PyObject_GetAttrString(numpy, "ndarray") : nullptr;
    PyErr_Clear();
  }
  return type;
}

bool has(PyObject *type, const char *name) { return PyObject_HasAttrString(type, name); }

ObjectClass classifyType(PyTypeObject *type) {
  auto *object = reinterpret_cast<PyObject *>(type);
  if (PyObject *array = numpyArrayType();
      array && PyType_IsSubtype(type, reinterpret_cast<PyTypeObject *>(array)))
    return ObjectClass::NumPyArray;
  if (isTensorType(type))
    return ObjectClass::KilnTensor;
  if (has(object, "__kiln_reinterpret__"))
    return ObjectClass::Reinterpreted;
  if (has(object, "data_ptr"))
    return ObjectClass::DataPointer;
  if (has(object, "__dlpack__"))
    return ObjectClass::DLPack;
  bool text = PyType_IsSubtype(type, &PyBytes_Type) || PyType_IsSubtype(type, &PyUnicode_Type);
  // NumPy's scalars offer a buffer too, but they are numbers.
  bool number = has(object, "__index__") || has(object, "__float__");
  if (type->tp_as_buffer && type->tp_as_buffer->bf_getbuffer && !text && !number)
    return ObjectClass::BufferProtocol;
  return ObjectClass::Other;
}

} // namespace

Holds::~Holds() {
  // A launch may have failed: its exception must outlive what runs here.
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  for (auto &view : views)
    if (view->obj)
      PyBuffer_Release(view.get());
  for (PyObject *object : objects)
    Py_DECREF(object);
  PyErr_Restore(type, value, traceback);
}

std::optional<DType> elementType(PyObject *dtype) {
  // dtype objects are few and live long; the reference that is kept makes the address unique.
  static std::unordered_map<PyObject *, std::optional<DType>> known;
  if (auto found = known.find(dtype); found != known.end())
    return found->second;
  std::string text = textOf(dtype);
  std::string_view name = text;
  if (size_t dot = name.rfind('.'); dot != name.npos)
    name.remove_prefix(dot + 1);
  std::optional<DType> type;
  for (const TypeName &entry : typeNames)
    if (entry.name == name)
      type = entry.type;
  Py_INCREF(dtype);
  known.emplace(dtype, type);
  return type;
}

ObjectClass classify(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  static std::unordered_map<PyTypeObject *, ObjectClass> known;
  if (auto found = known.find(type); found != known.end())
    return found->second;
  ObjectClass result = classifyType(type);
  Py_INCREF(type);
  known.emplace(type, result);
  return result;
}

bool readArray(PyObject *object, ObjectClass objectClass, std::string_view parameter,
               const OpenDevice &device, Argument &result, Holds &holds) {
  if (objectClass != ObjectClass::KilnTensor && objectClass != ObjectClass::Reinterpreted &&
      !device.properties.hostAddresses)
    return fail(PyExc_ValueError, parameter,
                "found host memory, expected a kiln.Tensor on device '" + device.name + "'");
  switch (objectClass) {
  case ObjectClass::NumPyArray:
    return readNumPy(object, parameter, result);
  case ObjectClass::KilnTensor:
    return readTensor(object, parameter, device, result);
  case ObjectClass::Reinterpreted:
    return readReinterpreted(object, parameter, device, result, holds);
  case ObjectClass::DataPointer:
    return readDataPointer(object, parameter, result);
  case ObjectClass::DLPack:
    return readDLPack(object, parameter, result, holds);
  case ObjectClass::BufferProtocol:
    return readBuffer(object, parameter, result, holds);
  case ObjectClass::Other:
    break;
  }
  return fail(PyExc_TypeError, parameter,
              "found a " + std::string(Py_TYPE(object)->tp_name) +
                  ", expected a number, None or an array");
}

} // namespace kiln::python
