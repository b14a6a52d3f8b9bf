//===- Passes.td - passes of the CPU target --------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_TARGET_CPU_PASSES_TD
#define KILN_TARGET_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckSynchronousPass : Pass<"kiln-cpu-check-synchronous", "::mlir::func::FuncOp"> {
  let summary = "refuse kernels that place flags by hand";
  let description = [{
    A kernel with `tile.asynchronous` is written for pipes that run beside each other, which a CPU does not have.
  }];
}

def LocalToScratchPass : Pass<"kiln-cpu-local-to-scratch", "::mlir::func::FuncOp"> {
  let summary = "buffers that stayed memory go to the thread's scratch arena";
  let description = [{
    Each `tile.local_alloc` becomes an argument `!tile.ptr<T> {tile.private, kiln.scratch = OFFSET}`, its regions dense
    row-major views on it, its elements scalar accesses. See docs/design/local-buffers.md.
  }];
  let options = [
    Option<"limit", "limit", "int64_t", "1 << 30", "bytes that buffers may take together, at most">
  ];
  let dependentDialects = ["::kiln::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

def TileToLinalgPass : Pass<"kiln-tile-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "put elementwise ops on tensors into linalg form";
  let description = [{
    Elementwise ops on tensors become `linalg.generic`; broadcasts and transposes of their operands become indexing
    maps, splats of scalars scalar operands. Loads, stores, iotas and reductions stay `tile` ops.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def LowerToVectorLoopsPass : Pass<"kiln-cpu-vector-loops", "::mlir::func::FuncOp"> {
  let summary = "fuse tensor ops into loops over register-sized vectors";
  let description = [{
    Ops that may share a loop over chunks of lanes do; values that cross loops are computed again, kept as scalars or
    staged in scratch. `MemoryOrder` is asked at each step. Afterwards there are scalars, vectors and addresses. A
    leaf that has to run lane by lane is reported with a remark. See docs/design/cpu-target.md.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", "512", "size of the widest vector register">,
    Option<"maskedTails", "masked-tails", "bool", "true",
           "the CPU has masks for elements of every size: tails are masked chunks">,
    Option<"streaming", "streaming", "bool", "false",
           "arrays that are only written bypass the caches">,
    Option<"longestLoop", "longest-loop", "unsigned", "256",
           "operations that share a loop over chunks, at most">
  ];
  let dependentDialects = ["::mlir::vector::VectorDialect", "::mlir::scf::SCFDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def AllowContractionPass : Pass<"kiln-cpu-allow-contraction", "::mlir::ModuleOp"> {
  let summary = "let a product and a sum that follow each other round once";
  let description = [{
    Sets the `contract` flag on additions, subtractions and multiplications of floats. It runs before
    `kiln-cpu-expand-math`, whose formulas must round as written.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandMathPass : Pass<"kiln-cpu-expand-math", "::mlir::ModuleOp"> {
  let summary = "replace transcendental functions by polynomials on scalars and vectors";
  let description = [{
    An op of the `math` dialect that is neither expanded nor an instruction is an error.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def LegalizeArithPass : Pass<"kiln-cpu-legalize-arith", "::mlir::ModuleOp"> {
  let summary = "write arithmetic in terms of what every supported CPU has";
  let description = [{
    Float ops on f16 and bf16 compute in f32 and round; conversions round once; integer division never traps;
    the float remainder is expanded.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def KernelToLLVMPass : Pass<"kiln-cpu-kernel-to-llvm", "::mlir::ModuleOp"> {
  let summary = "give kernels the CPU kernel ABI and lower everything to the LLVM dialect";
  let description = [{
    The body goes into a loop over a range of programs; arguments come from slots, scratch by offset, printing and
    assertions from the host's services. See docs/design/kernel-abi.md.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

#endif // KILN_TARGET_CPU_PASSES_TD
