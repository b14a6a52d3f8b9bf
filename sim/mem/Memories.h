//===- Memories.h - all that one core reaches ------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A core's own memories, with the usable size of the machine's description, and the global memory
// that all cores share. Not for several threads at once.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_MEM_MEMORIES_H
#define KILN_SIM_MEM_MEMORIES_H

#include "machine/Machine.h"
#include "sim/mem/GlobalMemory.h"
#include "sim/mem/LocalMemory.h"

#include <array>
#include <optional>

namespace kiln::sim {

class Memories {
public:
  /// All must outlive this.
  Memories(const machine::Machine &machine, machine::Core core, GlobalMemory &global)
      : machine(machine), global(global) {
    using machine::Memory;
    const bool vector = core == machine::Core::AIV;
    for (unsigned index = 0; index < machine::memoryCount; ++index) {
      const auto which = static_cast<Memory>(index);
      if (which != Memory::GM && (which == Memory::UB) == vector)
        locals[index].emplace(machine.memory(which).usableBytes);
    }
  }

  /// The core's own memory of this kind; null if it has none.
  LocalMemory *local(machine::Memory which) {
    std::optional<LocalMemory> &found = locals[static_cast<size_t>(which)];
    return found ? &*found : nullptr;
  }

  /// The block of global memory that holds [low, high); null if no block does.
  GlobalBlock *block(uint64_t low, uint64_t high) {
    for (GlobalBlock *&recent : recents)
      if (recent && recent->contains(low, high))
        return recent;
    GlobalBlock *found = global.find(low);
    if (!found || !found->contains(low, high))
      return nullptr;
    recents[turn++ % recents.size()] = found;
    return found;
  }

  const machine::Machine &machine;
  GlobalMemory &global;

private:
  std::array<std::optional<LocalMemory>, machine::memoryCount> locals;
  std::array<GlobalBlock *, 4> recents{}; ///< programs go round between a few arguments
  unsigned turn = 0;
};

} // namespace kiln::sim

#endif // KILN_SIM_MEM_MEMORIES_H
