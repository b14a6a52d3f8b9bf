//===- CpuExecutable.h - a kernel object, loaded ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_DRIVERS_CPU_CPUEXECUTABLE_H
#define KILN_RUNTIME_DRIVERS_CPU_CPUEXECUTABLE_H

#include "runtime/base/File.h"
#include "runtime/base/KernelAbi.h"
#include "runtime/device/Device.h"

#include <atomic>

namespace kiln::runtime {

class CpuExecutable final : public Executable {
public:
  /// Loads a file or, through an anonymous file in memory, bytes; checks the ABI version and the
  /// argument count.
  static Result<std::shared_ptr<Executable>> load(uint64_t device, const Image &image);

  ~CpuExecutable() override;

  KilnKernelFn function() const { return entry; }
  size_t scratchBytes() const { return scratch; }

  /// What a program of this kernel took at last, in nanoseconds; 0 = not known yet. A guess that
  /// only chooses between ways to run, never a result.
  std::atomic<uint64_t> &programCost() const { return cost; }

private:
  struct Handle;
  CpuExecutable(uint64_t device, const Image &image, std::unique_ptr<Handle> handle,
                KilnKernelFn entry, const KilnKernelInfo &info);

  std::unique_ptr<Handle> handle;
  KilnKernelFn entry;
  size_t scratch;
  mutable std::atomic<uint64_t> cost{0};
};

} // namespace kiln::runtime

#endif // KILN_RUNTIME_DRIVERS_CPU_CPUEXECUTABLE_H
