//===- Pch.h - precompiled header of the front end's core --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
#ifndef KILN_LIB_FRONTEND_SEMA_PCH_H
#define KILN_LIB_FRONTEND_SEMA_PCH_H

#include "kiln/Dialect/Tile/IR/Tile.h"
#include "kiln/Frontend/Vocabulary.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

#endif // KILN_LIB_FRONTEND_SEMA_PCH_H
