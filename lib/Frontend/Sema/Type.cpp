//===- Type.cpp - the types of the kernel language ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Frontend/Type.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/StringExtras.h"

using namespace kiln::frontend;

static constexpr DTypeInfo kTable[] = {
    {DType::I1, "i1", "int1", 1, DTypeInfo::Bool, 0, true},
    {DType::I8, "i8", "int8", 8, DTypeInfo::Signed, 0, true},
    {DType::I16, "i16", "int16", 16, DTypeInfo::Signed, 0, true},
    {DType::I32, "i32", "int32", 32, DTypeInfo::Signed, 0, true},
    {DType::I64, "i64", "int64", 64, DTypeInfo::Signed, 0, true},
    {DType::U8, "u8", "uint8", 8, DTypeInfo::Unsigned, 0, true},
    {DType::U16, "u16", "uint16", 16, DTypeInfo::Unsigned, 0, true},
    {DType::U32, "u32", "uint32", 32, DTypeInfo::Unsigned, 0, true},
    {DType::U64, "u64", "uint64", 64, DTypeInfo::Unsigned, 0, true},
    {DType::F16, "f16", "float16", 16, DTypeInfo::Float, 10, true},
    {DType::BF16, "bf16", "bfloat16", 16, DTypeInfo::Float, 7, true},
    {DType::F32, "f32", "float32", 32, DTypeInfo::Float, 23, true},
    {DType::F64, "f64", "float64", 64, DTypeInfo::Float, 52, true},
    {DType::F8E4NV, "f8e4nv", "float8e4nv", 8, DTypeInfo::Float, 3, false},
    {DType::F8E4B8, "f8e4b8", "float8e4b8", 8, DTypeInfo::Float, 3, false},
    {DType::F8E4B15, "f8e4b15", "float8e4b15", 8, DTypeInfo::Float, 3, false},
    {DType::F8E5, "f8e5", "float8e5", 8, DTypeInfo::Float, 2, false},
    {DType::F8E5B16, "f8e5b16", "float8e5b16", 8, DTypeInfo::Float, 2, false},
};

const DTypeInfo &kiln::frontend::info(DType dtype) { return kTable[static_cast<size_t>(dtype)]; }

std::optional<DType> kiln::frontend::dtypeByName(llvm::StringRef name) {
  for (const DTypeInfo &row : kTable) {
    // Triton's short forms of floats: `fp32`, `fp8e5`.
    bool isShortForm = row.kind == DTypeInfo::Float && row.name.front() == 'f' &&
                       name.starts_with("fp") && name.drop_front(2) == row.name.drop_front(1);
    if (name == row.name || name == row.languageName || isShortForm)
      return row.dtype;
  }
  return std::nullopt;
}

Type Type::pointer(DType pointee, bool isConst) {
  Type result(pointee);
  result.pointerFlag = true;
  result.constFlag = isConst;
  return result;
}

Type Type::block(Type element, llvm::ArrayRef<int64_t> shape) { return element.withShape(shape); }

std::optional<Type> Type::parse(llvm::StringRef text) {
  bool isPointer = text.consume_front("*");
  bool isConst = isPointer && text.consume_front("k");
  std::optional<DType> dtype = dtypeByName(text);
  if (!dtype)
    return std::nullopt;
  return isPointer ? pointer(*dtype, isConst) : Type(*dtype);
}

int64_t Type::numElements() const {
  int64_t count = 1;
  for (int64_t extent : shapeValue)
    count *= extent;
  return count;
}

Type Type::withShape(llvm::ArrayRef<int64_t> shape) const {
  Type result(*this);
  result.shapeValue.assign(shape.begin(), shape.end());
  return result;
}

Type Type::withDType(DType dtype) const {
  Type result(dtype);
  result.shapeValue = shapeValue;
  return result;
}

Type Type::pointee() const { return withDType(dtypeValue); }

mlir::Type kiln::frontend::mlirType(DType dtype, mlir::MLIRContext *context) {
  switch (dtype) {
  case DType::F16:
    return mlir::Float16Type::get(context);
  case DType::BF16:
    return mlir::BFloat16Type::get(context);
  case DType::F32:
    return mlir::Float32Type::get(context);
  case DType::F64:
    return mlir::Float64Type::get(context);
  case DType::F8E4NV:
  case DType::F8E4B8:
  case DType::F8E4B15:
  case DType::F8E5:
  case DType::F8E5B16:
    // Names only: values of these types are refused before they reach the IR.
    return mlir::IntegerType::get(context, 8);
  default:
    return mlir::IntegerType::get(context, bitWidth(dtype));
  }
}

mlir::Type kiln::frontend::mlirMemoryType(DType dtype, mlir::MLIRContext *context) {
  return mlirType(isBool(dtype) ? DType::I8 : dtype, context);
}

mlir::Type Type::mlirElement(mlir::MLIRContext *context) const {
  if (pointerFlag)
    return tile::PtrType::get(mlirMemoryType(dtypeValue, context));
  return mlirType(dtypeValue, context);
}

mlir::Type Type::mlir(mlir::MLIRContext *context) const {
  mlir::Type element = mlirElement(context);
  return isScalar() ? element : mlir::RankedTensorType::get(shapeValue, element);
}

std::string Type::str() const {
  const DTypeInfo &row = info(dtypeValue);
  bool isShortFloat = row.kind == DTypeInfo::Float && row.name.front() == 'f';
  std::string element =
      isShortFloat ? ("fp" + row.name.drop_front(1)).str()
                   : (row.kind == DTypeInfo::Float ? row.name.str() : row.languageName.str());
  if (pointerFlag)
    element = "pointer<" + element + ">";
  return isScalar() ? element : element + "[" + shapeText(shapeValue) + "]";
}

std::string kiln::frontend::shapeText(llvm::ArrayRef<int64_t> shape) {
  return llvm::join(llvm::map_range(shape, [](int64_t extent) { return std::to_string(extent); }),
                    ", ");
}
