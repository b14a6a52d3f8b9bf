//===- Types.cpp - dtypes, and attributes of buffers ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Buffers.h"
#include "Tables.h"

namespace kiln::frontend::tilelang {

using namespace triton;

std::optional<DType> dtypeByText(llvm::StringRef text) {
  static constexpr std::pair<llvm::StringLiteral, DType> names[] = {
      {"float", DType::F32},   {"half", DType::F16},      {"double", DType::F64},
      {"bool", DType::I1},     {"bfloat16", DType::BF16}, {"float16", DType::F16},
      {"float32", DType::F32}, {"float64", DType::F64},
  };
  for (auto [name, dtype] : names)
    if (text == name)
      return dtype;
  return frontend::dtypeByName(text);
}

std::optional<DType> dtypeArgument(CallContext &context, const Arguments &arguments,
                                   llvm::StringRef name) {
  const Value &value = arguments[name];
  const std::string *text = value.asString();
  if (!text)
    return context.dtypeConst(arguments, name);
  std::optional<DType> dtype = dtypeByText(*text);
  if (dtype && info(*dtype).isSupported)
    return dtype;
  static constexpr llvm::StringLiteral later[] = {"int4", "uint4", "float8", "e4m3", "e5m2"};
  bool isKnown = llvm::any_of(
      later, [&](llvm::StringRef part) { return llvm::StringRef(*text).contains(part); });
  if (dtype || isKnown)
    context.errorAt(arguments, name, "the type '" + *text + "' is not there yet");
  else
    wrongArgument(context, arguments, name, value, "a dtype such as 'float16'");
  return std::nullopt;
}

static std::shared_ptr<const BufferData> bufferOf(const Value &object) {
  const RegionData *region = object.asRegion();
  std::shared_ptr<const BufferData> buffer = region ? region->buffer : object.asBuffer();
  assert(buffer && "attributes are looked up by the kind of the object");
  return buffer;
}

static Value shapeOf(CallContext &, const Value &object) {
  const RegionData *region = object.asRegion();
  return Value::tuple(region ? region->extents : bufferOf(object)->shape);
}

static Value dtypeOf(CallContext &, const Value &object) {
  return Value::type(bufferOf(object)->dtype);
}

static Value rankOf(CallContext &, const Value &object) {
  return Value::integer(bufferOf(object)->rank());
}

static constexpr AttributeEntry kAttributes[] = {
    {"buffer.shape", shapeOf},
    {"buffer.dtype", dtypeOf},
    {"buffer.ndim", rankOf},
};

static constexpr DType kDTypes[] = {
    DType::I8,  DType::I16, DType::I32, DType::I64,  DType::U8,  DType::U16,
    DType::U32, DType::U64, DType::F16, DType::BF16, DType::F32, DType::F64,
};

void addTypes(Vocabulary &vocabulary) {
  for (DType dtype : kDTypes)
    vocabulary.addConstant(("T." + info(dtype).languageName).str(), Value::type(dtype));
  vocabulary.addConstant("T.bool", Value::type(DType::I1));
  vocabulary.addConstant("T.float", Value::type(DType::F32));
  vocabulary.addConstant("T.half", Value::type(DType::F16));
  vocabulary.addAttributes(kAttributes);
}

} // namespace kiln::frontend::tilelang
