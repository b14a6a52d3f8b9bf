//===- Pch.h - precompiled header of the driver ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_DRIVER_PCH_H
#define KILN_LIB_DRIVER_PCH_H

#include "kiln/Dialect/Tile/IR/Tile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/JSON.h"

#endif // KILN_LIB_DRIVER_PCH_H
