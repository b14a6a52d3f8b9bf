//===- NpyFile.h - arrays in .npy files -------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// NumPy's file format, as far as arguments of kernels need it: little-endian numbers and bools of
// one type, in C order.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILNSIM_NPYFILE_H
#define KILN_TOOLS_KILNSIM_NPYFILE_H

#include "runtime/base/Result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

struct NpyArray {
  std::string type; ///< "f4", "i2", "u1", "b1": NumPy's letter and the bytes of an element
  std::vector<uint64_t> shape;
  std::vector<std::byte> data;

  size_t elementBytes() const { return size_t(type[1] - '0'); }
  uint64_t elements() const { return data.size() / elementBytes(); }
};

/// Reads the bytes of a file. `place` names it in errors.
Result<NpyArray> parseNpy(std::string_view bytes, std::string_view place);
std::string serializeNpy(const NpyArray &array);

Result<NpyArray> loadNpy(const std::string &path);

} // namespace kiln

#endif // KILN_TOOLS_KILNSIM_NPYFILE_H
