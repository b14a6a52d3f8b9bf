//===- KernelRunner.h - compile a small kernel of MLIR and call it ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_UNITTESTS_TARGET_KERNELRUNNER_H
#define KILN_UNITTESTS_TARGET_KERNELRUNNER_H

#include "runtime/base/KernelAbi.h"

#include "kiln/Target/Cpu/Emit.h"

#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace kiln::test {

/// The passes after kiln-cpu-vector-loops, object and link. The error's text, empty if all went
/// well, in `error`.
std::vector<char> compileObject(llvm::StringRef mlir, std::string &error,
                                const cpu::CpuSpec &spec = {}, bool contract = false);

/// A slot of the argument block.
template <typename T> uint64_t slot(T value) {
  uint64_t bits = 0;
  static_assert(sizeof(T) <= 8);
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

/// A loaded kernel of this machine's CPU.
class Kernel {
public:
  explicit Kernel(llvm::StringRef mlir, bool contract = false);
  ~Kernel();
  Kernel(const Kernel &) = delete;

  bool ok() const { return function != nullptr; }
  const std::string &error() const { return message; }
  const KilnKernelInfo &info() const { return *description; }

  /// Runs the programs [begin, end) of the grid.
  int run(std::vector<uint64_t> args, std::array<uint32_t, 3> grid = {1, 1, 1}, uint64_t begin = 0,
          uint64_t end = 1, const KilnServices *services = nullptr) const;

private:
  std::string message;
  void *library = nullptr;
  KilnKernelFn function = nullptr;
  const KilnKernelInfo *description = nullptr;
};

/// This machine's CPU.
cpu::CpuSpec hostCpu();

} // namespace kiln::test

#endif // KILN_UNITTESTS_TARGET_KERNELRUNNER_H
