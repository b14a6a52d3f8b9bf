//===- Tensor.cpp - kiln.Tensor: an array in a device's memory ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "python/native/Tensor.h"
#include "python/native/Arrays.h"
#include "python/native/DLPack.h"
#include "python/native/Errors.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace kiln::python {

namespace {

using Tensor = std::shared_ptr<TensorData>;

struct TensorObject {
  Tensor data;
};

template <typename T> T check(Result<T> result) {
  if (!result)
    throwException(result.error());
  return std::move(*result);
}
void check(Result<void> result) {
  if (!result)
    throwException(result.error());
}

TensorObject makeTensor(std::vector<int64_t> shape, nb::object dtype,
                        std::optional<std::string> deviceName) {
  Session &session = Session::get();
  OpenDevice *device = check(deviceName ? session.device(*deviceName) : session.currentDevice());
  std::optional<DType> element = elementType(dtype.ptr());
  if (!element) {
    std::string name = nb::cast<std::string>(nb::str(dtype));
    throwException(makeError(ErrorKind::Type, "dtype", "found " + name,
                             "an element type of kiln.language or NumPy"));
  }
  uint64_t bytes = info(*element).bytes;
  for (int64_t extent : shape) {
    if (extent < 0)
      throwException(makeError(ErrorKind::Invalid, "shape", "found " + std::to_string(extent),
                               "no negative extent"));
    if (__builtin_mul_overflow(bytes, uint64_t(extent), &bytes) || bytes > uint64_t(INT64_MAX))
      throwException(
          makeError(ErrorKind::Invalid, "shape", "the array would be larger than memory"));
  }
  auto data = std::make_shared<TensorData>();
  data->buffer = check(device->device->allocate(bytes));
  data->device = device->device;
  data->deviceName = device->name;
  data->element = *element;
  data->shape = std::move(shape);
  data->bytes = bytes;
  return {std::move(data)};
}

uint64_t addressOf(const TensorObject &tensor) {
  return check(tensor.data->device->address(tensor.data->buffer));
}

void freeTensor(TensorObject &tensor) {
  if (tensor.data->exports)
    throwException(makeError(
        ErrorKind::Invalid, "free",
        "the tensor has " + std::to_string(tensor.data->exports) + " live view(s)", "none"));
  check(tensor.data->device->free(tensor.data->buffer));
}

/// A view that a consumer of DLPack owns: keeps the memory alive.
struct Export {
  DLManagedTensor managed{};
  Tensor data;
};

void deleteExport(DLManagedTensor *managed) {
  auto *view = static_cast<Export *>(managed->context);
  PyGILState_STATE state = PyGILState_Ensure();
  --view->data->exports;
  delete view;
  PyGILState_Release(state);
}

nb::object exportDLPack(const TensorObject &tensor, nb::kwargs) {
  uint64_t address = addressOf(tensor);
  if (!tensor.data->device->properties().hostAddresses)
    throwException(makeError(ErrorKind::Unsupported, "__dlpack__",
                             "device '" + tensor.data->deviceName + "' has no host memory"));
  auto *view = new Export{{}, tensor.data};
  const DTypeInfo &element = info(tensor.data->element);
  view->managed.tensor = {reinterpret_cast<void *>(address),
                          {dlpackCpu, 0},
                          int32_t(tensor.data->shape.size()),
                          {element.dlpackCode, element.dlpackBits, 1},
                          tensor.data->shape.data(),
                          nullptr,
                          0};
  view->managed.context = view;
  view->managed.deleter = deleteExport;
  PyObject *capsule = PyCapsule_New(&view->managed, "dltensor", [](PyObject *object) {
    if (!PyCapsule_IsValid(object, "dltensor"))
      return; // a consumer took it over
    auto *managed = static_cast<DLManagedTensor *>(PyCapsule_GetPointer(object, "dltensor"));
    managed->deleter(managed);
  });
  if (!capsule) {
    delete view;
    throw nb::python_error();
  }
  ++tensor.data->exports;
  return nb::steal(capsule);
}

void copyFromHost(TensorObject &tensor, nb::object source) {
  Py_buffer view{};
  if (PyObject_GetBuffer(source.ptr(), &view, PyBUF_C_CONTIGUOUS))
    throw nb::python_error();
  Result<void> copied;
  if (uint64_t(view.len) != tensor.data->bytes)
    copied = makeError(ErrorKind::Invalid, "copy", "found " + std::to_string(view.len) + " bytes",
                       std::to_string(tensor.data->bytes));
  else
    copied = tensor.data->device->copyTo(tensor.data->buffer, 0, view.buf, tensor.data->bytes);
  PyBuffer_Release(&view);
  check(std::move(copied));
}

void copyToHost(const TensorObject &tensor, nb::object target) {
  Py_buffer view{};
  if (PyObject_GetBuffer(target.ptr(), &view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE))
    throw nb::python_error();
  Result<void> copied;
  if (uint64_t(view.len) != tensor.data->bytes)
    copied = makeError(ErrorKind::Invalid, "copy", "found " + std::to_string(view.len) + " bytes",
                       std::to_string(tensor.data->bytes));
  else
    copied = tensor.data->device->copyFrom(view.buf, tensor.data->buffer, 0, tensor.data->bytes);
  PyBuffer_Release(&view);
  check(std::move(copied));
}

nb::handle tensorType;

} // namespace

TensorData::~TensorData() {
  // An error says that `free` was called before: nothing is left to do.
  if (device)
    (void)device->free(buffer).ok();
}

bool isTensorType(PyTypeObject *type) {
  return PyType_IsSubtype(type, reinterpret_cast<PyTypeObject *>(tensorType.ptr()));
}

const TensorData &tensorOf(PyObject *object) {
  return *nb::inst_ptr<TensorObject>(nb::handle(object))->data;
}

void bindTensor(nb::module_ &module) {
  nb::class_<TensorObject> type(module, "TensorBase");
  tensorType = type;
  type.def(
          "__init__",
          [](TensorObject *self, std::vector<int64_t> shape, nb::object dtype,
             std::optional<std::string> device) {
            new (self) TensorObject(makeTensor(std::move(shape), dtype, std::move(device)));
          },
          "shape"_a, "dtype"_a, "device"_a.none() = nb::none())
      .def("data_ptr", addressOf, "The address that kernels take; ValueError after free().")
      .def("free", freeTensor,
           "Ends the life of the memory; ValueError if it has ended or is shared.")
      .def("_copy_from", copyFromHost, "source"_a)
      .def("_copy_to", copyToHost, "target"_a)
      .def("__dlpack__", exportDLPack, "kwargs"_a)
      .def("__dlpack_device__", [](const TensorObject &) { return nb::make_tuple(dlpackCpu, 0); })
      .def_prop_ro("device", [](const TensorObject &t) { return t.data->deviceName; })
      .def_prop_ro("nbytes", [](const TensorObject &t) { return t.data->bytes; })
      .def_prop_ro("_element",
                   [](const TensorObject &t) { return std::string(info(t.data->element).name); })
      .def_prop_ro("shape",
                   [](const TensorObject &t) { return nb::tuple(nb::cast(t.data->shape)); });
}

} // namespace kiln::python
