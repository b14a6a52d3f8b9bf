//===- NoKernel.c - a shared object that is no kernel ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

__attribute__((visibility("default"))) int nothing(void) { return 0; }
