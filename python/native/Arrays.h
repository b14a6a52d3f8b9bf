//===- Arrays.h - array objects as pointer arguments ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// An array argument becomes the address of its element 0, its element type, and its span: the bytes
// from the lowest to the highest element that its shape and strides reach (negative strides reach
// below element 0). The span decides which arguments may overlap. In order of preference:
//   NumPy arrays     read from the object itself
//   kiln.Tensor      checked against the device of the launch
//   reinterpret(…)   the array below with another element type
//   data_ptr()       PyTorch tensors and look-alikes: dtype, shape, stride()
//   __dlpack__       anything else on the CPU
//   buffer protocol  bytearray, array.array, memoryview
//
//===-----------------------------------------------------------------------------------------===//
#ifndef KILN_PYTHON_NATIVE_ARRAYS_H
#define KILN_PYTHON_NATIVE_ARRAYS_H

#include <Python.h>

#include "python/native/Session.h"
#include "runtime/launch/Specialization.h"

#include <optional>
#include <string_view>
#include <vector>

namespace kiln::python {

/// What keeps borrowed arrays alive during a launch: released with the interpreter lock held.
class Holds {
public:
  ~Holds();
  Holds() = default;
  Holds(const Holds &) = delete;
  Holds &operator=(const Holds &) = delete;
  /// Takes over a reference.
  void keep(PyObject *object) { objects.push_back(object); }
  Py_buffer &addView() { return *views.emplace_back(new Py_buffer{}); }

private:
  std::vector<PyObject *> objects;
  std::vector<std::unique_ptr<Py_buffer>> views;
};

/// How objects of a Python type are read. A type is looked at once.
enum class ObjectClass : uint8_t {
  NumPyArray,
  KilnTensor,
  Reinterpreted, ///< has __kiln_reinterpret__
  DataPointer,   ///< has data_ptr
  DLPack,        ///< has __dlpack__
  BufferProtocol,
  Other,
};
ObjectClass classify(PyObject *object);

/// Reads an array argument of `parameter`. False with an exception set if it cannot be taken.
/// `device` is the device of the launch.
bool readArray(PyObject *object, ObjectClass objectClass, std::string_view parameter,
               const OpenDevice &device, runtime::Argument &result, Holds &holds);

/// The element type that a dtype object of NumPy, PyTorch or Kiln stands for.
std::optional<DType> elementType(PyObject *dtype);

} // namespace kiln::python

#endif // KILN_PYTHON_NATIVE_ARRAYS_H
