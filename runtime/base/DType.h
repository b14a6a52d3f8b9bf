//===- DType.h - element types and how other programs spell them -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// One table for all that the runtime has to know about an element type.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_BASE_DTYPE_H
#define KILN_RUNTIME_BASE_DTYPE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace kiln {

enum class DType : uint8_t { I1, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64 };

enum class DTypeKind : uint8_t { Bool, Signed, Unsigned, Float };

struct DTypeInfo {
  DType type;
  std::string_view name; ///< as in signatures: "f32"
  DTypeKind kind;
  uint8_t bits;       ///< of the value; i1 has 1
  uint8_t bytes;      ///< of an element in memory; i1 has 1
  char bufferFormat;  ///< of Python's buffer protocol and NumPy; 0 where there is none (bf16)
  uint8_t dlpackCode; ///< DLDataTypeCode
  uint8_t dlpackBits;
};

/// All types, in the order of the enumeration.
std::span<const DTypeInfo> dtypes();

const DTypeInfo &info(DType type);

/// The type with this name ("f32"); nothing if there is none.
std::optional<DType> dtypeByName(std::string_view name);

/// The type with this DLPack code and width and one lane; nothing if Kiln has none.
std::optional<DType> dtypeByDLPack(uint8_t code, uint8_t bits, uint16_t lanes = 1);

/// The type of a buffer-protocol format: one character, native or little-endian byte order ("f",
/// "<i"). `itemBytes` tells the widths of C's long apart.
std::optional<DType> dtypeByBufferFormat(std::string_view format, size_t itemBytes);

} // namespace kiln

#endif // KILN_RUNTIME_BASE_DTYPE_H
