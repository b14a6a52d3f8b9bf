//===- DType.cpp - the table of element types --------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/base/DType.h"

namespace kiln {
namespace {

// DLDataTypeCode of the DLPack header.
enum : uint8_t { dlInt = 0, dlUInt = 1, dlFloat = 2, dlBfloat = 4, dlBool = 6 };

constexpr DTypeInfo table[] = {
    {DType::I1, "i1", DTypeKind::Bool, 1, 1, '?', dlBool, 8},
    {DType::I8, "i8", DTypeKind::Signed, 8, 1, 'b', dlInt, 8},
    {DType::I16, "i16", DTypeKind::Signed, 16, 2, 'h', dlInt, 16},
    {DType::I32, "i32", DTypeKind::Signed, 32, 4, 'i', dlInt, 32},
    {DType::I64, "i64", DTypeKind::Signed, 64, 8, 'q', dlInt, 64},
    {DType::U8, "u8", DTypeKind::Unsigned, 8, 1, 'B', dlUInt, 8},
    {DType::U16, "u16", DTypeKind::Unsigned, 16, 2, 'H', dlUInt, 16},
    {DType::U32, "u32", DTypeKind::Unsigned, 32, 4, 'I', dlUInt, 32},
    {DType::U64, "u64", DTypeKind::Unsigned, 64, 8, 'Q', dlUInt, 64},
    {DType::F16, "f16", DTypeKind::Float, 16, 2, 'e', dlFloat, 16},
    {DType::BF16, "bf16", DTypeKind::Float, 16, 2, 0, dlBfloat, 16},
    {DType::F32, "f32", DTypeKind::Float, 32, 4, 'f', dlFloat, 32},
    {DType::F64, "f64", DTypeKind::Float, 64, 8, 'd', dlFloat, 64},
};

} // namespace

std::span<const DTypeInfo> dtypes() { return table; }

const DTypeInfo &info(DType type) { return table[static_cast<size_t>(type)]; }

std::optional<DType> dtypeByName(std::string_view name) {
  for (const DTypeInfo &entry : table)
    if (entry.name == name)
      return entry.type;
  return std::nullopt;
}

std::optional<DType> dtypeByDLPack(uint8_t code, uint8_t bits, uint16_t lanes) {
  if (lanes != 1)
    return std::nullopt;
  for (const DTypeInfo &entry : table)
    if (entry.dlpackCode == code && entry.dlpackBits == bits)
      return entry.type;
  return std::nullopt;
}

std::optional<DType> dtypeByBufferFormat(std::string_view format, size_t itemBytes) {
  // Native and little-endian are the same on the machines that Kiln runs on.
  if (format.size() == 2 && (format[0] == '@' || format[0] == '=' || format[0] == '<'))
    format.remove_prefix(1);
  if (format.size() != 1)
    return std::nullopt;
  char code = format[0];
  // C's long is one of two types by its width.
  if (code == 'l')
    code = itemBytes == 8 ? 'q' : 'i';
  if (code == 'L')
    code = itemBytes == 8 ? 'Q' : 'I';
  for (const DTypeInfo &entry : table)
    if (entry.bufferFormat == code && entry.bytes == itemBytes)
      return entry.type;
  return std::nullopt;
}

} // namespace kiln
