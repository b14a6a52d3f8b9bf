//===- DLPack.h - the layout of DLPack's structures -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The unversioned ABI ("dltensor" capsules), which every library that speaks DLPack understands.
//
//===-----------------------------------------------------------------------------------------===//
#ifndef KILN_PYTHON_NATIVE_DLPACK_H
#define KILN_PYTHON_NATIVE_DLPACK_H

#include <cstdint>

namespace kiln::python {

inline constexpr int32_t dlpackCpu = 1;

struct DLDevice {
  int32_t type;
  int32_t id;
};

struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; ///< in elements; null for row-major
  uint64_t byteOffset;
};

struct DLManagedTensor {
  DLTensor tensor;
  void *context;
  void (*deleter)(DLManagedTensor *self);
};

} // namespace kiln::python

#endif // KILN_PYTHON_NATIVE_DLPACK_H
