//===- WindowDims.cpp - the dimensions of an instruction over several views ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Dialect/Npu/IR/WindowDims.h"

#include "llvm/ADT/STLExtras.h"

namespace kiln::npu {

WindowDims windowDims(llvm::ArrayRef<int64_t> sizes,
                      llvm::ArrayRef<llvm::ArrayRef<int64_t>> strides) {
  WindowDims dims;
  for (auto [number, size] : llvm::enumerate(sizes)) {
    if (size == 1)
      continue;
    WindowDim dim{size, {}};
    for (llvm::ArrayRef<int64_t> operand : strides)
      dim.strides.push_back(operand[number]);
    dims.push_back(dim);
  }
  if (dims.empty() || llvm::any_of(dims.back().strides, [](int64_t stride) { return stride > 1; }))
    dims.push_back({1, llvm::SmallVector<int64_t, 4>(strides.size(), 1)});
  return dims;
}

void joinDims(WindowDims &dims) {
  for (size_t outer = dims.size() - 1; outer-- > 0;) {
    WindowDim &out = dims[outer], &in = dims[outer + 1];
    bool joins = llvm::all_of(llvm::zip(out.strides, in.strides), [&](auto pair) {
      return std::get<0>(pair) == std::get<1>(pair) * in.size;
    });
    if (!joins)
      continue;
    in.size *= out.size;
    dims.erase(dims.begin() + outer);
  }
}

} // namespace kiln::npu
