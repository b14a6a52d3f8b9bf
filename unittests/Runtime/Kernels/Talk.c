//===- Talk.c - kernel object: uses scratch, prints, asserts -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// talk(i64 *out, i64 printing, i64 failFrom): program p adds 1 to out[p] by way of scratch, prints
// p if `printing`, and fails an assertion if p >= failFrom. If failFrom is negative, it returns an
// unknown status instead.
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/base/KernelAbi.h"

#define SCRATCH 4096

__attribute__((visibility("default")))
const KilnKernelInfo kiln_kernel_info = {KILN_KERNEL_ABI_VERSION, 3, SCRATCH};

__attribute__((visibility("default"))) int32_t kiln_kernel(const KilnLaunch *launch,
                                                           const uint64_t *args, uint64_t begin,
                                                           uint64_t end, uint8_t *scratch) {
  int64_t *out = (int64_t *)args[0];
  int64_t failFrom = (int64_t)args[2];
  if ((uintptr_t)scratch % 64)
    return 99;
  if (failFrom < 0)
    return 7;
  for (uint64_t p = begin; p < end; ++p) {
    int64_t *staged = (int64_t *)scratch;
    for (int i = 0; i < SCRATCH / 8; ++i)
      staged[i] = (int64_t)p;
    if ((int64_t)p >= failFrom) {
      launch->services->assertFailed(launch, p, "value is too large", 18);
      return KILN_STATUS_ASSERT;
    }
    if (args[1]) {
      int64_t index = (int64_t)p * 10;
      KilnPrintValue values[2] = {{p, KILN_PRINT_SIGNED, 64}, {0x3fc00000, KILN_PRINT_FLOAT, 32}};
      launch->services->print(launch, p, " p: ", 4, &index, 1, values, 2, 0);
    }
    if (staged[SCRATCH / 8 - 1] == (int64_t)p)
      out[p] += 1;
  }
  return KILN_STATUS_OK;
}
