//===- WrongVersion.c - kernel object of another ABI version -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/base/KernelAbi.h"

__attribute__((visibility("default")))
const KilnKernelInfo kiln_kernel_info = {KILN_KERNEL_ABI_VERSION + 1, 0, 0};

__attribute__((visibility("default"))) int32_t kiln_kernel(const KilnLaunch *launch,
                                                           const uint64_t *args, uint64_t begin,
                                                           uint64_t end, uint8_t *scratch) {
  return KILN_STATUS_OK;
}
