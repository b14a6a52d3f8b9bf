//===- KernelAbi.h - how compiled CPU kernels are called -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The binary contract between the compiler's CPU target and the runtime. docs/design/kernel-abi.md
// teaches it. A loadable object holds one kernel variant and exports two symbols:
//   kiln_kernel       a KilnKernelFn
//   kiln_kernel_info  a KilnKernelInfo
// Layouts below are read by generated code: a change of any of them changes
// KILN_KERNEL_ABI_VERSION.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_BASE_KERNELABI_H
#define KILN_RUNTIME_BASE_KERNELABI_H

#include <stdint.h>

#define KILN_KERNEL_ABI_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

struct KilnLaunch;

/// One value of a `device_print`: its bits, zero-extended, and how to read them.
typedef struct KilnPrintValue {
  uint64_t bits;
  uint32_t kind;  // KILN_PRINT_*
  uint32_t width; // bits of the type
} KilnPrintValue;

enum {
  KILN_PRINT_SIGNED = 0,
  KILN_PRINT_UNSIGNED = 1,
  KILN_PRINT_FLOAT = 2,
  KILN_PRINT_BF16 = 3,
  KILN_PRINT_POINTER = 4
};

/// What a running kernel may ask of its host. All functions may be called from several threads at
/// once.
typedef struct KilnServices {
  void *user;
  /// Prints one line: program id, lane index (`rank` numbers), prefix, values; in hexadecimal if
  /// `hex` is not 0.
  void (*print)(const struct KilnLaunch *launch, uint64_t program, const char *prefix,
                uint64_t prefixSize, const int64_t *index, uint32_t rank,
                const KilnPrintValue *values, uint32_t count, uint32_t hex);
  /// Reports a failed device assertion; the kernel returns KILN_STATUS_ASSERT next.
  void (*assertFailed)(const struct KilnLaunch *launch, uint64_t program, const char *message,
                       uint64_t size);
} KilnServices;

/// The part of a launch that all its threads share.
typedef struct KilnLaunch {
  uint32_t grid[3];  // programs along x, y, z
  uint32_t reserved; // zero
  const KilnServices *services;
} KilnLaunch;

enum { KILN_STATUS_OK = 0, KILN_STATUS_ASSERT = 1 };

/// Runs the programs [begin, end) of the grid, numbered x fastest. `args` has one 8-byte slot per
/// runtime argument: pointers as they are, integers sign- or zero-extended from their type, floats
/// as the bit pattern of their type in the low bytes. `scratch` is `scratchBytes` of memory aligned
/// to 64 bytes, private to the call.
typedef int32_t (*KilnKernelFn)(const KilnLaunch *launch, const uint64_t *args, uint64_t begin,
                                uint64_t end, uint8_t *scratch);

typedef struct KilnKernelInfo {
  uint32_t abiVersion;   // KILN_KERNEL_ABI_VERSION
  uint32_t argCount;     // slots in `args`
  uint64_t scratchBytes; // per thread
} KilnKernelInfo;

#ifdef __cplusplus
}
#endif

#endif // KILN_RUNTIME_BASE_KERNELABI_H
