//===- Lowering.h - from tensors with buffers to instructions --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_LOWER_LOWERING_H
#define KILN_LIB_TARGET_NPU_LOWER_LOWERING_H

#include "Emitter.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace kiln::npu::lower {

struct Transfer;

class Lowering {
public:
  Lowering(mlir::func::FuncOp function, const machine::Machine &machine)
      : function(function), emitter(function, machine) {}

  mlir::LogicalResult run();

private:
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lower(mlir::Operation *op);

  View readableRegion(mlir::bufferization::ToTensorOp named, View view);
  void lowerCopy(mlir::bufferization::MaterializeInDestinationOp copy);
  mlir::LogicalResult lowerLoad(tile::LoadOp load);
  mlir::LogicalResult lowerStore(tile::StoreOp store);
  void lowerIndexed(mlir::Operation *op);
  mlir::LogicalResult lowerReduce(tile::ReduceOp reduce);
  void lowerIota(tile::IotaOp iota);
  void lowerConstant(mlir::arith::ConstantOp constant);
  void lowerTranspose(mlir::linalg::TransposeOp transpose);
  void lowerElementwise(mlir::Operation *op);
  void lowerByElement(mlir::Operation *op, llvm::ArrayRef<Operand> operands, const View &dst);
  void lowerExtract(mlir::tensor::ExtractOp extract);
  void lowerDebug(mlir::Operation *op);
  mlir::LogicalResult lowerScalarLoad(tile::PtrLoadOp load);
  mlir::LogicalResult lowerScalarStore(tile::PtrStoreOp store);

  // Tensors that are views of others.
  Operand broadcastView(mlir::linalg::BroadcastOp broadcast);
  Operand reshaped(mlir::Value from, mlir::RankedTensorType to);
  Operand reshapedByElement(const View &from, mlir::RankedTensorType to);
  View settled(const View &source, View view);

  /// Says at an operation that it runs element by element, and why; once for each place.
  void slowPath(mlir::Operation *op, llvm::StringRef reason);
  /// Holds all pipes.
  void stop(llvm::StringRef reason);
  void reportElements(const Transfer &transfer);

  /// How a tensor (or scalar) is read.
  Operand operandOf(mlir::Value value) const;
  /// Where the result of an operation goes: its buffer, or a new one.
  View destination(mlir::Value result);
  /// `dst`, or a temporary if an operand lies in its way.
  View apart(const View &dst, llvm::ArrayRef<Operand> operands);
  /// What a lane outside a load's bounds holds can be seen by something.
  bool padMatters(tile::LoadOp load) const;

  mlir::func::FuncOp function;
  Emitter emitter;
  llvm::DenseMap<mlir::Value, Operand> values;
  llvm::DenseSet<mlir::Operation *> bound; ///< materialisations that say where a result is made
  llvm::SmallVector<mlir::Operation *> done;
  llvm::DenseSet<mlir::Location> reported;
  bool stopsBehind = false; ///< all pipes are to be held behind the operation
};

} // namespace kiln::npu::lower

#endif // KILN_LIB_TARGET_NPU_LOWER_LOWERING_H
