//===- Types.cpp - dtypes, and attributes of buffers ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Buffers.h"
#include "Tables.h"

namespace kiln::frontend::tilelang {

static std::shared_ptr<const BufferData> bufferOf(const Value &object) {
  std::shared_ptr<const BufferData> buffer = object.asBuffer();
  return buffer ? buffer : object.asRegion()->buffer;
}

static Value shapeOf(CallContext &, const Value &object) {
  return Value::tuple(object.asRegion() ? object.asRegion()->extents : object.asBuffer()->shape);
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
