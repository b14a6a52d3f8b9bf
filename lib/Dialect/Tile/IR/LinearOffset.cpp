//===- LinearOffset.cpp - the place of an element in an array --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Dialect/Tile/IR/LinearOffset.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

std::pair<int64_t, Value> kiln::tile::linearOffset(OpBuilder &builder, Location loc,
                                                   ArrayRef<OpFoldResult> indices,
                                                   ArrayRef<int64_t> strides) {
  int64_t constant = 0;
  Value sum;
  for (auto [index, stride] : llvm::zip_equal(indices, strides)) {
    if (std::optional<int64_t> known = getConstantIntValue(index)) {
      constant += *known * stride;
      continue;
    }
    Value step = cast<Value>(index);
    if (stride != 1)
      step = arith::MulIOp::create(builder, loc, step,
                                   arith::ConstantIndexOp::create(builder, loc, stride));
    sum = sum ? Value(arith::AddIOp::create(builder, loc, sum, step)) : step;
  }
  return {constant, sum};
}
