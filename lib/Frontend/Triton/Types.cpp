//===- Types.cpp - dtypes, constants and attributes ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Semantics.h"
#include "Tables.h"

namespace kiln::frontend::triton {

//===----------------------------------------------------------------------------------------===//
// Attributes of tensors
//===----------------------------------------------------------------------------------------===//

static Value shapeAttribute(CallContext &context, const Value &object) {
  std::vector<Value> sizes;
  for (int64_t size : object.type().shape())
    sizes.push_back(Value::integer(size));
  return Value::tuple(std::move(sizes));
}

static Value dtypeAttribute(CallContext &context, const Value &object) {
  return Value::type(object.type().scalar());
}

static Value typeAttribute(CallContext &context, const Value &object) {
  return Value::type(object.type());
}

static Value numelAttribute(CallContext &context, const Value &object) {
  return Value::integer(object.type().isBlock() ? object.type().numElements() : 1);
}

static Value transposedAttribute(CallContext &context, const Value &object) {
  return context.callLanguage("tl.trans", {object});
}

//===----------------------------------------------------------------------------------------===//
// Attributes of dtypes
//===----------------------------------------------------------------------------------------===//

template <auto Get> static Value ofType(CallContext &context, const Value &object) {
  return Get(*object.asType());
}

static int64_t bitsOf(const Type &type) { return type.isPointer() ? 64 : bitWidth(type.dtype()); }
static Value bitWidthOf(const Type &type) { return Value::integer(bitsOf(type)); }
static Value itemSizeOf(const Type &type) { return Value::integer((bitsOf(type) + 7) / 8); }
static Value mantissaOf(const Type &type) {
  return Value::integer(info(type.dtype()).mantissaBits);
}
static Value nameOf(const Type &type) { return Value::string(type.str()); }
static Value scalarOf(const Type &type) { return Value::type(type.scalar()); }
static Value shapeOf(const Type &type) {
  std::vector<Value> sizes;
  for (int64_t size : type.shape())
    sizes.push_back(Value::integer(size));
  return Value::tuple(std::move(sizes));
}
static Value elementOf(const Type &type) {
  return Value::type(type.isBlock() ? type.scalar() : type.isPointer() ? type.pointee() : type);
}

/// `t.is_fp32()` and its kind.
template <auto Test> static Value lowerTest(CallContext &context, const Arguments &arguments) {
  const Type *type = arguments["self"].asType();
  return type ? Value::boolean(Test(*type))
              : context.error("found " + describe(arguments["self"]) + ", expected a dtype");
}

template <DType dtype> static bool isOnly(const Type &type) {
  return !type.isPointer() && type.dtype() == dtype;
}
static bool isFloating(const Type &type) { return type.isFloatLike(); }
static bool isStandardFloating(const Type &type) {
  return type.isFloatLike() && bitWidth(type.dtype()) >= 16;
}
static bool isInt(const Type &type) { return type.isIntegerLike(); }
static bool isIntSigned(const Type &type) { return type.isIntegerLike() && isSigned(type.dtype()); }
static bool isIntUnsigned(const Type &type) {
  return type.isIntegerLike() && !isSigned(type.dtype());
}
static bool isPtr(const Type &type) { return type.isPointer(); }
static bool isBlock(const Type &type) { return type.isBlock(); }
static bool isFloat8(const Type &type) { return type.isFloatLike() && bitWidth(type.dtype()) == 8; }

static Value lowerPointerType(CallContext &context, const Arguments &arguments) {
  std::optional<DType> element = context.dtypeConst(arguments, "element_ty");
  std::optional<bool> isConst = context.boolConst(arguments, "const");
  return element && isConst ? Value::type(Type::pointer(*element, *isConst)) : Value::poison();
}

//===----------------------------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------------------------===//

static constexpr AttributeEntry kAttributes[] = {
    {"tensor.shape", shapeAttribute},       {"tensor.dtype", dtypeAttribute},
    {"tensor.type", typeAttribute},         {"tensor.numel", numelAttribute},
    {"tensor.T", transposedAttribute},      {"dtype.primitive_bitwidth", ofType<bitWidthOf>},
    {"dtype.itemsize", ofType<itemSizeOf>}, {"dtype.fp_mantissa_width", ofType<mantissaOf>},
    {"dtype.name", ofType<nameOf>},         {"dtype.scalar", ofType<scalarOf>},
    {"dtype.shape", ofType<shapeOf>},       {"dtype.element_ty", ofType<elementOf>},
};

static constexpr LanguageEntry kTests[] = {
    {"dtype.is_floating", "self", lowerTest<isFloating>},
    {"dtype.is_standard_floating", "self", lowerTest<isStandardFloating>},
    {"dtype.is_int", "self", lowerTest<isInt>},
    {"dtype.is_int_signed", "self", lowerTest<isIntSigned>},
    {"dtype.is_int_unsigned", "self", lowerTest<isIntUnsigned>},
    {"dtype.is_bool", "self", lowerTest<isOnly<DType::I1>>},
    {"dtype.is_ptr", "self", lowerTest<isPtr>},
    {"dtype.is_block", "self", lowerTest<isBlock>},
    {"dtype.is_fp8", "self", lowerTest<isFloat8>},
    {"dtype.is_fp16", "self", lowerTest<isOnly<DType::F16>>},
    {"dtype.is_bf16", "self", lowerTest<isOnly<DType::BF16>>},
    {"dtype.is_fp32", "self", lowerTest<isOnly<DType::F32>>},
    {"dtype.is_fp64", "self", lowerTest<isOnly<DType::F64>>},
    {"dtype.is_int1", "self", lowerTest<isOnly<DType::I1>>},
    {"dtype.is_int8", "self", lowerTest<isOnly<DType::I8>>},
    {"dtype.is_int16", "self", lowerTest<isOnly<DType::I16>>},
    {"dtype.is_int32", "self", lowerTest<isOnly<DType::I32>>},
    {"dtype.is_int64", "self", lowerTest<isOnly<DType::I64>>},
    {"dtype.is_uint8", "self", lowerTest<isOnly<DType::U8>>},
    {"dtype.is_uint16", "self", lowerTest<isOnly<DType::U16>>},
    {"dtype.is_uint32", "self", lowerTest<isOnly<DType::U32>>},
    {"dtype.is_uint64", "self", lowerTest<isOnly<DType::U64>>},
    {"tl.pointer_type", "element_ty, address_space='global', const=False", lowerPointerType},
};

static constexpr DType kDTypes[] = {
    DType::I1,  DType::I8,     DType::I16,    DType::I32,     DType::I64,  DType::U8,
    DType::U16, DType::U32,    DType::U64,    DType::F16,     DType::BF16, DType::F32,
    DType::F64, DType::F8E4NV, DType::F8E4B8, DType::F8E4B15, DType::F8E5, DType::F8E5B16,
};

void addTypes(Vocabulary &vocabulary) {
  for (DType dtype : kDTypes)
    vocabulary.addConstant(("tl." + info(dtype).languageName).str(), Value::type(dtype));
  // Classes: second arguments of isinstance, annotations.
  for (llvm::StringRef name : {"tl.tensor", "tl.dtype", "tl.tuple", "tl.const"})
    vocabulary.addConstant(name, Value::language(name));
  vocabulary.addConstant("tl.pi32_t", Value::type(Type::pointer(DType::I32)));
  vocabulary.addConstant("tl.TRITON_MAX_TENSOR_NUMEL", Value::integer(kMaxTensorElements));
  // What `propagate_nan` takes.
  vocabulary.addConstant("tl.PropagateNan.NONE", Value::string("none"));
  vocabulary.addConstant("tl.PropagateNan.ALL", Value::string("all"));
  vocabulary.addAttributes(kAttributes);
  vocabulary.add(kTests);
}

} // namespace kiln::frontend::triton
