//===- Scratch.cpp - tensors that live in the thread's arena ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Scratch.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::cpu {

Type storageType(Type element) {
  MLIRContext *context = element.getContext();
  if (element.isIndex())
    return IntegerType::get(context, 64);
  return element.isInteger(1) ? Type(IntegerType::get(context, 8)) : element;
}

int64_t storageBytes(Type element) {
  return std::max(1u, storageType(element).getIntOrFloatBitWidth() / 8);
}

int64_t Buffer::strideOf(int dim) const {
  int64_t stride = 1;
  for (int i = int(dims.size()) - 1; i >= 0; --i) {
    if (dims[i] == dim)
      return stride;
    stride *= shape[i];
  }
  return 0;
}

Scratch::Scratch(func::FuncOp function) : function(function) {
  OpBuilder builder(function.getContext());
  unsigned index = function.getNumArguments();
  (void)function.insertArgument(index, LLVM::LLVMPointerType::get(function.getContext()), {},
                                function.getLoc());
  function.setArgAttr(index, kScratchArgAttr, builder.getUnitAttr());
  if (auto bytes = function->getAttrOfType<IntegerAttr>(kScratchBytesAttr))
    reserved = bytes.getInt();
}

Buffer *Scratch::make(Type element, ArrayRef<int64_t> shape, ArrayRef<int> dims) {
  Buffer &buffer = *buffers.emplace_back(std::make_unique<Buffer>());
  buffer.element = element;
  buffer.shape.assign(shape.begin(), shape.end());
  buffer.dims.assign(dims.begin(), dims.end());
  buffer.bytes = storageBytes(element);
  for (int64_t extent : shape)
    buffer.bytes *= extent;
  buffer.bytes = llvm::alignTo(buffer.bytes, kScratchAlignment);
  return &buffer;
}

Buffer *Scratch::makeTensor(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return make(type.getElementType(), type.getShape(),
              llvm::to_vector(llvm::seq<int>(0, type.getRank())));
}

void Scratch::touch(Buffer &buffer) {
  buffer.begin = std::min(buffer.begin, clock);
  buffer.end = std::max(buffer.end, clock);
}

void Scratch::touchSince(Buffer &buffer, unsigned start) {
  touch(buffer);
  buffer.begin = std::min(buffer.begin, start);
}

Value Scratch::address(OpBuilder &builder, Location loc, Buffer &buffer) {
  touch(buffer);
  auto offset = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(0));
  buffer.uses.push_back(offset);
  Value base = function.getArguments().back();
  return LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base,
                             ValueRange{offset.getResult()});
}

void Scratch::endLoop(unsigned start) {
  for (auto &buffer : buffers)
    if (buffer->begin < start && buffer->end >= start)
      buffer->end = clock;
}

void Scratch::finish() {
  OpBuilder builder(function.getContext());
  std::vector<Buffer *> placed;
  llvm::sort(buffers, [](auto &a, auto &b) { return a->bytes > b->bytes; });
  int64_t total = reserved;
  bool used = false;
  for (auto &buffer : buffers) {
    if (buffer->uses.empty())
      continue;
    // First fit among the buffers that live at the same time, in order of their offsets.
    used = true;
    int64_t offset = reserved;
    for (Buffer *other : placed) {
      if (other->end < buffer->begin || buffer->end < other->begin)
        continue;
      if (other->offset - offset >= buffer->bytes)
        break;
      offset = std::max(offset, other->offset + other->bytes);
    }
    buffer->offset = offset;
    total = std::max(total, offset + buffer->bytes);
    auto at = llvm::upper_bound(placed, offset,
                                [](int64_t value, Buffer *other) { return value < other->offset; });
    placed.insert(at, buffer.get());
    for (arith::ConstantOp use : buffer->uses)
      use.setValueAttr(builder.getI64IntegerAttr(offset));
  }
  if (used)
    function->setAttr(kScratchBytesAttr, builder.getI64IntegerAttr(total));
  else
    (void)function.eraseArgument(function.getNumArguments() - 1);
}

} // namespace kiln::cpu
