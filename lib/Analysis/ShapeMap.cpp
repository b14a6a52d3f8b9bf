//===- ShapeMap.cpp - how shape operations move dimensions -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "ShapeMap.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;

bool ShapeMap::isShapeOp(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, linalg::BroadcastOp,
             linalg::TransposeOp>(op);
}

std::optional<ShapeMap> ShapeMap::get(Operation *op) {
  ShapeMap map;
  map.resultDims.assign(cast<RankedTensorType>(op->getResult(0).getType()).getShape());
  auto toUnsigned = [](ArrayRef<int64_t> dims) {
    return SmallVector<unsigned, 2>(dims.begin(), dims.end());
  };
  bool understood =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case([&](tensor::ExpandShapeOp expand) {
            for (auto [dim, group] : llvm::enumerate(expand.getReassociationIndices()))
              map.groups.push_back({{unsigned(dim)}, toUnsigned(group)});
            return true;
          })
          .Case([&](tensor::CollapseShapeOp collapse) {
            for (auto [dim, group] : llvm::enumerate(collapse.getReassociationIndices()))
              map.groups.push_back({toUnsigned(group), {unsigned(dim)}});
            return true;
          })
          .Case([&](linalg::BroadcastOp broadcast) {
            unsigned input = 0;
            for (unsigned dim = 0; dim < map.resultDims.size(); ++dim)
              if (!llvm::is_contained(broadcast.getDimensions(), dim))
                map.groups.push_back({{input++}, {dim}});
            return true;
          })
          .Case([&](linalg::TransposeOp transpose) {
            for (auto [dim, source] : llvm::enumerate(transpose.getPermutation()))
              map.groups.push_back({{unsigned(source)}, {unsigned(dim)}});
            return true;
          })
          .Default([](Operation *) { return false; });
  return understood ? std::optional(map) : std::nullopt;
}
