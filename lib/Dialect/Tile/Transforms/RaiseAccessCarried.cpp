//===- RaiseAccessCarried.cpp - let loops carry scalars instead of pointers ------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "RaiseAccess.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

LogicalResult tile::splitCarriedPointers(func::FuncOp function) { return success(); }
