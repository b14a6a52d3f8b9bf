//===- ExpertVector.h - operands and single instructions of the vector unit -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// What the calls that are one instruction (ExpertVector.cpp) share with those that are several
// (ExpertComposed.cpp).
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_TILELANG_EXPERTVECTOR_H
#define KILN_LIB_FRONTEND_TILELANG_EXPERTVECTOR_H

#include "Expert.h"

namespace kiln::frontend::tilelang::expert {

/// The destination and the buffers among the sources.
struct Operands {
  View dst;
  llvm::SmallVector<View, 3> sources;
};

/// The first `sources` arguments after the destination are buffers of its type and shape; `count`,
/// where the call has it, takes so many lanes of each.
std::optional<Operands> operandsOf(CallContext &context, const Arguments &arguments,
                                   size_t sources);

// Single instructions on views of one shape. Poison after an error, else None.
Value emitBinary(CallContext &context, const Arguments &arguments, machine::Opcode op,
                 const View &lhs, const View &rhs, const View &dst);
Value emitUnary(CallContext &context, const Arguments &arguments, machine::Opcode op,
                const View &src, const View &dst);
Value emitScalar(CallContext &context, const Arguments &arguments, machine::Opcode op,
                 const View &src, mlir::Value scalar, const View &dst);
Value emitFill(CallContext &context, const Arguments &arguments, mlir::Value scalar,
               const View &dst);
Value emitIota(CallContext &context, const Arguments &arguments, mlir::Value start,
               const View &dst);

/// `dst = lhs op s` where the instruction has no form with a scalar: s fills one 32-byte block,
/// which the instruction reads again and again.
Value emitWithBlock(CallContext &context, const Arguments &arguments, machine::Opcode op,
                    const View &lhs, mlir::Value scalar, const View &dst);

} // namespace kiln::frontend::tilelang::expert

#endif // KILN_LIB_FRONTEND_TILELANG_EXPERTVECTOR_H
