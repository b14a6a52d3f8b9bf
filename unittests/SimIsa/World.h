//===- World.h - one vector core and two arguments, for tests --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_UNITTESTS_SIMISA_WORLD_H
#define KILN_UNITTESTS_SIMISA_WORLD_H

#include "Reference.h"

#include "machine/MachineFile.h"
#include "sim/isa/Execute.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

namespace kiln::sim::test {

using machine::Memory;
using machine::Opcode;
using Sizes = std::vector<int64_t>;

/// A region, its dimensions right-aligned. Strides that are not given: rows that begin at 32-byte
/// blocks.
inline ResolvedRegion region(Memory memory, Element element, uint64_t address, Sizes sizes,
                             Sizes strides = {}) {
  ResolvedRegion result;
  result.memory = memory;
  result.element = element;
  result.address = address;
  int64_t stride = machine::bits(element) / 8;
  for (size_t n = 0; n < sizes.size(); ++n) {
    const size_t from = sizes.size() - 1 - n, to = 2 - n;
    result.size[to] = sizes[from];
    result.stride[to] = strides.empty() ? stride : strides[from];
    stride = int64_t(uint64_t(stride) * uint64_t(sizes[from])); // sizes may be absurd
    if (n == 0)
      stride = int64_t((uint64_t(stride) + 31) / 32 * 32);
  }
  return result;
}

inline ResolvedRegion ub(Element element, uint64_t address, Sizes sizes, Sizes strides = {}) {
  return region(Memory::UB, element, address, std::move(sizes), std::move(strides));
}

/// Byte offsets of all elements from the region's address, in the order of visiting.
inline std::vector<int64_t> offsets(const ResolvedRegion &r) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < r.size[0]; ++i)
    for (int64_t j = 0; j < r.size[1]; ++j)
      for (int64_t k = 0; k < r.size[2]; ++k)
        result.push_back(i * r.stride[0] + j * r.stride[1] + k * r.stride[2]);
  return result;
}

class World {
public:
  /// Arguments x and y (read-only: z) of 256 KiB each and a workspace; one AIV.
  explicit World(bool track = true) : track(track), machine(*machine::stockMachine("ascend910b")) {
    for (const char *name : {"x", "y", "z"})
      image.parameters.push_back({name, true, Element::F32, name[0] != 'z'});
    image.workspaces.push_back({4096});
    for (auto &bytes : hosts)
      bytes.resize(argumentBytes);
    std::vector<Binding> bindings;
    for (auto &bytes : hosts)
      bindings.push_back({bytes.data(), bytes.size(), bindings.size() == 2});
    global.emplace(image, bindings, 2);
    memories.emplace(*machine, machine::Core::AIV, *global);
  }

  static constexpr uint64_t argumentBytes = 1 << 18;
  const bool track;
  machine::MachineRef machine;
  image::Image image;
  std::array<std::vector<std::byte>, 3> hosts;
  std::optional<GlobalMemory> global;
  std::optional<Memories> memories;
  Outcome outcome;
  std::mt19937_64 random{12345};

  uint64_t argument(unsigned index) const { return global->argument(index); }
  std::byte *ubData() { return memories->local(Memory::UB)->data(); }
  uint8_t *ubShadow() { return memories->local(Memory::UB)->shadow(); }

  const Outcome &run(Opcode opcode, std::vector<ResolvedRegion> regions,
                     std::vector<uint64_t> scalars = {}, uint8_t attribute = 0) {
    prepare(opcode, regions, scalars, attribute);
    execute(resolved, *memories, track, outcome);
    return outcome;
  }
  const Outcome &touchesOf(Opcode opcode, std::vector<ResolvedRegion> regions,
                           std::vector<uint64_t> scalars = {}, uint8_t attribute = 0) {
    prepare(opcode, regions, scalars, attribute);
    touches(resolved, *memories, outcome);
    return outcome;
  }

  uint64_t bitsAt(uint64_t address, Element element) {
    uint64_t bits = 0;
    std::memcpy(&bits, ubData() + address, machine::bits(element) / 8);
    return bits;
  }
  /// Writes an element and marks it as defined.
  void put(uint64_t address, Element element, uint64_t bits) {
    std::memcpy(ubData() + address, &bits, machine::bits(element) / 8);
    std::memset(ubShadow() + address, definedShadow, machine::bits(element) / 8);
  }
  /// Random elements; returns them in the order of visiting.
  std::vector<uint64_t> fill(const ResolvedRegion &r) {
    for (int64_t offset : offsets(r))
      put(r.address + uint64_t(offset), r.element, randomBits(r.element, random));
    return read(r);
  }
  std::vector<uint64_t> read(const ResolvedRegion &r) {
    std::vector<uint64_t> result;
    for (int64_t offset : offsets(r))
      result.push_back(bitsAt(r.address + uint64_t(offset), r.element));
    return result;
  }
  bool defined(const ResolvedRegion &r) {
    for (int64_t offset : offsets(r))
      for (unsigned byte = 0; byte < machine::bits(r.element) / 8; ++byte)
        if (ubShadow()[r.address + uint64_t(offset) + byte] != definedShadow)
          return false;
    return true;
  }

private:
  void prepare(Opcode opcode, const std::vector<ResolvedRegion> &regions,
               const std::vector<uint64_t> &scalars, uint8_t attribute) {
    instruction = {};
    instruction.opcode = opcode;
    instruction.attribute = attribute;
    instruction.operands.resize(scalars.size());
    instruction.regions.resize(regions.size());
    resolved = {};
    resolved.instruction = &instruction;
    resolved.regionCount = uint8_t(regions.size());
    for (size_t n = 0; n < regions.size(); ++n)
      resolved.regions[n] = regions[n];
    for (size_t n = 0; n < scalars.size(); ++n)
      resolved.scalars[n] = scalars[n];
  }

  image::Instruction instruction;
  Resolved resolved;
};

/// The element types of an opcode in the chip's table.
inline std::vector<Element> elementsOf(const World &world, Opcode opcode) {
  std::vector<Element> result;
  for (unsigned n = 0; n < machine::elementCount; ++n)
    if (world.machine->supports(opcode, static_cast<Element>(n)))
      result.push_back(static_cast<Element>(n));
  return result;
}

/// Shapes that end within blocks, repeats and chunks of the kernels.
inline const std::vector<Sizes> shapes = {{1},    {7},     {64},      {257},
                                          {3, 5}, {4, 16}, {2, 3, 9}, {2, 2, 67}};

} // namespace kiln::sim::test

#endif // KILN_UNITTESTS_SIMISA_WORLD_H
