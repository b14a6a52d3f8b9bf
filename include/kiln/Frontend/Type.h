//===- Type.h - the types of the kernel language -----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A type is an element (a dtype, or a pointer to one) and a shape; an empty shape is a scalar. MLIR
// types are signless, so the signedness of an integer lives here and nowhere in the IR: it chooses
// operations.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_FRONTEND_TYPE_H
#define KILN_FRONTEND_TYPE_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace kiln::frontend {

/// Element types, in the order of the table in Type.cpp. The float8 kinds are names without
/// operations.
enum class DType : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64,
  F8E4NV,
  F8E4B8,
  F8E4B15,
  F8E5,
  F8E5B16,
};

struct DTypeInfo {
  DType dtype;
  llvm::StringLiteral name;         ///< in signatures and JSON: `f32`
  llvm::StringLiteral languageName; ///< in the language: `float32`
  uint8_t bits;
  enum Kind : uint8_t { Bool, Signed, Unsigned, Float } kind;
  uint8_t mantissaBits; ///< without the hidden bit; floats only
  bool isSupported;
};

const DTypeInfo &info(DType dtype);
/// By `name` (`f32`), `languageName` (`float32`) or Triton's short form (`fp32`).
std::optional<DType> dtypeByName(llvm::StringRef name);

inline unsigned bitWidth(DType dtype) { return info(dtype).bits; }
inline bool isFloat(DType dtype) { return info(dtype).kind == DTypeInfo::Float; }
/// i1 and every signed or unsigned integer.
inline bool isInteger(DType dtype) { return !isFloat(dtype); }
inline bool isBool(DType dtype) { return dtype == DType::I1; }
/// i1 counts as unsigned.
inline bool isSigned(DType dtype) { return info(dtype).kind == DTypeInfo::Signed; }

class Type {
public:
  using Shape = llvm::SmallVector<int64_t, 4>;

  Type(DType dtype = DType::I32) : dtypeValue(dtype) {}
  static Type pointer(DType pointee, bool isConst = false);
  static Type block(Type element, llvm::ArrayRef<int64_t> shape);
  /// `f32`, `*f32`, `fp32`, `float32`; scalars and pointers only.
  static std::optional<Type> parse(llvm::StringRef text);

  bool isPointer() const { return pointerFlag; }
  bool isConstPointer() const { return constFlag; }
  bool isBlock() const { return !shapeValue.empty(); }
  bool isScalar() const { return shapeValue.empty(); }
  /// The element's dtype, or the pointee's where the element is a pointer.
  DType dtype() const { return dtypeValue; }
  bool isIntegerLike() const { return !pointerFlag && isInteger(dtypeValue); }
  bool isFloatLike() const { return !pointerFlag && isFloat(dtypeValue); }
  llvm::ArrayRef<int64_t> shape() const { return shapeValue; }
  int64_t rank() const { return shapeValue.size(); }
  int64_t numElements() const;

  /// The same with another shape, another (non-pointer) dtype, or without shape.
  Type withShape(llvm::ArrayRef<int64_t> shape) const;
  Type withDType(DType dtype) const;
  Type scalar() const { return withShape({}); }
  /// What a pointer points to, with this type's shape.
  Type pointee() const;

  /// The IR's type: signless, `!tile.ptr<i8>` for a pointer to i1, a ranked tensor for a block.
  mlir::Type mlir(mlir::MLIRContext *context) const;
  mlir::Type mlirElement(mlir::MLIRContext *context) const;

  /// As messages show it: `fp32`, `pointer<fp32>`, `fp32[64, 128]`.
  std::string str() const;

  friend bool operator==(const Type &a, const Type &b) {
    return a.dtypeValue == b.dtypeValue && a.pointerFlag == b.pointerFlag &&
           a.shapeValue == b.shapeValue;
  }
  friend bool operator!=(const Type &a, const Type &b) { return !(a == b); }

private:
  DType dtypeValue;
  bool pointerFlag = false;
  bool constFlag = false;
  Shape shapeValue;
};

/// The IR's type of one element of `dtype` as a value (`i1` stays `i1`) and in memory (`i1` is
/// `i8`).
mlir::Type mlirType(DType dtype, mlir::MLIRContext *context);
mlir::Type mlirMemoryType(DType dtype, mlir::MLIRContext *context);

/// `64, 128`.
std::string shapeText(llvm::ArrayRef<int64_t> shape);

} // namespace kiln::frontend

#endif // KILN_FRONTEND_TYPE_H
