//===- GlobalMemory.h - arguments and workspaces at virtual addresses ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A launch's pointers get virtual addresses that depend on nothing but the launch: blocks in the
// order of the parameters, each at a multiple of 512 bytes, with a wide gap behind it, so that what
// runs over an end meets nothing. A block is one host range, or several that overlap: those keep
// their distances. (A block of several begins at its host start modulo 32 beyond the multiple of
// 512, which keeps what a specialisation knows of its members' alignment.)
//
// Accesses are judged by spans: the true extent of an argument, or one core's part of a workspace.
// An access has to lie in one span of its block.
//
// Host arguments are defined until something undefined is stored there; only then a block gets a
// shadow. Workspaces have one from the start.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_MEM_GLOBALMEMORY_H
#define KILN_SIM_MEM_GLOBALMEMORY_H

#include "sim/Simulator.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kiln::sim {

/// What an access is judged by.
struct GlobalSpan {
  uint64_t address = 0, bytes = 0;
  bool readOnly = false;
  std::string name; ///< "argument 'x'", "workspace 0 of core 3"
};

/// Bytes that stand together in host memory.
struct GlobalBlock {
  uint64_t address = 0, bytes = 0;
  std::byte *data = nullptr;         ///< null in timing-only runs
  std::unique_ptr<uint8_t[]> shadow; ///< none: all is defined
  std::vector<GlobalSpan> spans;
  bool workspace = false;

  bool contains(uint64_t low, uint64_t high) const {
    return low >= address && high <= address + bytes;
  }
  /// The span that holds [low, high) and, for a write, may be written; null if there is none.
  const GlobalSpan *span(uint64_t low, uint64_t high, bool write) const;
  /// The shadow, made now if there is none yet.
  uint8_t *needShadow();
};

class GlobalMemory {
public:
  /// `bindings`: one per parameter of the image. `cores` parts of each workspace are made, with
  /// memory of their own unless `values` is false.
  GlobalMemory(const image::Image &image, std::span<const Binding> bindings, unsigned cores,
               bool values = true);

  /// The virtual address of a pointer parameter; 0 for a null pointer.
  uint64_t argument(unsigned parameter) const { return arguments[parameter]; }
  /// The virtual address of one core's part of a workspace.
  uint64_t workspace(unsigned index, unsigned core) const {
    return workspaces[index].address + core * workspaces[index].pitch;
  }

  /// The block in which the byte at this address lies; null if there is none.
  GlobalBlock *find(uint64_t address);

  /// Why [low, high) is not accessible, for people.
  std::string explain(uint64_t low, uint64_t high, bool write);

  /// All blocks, by address.
  std::span<GlobalBlock> all() { return blocks; }

private:
  struct WorkspacePlace {
    uint64_t address = 0, pitch = 0;
  };

  void bindArguments(const image::Image &image, std::span<const Binding> bindings);
  uint64_t place(uint64_t bytes);

  uint64_t next = uint64_t(1) << 36; ///< where the next block goes
  std::vector<GlobalBlock> blocks;
  std::vector<uint64_t> arguments;
  std::vector<WorkspacePlace> workspaces;
  std::vector<std::unique_ptr<std::byte[]>> owned;
};

} // namespace kiln::sim

#endif // KILN_SIM_MEM_GLOBALMEMORY_H
