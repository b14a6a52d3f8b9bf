//===- Tensor.h - kiln.Tensor: an array in a device's memory --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
#ifndef KILN_PYTHON_NATIVE_TENSOR_H
#define KILN_PYTHON_NATIVE_TENSOR_H

#include <nanobind/nanobind.h>

#include "runtime/base/DType.h"
#include "runtime/device/Device.h"

#include <memory>
#include <string>
#include <vector>

namespace kiln::python {

/// A dense, row-major array. The memory is freed by `free`, or with the last owner: the Python
/// object and the views that `__dlpack__` gave out.
struct TensorData {
  std::shared_ptr<runtime::Device> device;
  std::string deviceName;
  runtime::Buffer buffer;
  DType element = DType::F32;
  std::vector<int64_t> shape;
  uint64_t bytes = 0;
  int exports = 0; ///< views that are alive; guarded by the interpreter lock

  ~TensorData();
};

/// Whether objects of `type` are kiln.Tensor or of a class derived from it.
bool isTensorType(PyTypeObject *type);

const TensorData &tensorOf(PyObject *object);

void bindTensor(nanobind::module_ &module);

} // namespace kiln::python

#endif // KILN_PYTHON_NATIVE_TENSOR_H
