//===- Scale.c - kernel object: an element times a factor --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// scale(f32 *x, i64 n, f32 factor): program p multiplies x[p] if p < n.
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/base/KernelAbi.h"

#include <string.h>

__attribute__((visibility("default")))
const KilnKernelInfo kiln_kernel_info = {KILN_KERNEL_ABI_VERSION, 3, 0};

__attribute__((visibility("default"))) int32_t kiln_kernel(const KilnLaunch *launch,
                                                           const uint64_t *args, uint64_t begin,
                                                           uint64_t end, uint8_t *scratch) {
  float *x = (float *)args[0];
  float factor;
  memcpy(&factor, &args[2], sizeof factor);
  for (uint64_t p = begin; p < end && (int64_t)p < (int64_t)args[1]; ++p)
    x[p] *= factor;
  return KILN_STATUS_OK;
}
