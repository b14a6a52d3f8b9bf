//===- Classes.h - the bodies of the instruction classes -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// One function per machine::OpClass, each in the file that explains the class.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_ISA_CLASSES_H
#define KILN_SIM_ISA_CLASSES_H

namespace kiln::sim {

struct Context;

void load(Context &context);
void store(Context &context);
void copy(Context &context);
void vectorBinary(Context &context);
void vectorUnary(Context &context);
void vectorScalar(Context &context);
void vectorMulAdd(Context &context);
void vectorCompare(Context &context);
void vectorSelect(Context &context);
void vectorConvert(Context &context);
void vectorReduce(Context &context);
void vectorBroadcast(Context &context);
void vectorFill(Context &context);
void vectorGather(Context &context);
void vectorGatherMask(Context &context);
void vectorTranspose(Context &context);
void vectorSort(Context &context);
void scalarMemory(Context &context);
void scalarAtomic(Context &context);

} // namespace kiln::sim

#endif // KILN_SIM_ISA_CLASSES_H
