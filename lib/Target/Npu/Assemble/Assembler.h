//===- Assembler.h - a function of the npu dialect becomes a program -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Every SSA value becomes an operand: a register or a number. Pointers and buffers are their byte
// addresses, so buffers may be carried by loops like scalars. Carried values and results of
// branches have a register that moves write.
//
// The methods are in one file per concern: Assemble.cpp (function and header), ControlFlow.cpp,
// ScalarCode.cpp, TileScalars.cpp, Instructions.cpp, ControlSlice.cpp.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_ASSEMBLE_ASSEMBLER_H
#define KILN_LIB_TARGET_NPU_ASSEMBLE_ASSEMBLER_H

#include "Elements.h"
#include "Locations.h"
#include "ProgramBuilder.h"

#include "kiln/Dialect/Npu/IR/Npu.h"

#include "machine/Machine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

namespace kiln::npu {

/// Instructions whose values reach a branch, trip count, address or size (ControlSlice.cpp).
llvm::DenseSet<mlir::Operation *> controlSlice(mlir::func::FuncOp function);

/// The argument that a pointer comes from; null if that cannot be told.
mlir::BlockArgument rootOf(mlir::Value pointer);

class Assembler {
public:
  Assembler(mlir::func::FuncOp function, const machine::Machine &machine);

  mlir::FailureOr<image::Image> run();

private:
  using Value = mlir::Value;
  using Operand = image::Operand;
  using LogicalResult = mlir::LogicalResult;

  // Assemble.cpp
  LogicalResult header();
  LogicalResult parameters();
  LogicalResult block(mlir::Block &block);
  LogicalResult operation(mlir::Operation *op);

  // ControlFlow.cpp
  LogicalResult forLoop(mlir::scf::ForOp loop);
  LogicalResult whileLoop(mlir::scf::WhileOp loop);
  LogicalResult branch(mlir::scf::IfOp branch);
  /// Moves values into the registers of others.
  void carry(mlir::ValueRange targets, mlir::ValueRange sources);
  /// A register of its own for each value, written at that level.
  void giveRegisters(mlir::ValueRange values, unsigned level);
  /// What a loop leaves behind: the registers that it carried.
  void leaveBehind(mlir::ValueRange results, mlir::ValueRange carried);
  LogicalResult branchBody(mlir::Block &block, mlir::ValueRange results);

  // ScalarCode.cpp: false if the op is none of these; a failure has been reported
  mlir::FailureOr<bool> scalarOp(mlir::Operation *op);
  mlir::FailureOr<bool> castOp(mlir::Operation *op);
  bool composedOp(mlir::Operation *op, machine::Element element);
  LogicalResult constant(mlir::arith::ConstantOp op);
  Operand compareIntegers(mlir::arith::CmpIOp compare, machine::Element element);
  Operand compareFloats(mlir::arith::CmpFOp compare, machine::Element element);
  Operand roundedDivision(machine::Element element, Operand lhs, Operand rhs, bool up);

  // TileScalars.cpp: likewise
  mlir::FailureOr<bool> tileOp(mlir::Operation *op);
  LogicalResult pointerLoad(tile::PtrLoadOp load);
  LogicalResult pointerStore(tile::PtrStoreOp store);
  LogicalResult check(tile::AssertOp assertion);

  // Instructions.cpp
  LogicalResult instruction(InstructionOpInterface op);
  LogicalResult order(mlir::Operation *op);
  LogicalResult buffer(mlir::Operation *op);
  mlir::FailureOr<image::Region> region(mlir::Operation *op, const Access &access, bool isUnsigned);
  mlir::FailureOr<image::Region> globalRegion(mlir::Operation *op, const Access &access);
  image::Region oneElement(machine::Memory memory, machine::Element element, Operand address);

  /// The operand of a value that has been assembled.
  Operand at(Value value) const;
  Operand at(mlir::OpFoldResult value) const;
  void define(Value value, Operand operand) { operands[value] = operand; }
  /// The element type of a scalar; an error at `op` if the scalar unit has none.
  mlir::FailureOr<machine::Element> elementAt(mlir::Operation *op, mlir::Type type);

  mlir::func::FuncOp function;
  const machine::Machine &machine;
  image::Image image;
  image::Program program;
  Locations locations;
  ProgramBuilder builder;
  llvm::DenseMap<Value, Operand> operands;
  llvm::DenseSet<mlir::Operation *> slice;
};

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_ASSEMBLE_ASSEMBLER_H
