//===- Passes.td - passes of the NPU target --------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_TARGET_NPU_PASSES_TD
#define KILN_TARGET_NPU_PASSES_TD

include "mlir/Pass/PassBase.td"

/// Every pass works on one kernel and takes the chip that it compiles for.
class NpuPass<string flag> : Pass<flag, "::mlir::func::FuncOp"> {
  list<Option> npuOptions = [
    Option<"chip", "chip", "std::string", "\"ascend910b\"",
           "name of a stock machine, or path of a machine file">
  ];
  let options = npuOptions;
  let dependentDialects = [
    "::kiln::npu::NpuDialect", "::kiln::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def LegalizePass : NpuPass<"kiln-npu-legalize"> {
  let summary = "write tensors in terms of what the vector unit has";
  let description = [{
    Element types that the unit cannot compute in are widened and narrowed around each chain, functions become
    polynomials, integer division and comparison are composed. f64 tensors are an error; elementwise i64 is a
    reported slow path. The legal set is stated in docs/design/npu-target.md.
  }];
}

def AssignCoresPass : NpuPass<"kiln-npu-assign-cores"> {
  let summary = "decide for each op whether the cube, a vector core or a scalar unit does it";
  let description = [{
    A float scalar that a reduction made and that goes back into tiles becomes a tensor of one element, which
    stays on the vector unit. What feeds control or addresses is read by the scalar unit.
  }];
}

def MapGridPass : NpuPass<"kiln-npu-map-grid"> {
  let summary = "give the programs of the grid to physical cores: a persistent loop";
  let options = npuOptions # [
    Option<"perIteration", "per-iteration", "int64_t", "0",
           "programs in one pass of the loop; 0 chooses by the size of a program">
  ];
}

def FitAxesPass : NpuPass<"kiln-npu-fit-axes"> {
  let summary = "cut tiles into pieces that fit on chip";
  let description = [{
    Pieces run in a loop along one axis; along a reduced axis the program is cut at the reduction. Memory order holds
    (`MemoryOrder`); what cannot be cut is refused with the reason.
  }];
  let options = npuOptions # [
    Option<"reserve", "reserve-bytes", "int64_t", "0", "bytes of UB that are not to be used">,
    Option<"explain", "explain", "bool", "false", "print as remarks how tiles were cut">
  ];
}

def SchedulePass : NpuPass<"kiln-npu-schedule"> {
  let summary = "put loads and stores of loops into rings, deep enough to overlap";
  let options = npuOptions # [
    Option<"depth", "depth", "int64_t", "0", "slots of every ring; 0 chooses by the machine's costs">,
    Option<"explain", "explain", "bool", "false", "print the candidates as remarks">
  ];
}

def BufferizePass : NpuPass<"kiln-npu-bufferize"> {
  let summary = "give every tensor a buffer in UB";
}

def LowerPass : NpuPass<"kiln-npu-lower"> {
  let summary = "linalg and tile ops on memrefs to instructions";
}

def PlanMemoryPass : NpuPass<"kiln-npu-plan-memory"> {
  let summary = "choose addresses; buffers that do not live at the same time share bytes";
  let description = [{ An overflow is an error that lists what lives at the fullest point. }];
}

def InsertSyncPass : NpuPass<"kiln-npu-insert-sync"> {
  let summary = "flags and barriers, so that asynchronous pipes keep program order where it matters";
  let options = npuOptions # [
    Option<"explain", "explain", "bool", "false", "print every edge and what became of it as remarks">
  ];
}

def VerifyProgramPass : NpuPass<"kiln-npu-verify-program"> {
  let summary = "check what the machine demands: alignment, types, paths, flags, capacity";
}

#endif // KILN_TARGET_NPU_PASSES_TD
