//===- GlobalMemory.cpp - arguments and workspaces at virtual addresses ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/mem/GlobalMemory.h"

#include "sim/mem/LocalMemory.h"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstring>
#include <numeric>

namespace kiln::sim {

namespace {

constexpr uint64_t blockAlignment = 512;
constexpr uint64_t groupAlignment = 32;
constexpr uint64_t guardBytes = uint64_t(1) << 30;

uint64_t roundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

uintptr_t hostStart(const Binding &binding) { return reinterpret_cast<uintptr_t>(binding.data); }

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

} // namespace

const GlobalSpan *GlobalBlock::span(uint64_t low, uint64_t high, bool write) const {
  for (const GlobalSpan &candidate : spans)
    if (low >= candidate.address && high <= candidate.address + candidate.bytes &&
        !(write && candidate.readOnly))
      return &candidate;
  return nullptr;
}

uint8_t *GlobalBlock::needShadow() {
  if (!shadow) {
    shadow = std::make_unique_for_overwrite<uint8_t[]>(bytes);
    std::memset(shadow.get(), definedShadow, bytes);
  }
  return shadow.get();
}

GlobalMemory::GlobalMemory(const image::Image &image, std::span<const Binding> bindings,
                           unsigned cores, bool values) {
  assert(bindings.size() == image.parameters.size() && "one binding per parameter");
  bindArguments(image, bindings);
  for (size_t index = 0; index < image.workspaces.size(); ++index) {
    const uint64_t bytes = image.workspaces[index].bytesPerCore;
    const uint64_t pitch = roundUp(bytes, blockAlignment);
    GlobalBlock block;
    block.bytes = pitch * cores;
    block.address = place(block.bytes);
    block.workspace = true;
    if (values) {
      owned.push_back(std::make_unique_for_overwrite<std::byte[]>(block.bytes));
      block.data = owned.back().get();
      std::memset(block.data, poison, block.bytes);
      block.shadow = std::make_unique<uint8_t[]>(block.bytes);
    }
    for (unsigned core = 0; core < cores; ++core)
      block.spans.push_back(
          {block.address + core * pitch, bytes, false,
           "workspace " + std::to_string(index) + " of core " + std::to_string(core)});
    workspaces.push_back({block.address, pitch});
    blocks.push_back(std::move(block));
  }
}

void GlobalMemory::bindArguments(const image::Image &image, std::span<const Binding> bindings) {
  const size_t count = bindings.size();
  arguments.assign(count, 0);
  auto isPointer = [&](size_t index) {
    return image.parameters[index].isPointer && bindings[index].bytes != 0;
  };

  // Sweep over the host ranges by their starts: a group ends where none of its members reaches on.
  std::vector<size_t> order;
  for (size_t index = 0; index < count; ++index)
    if (isPointer(index) && bindings[index].data)
      order.push_back(index);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(hostStart(bindings[a]), a) < std::pair(hostStart(bindings[b]), b);
  });
  std::vector<size_t> group(count);
  std::iota(group.begin(), group.end(), size_t(0));
  struct HostRange {
    uintptr_t start = 0, end = 0;
    unsigned members = 0;
  };
  std::vector<HostRange> ranges(count);
  size_t current = count;
  for (size_t index : order) {
    const uintptr_t start = hostStart(bindings[index]), end = start + bindings[index].bytes;
    if (current == count || start >= ranges[current].end) {
      current = index;
      ranges[current].start = start;
    }
    group[index] = current;
    ranges[current].end = std::max(ranges[current].end, end);
    ++ranges[current].members;
  }

  std::vector<size_t> blockOf(count, SIZE_MAX);
  for (size_t index = 0; index < count; ++index) {
    if (!isPointer(index))
      continue;
    const Binding &binding = bindings[index];
    const size_t leader = group[index];
    const HostRange range = binding.data ? ranges[leader] : HostRange{0, binding.bytes, 1};
    if (blockOf[leader] == SIZE_MAX) {
      const uint64_t shift = range.members > 1 ? range.start % groupAlignment : 0;
      GlobalBlock block;
      block.bytes = range.end - range.start;
      block.address = place(block.bytes + shift) + shift;
      block.data = binding.data ? reinterpret_cast<std::byte *>(range.start) : nullptr;
      blockOf[leader] = blocks.size();
      blocks.push_back(std::move(block));
    }
    GlobalBlock &block = blocks[blockOf[leader]];
    arguments[index] = block.address + (hostStart(binding) - range.start);
    block.spans.push_back({arguments[index], binding.bytes, binding.readOnly,
                           "argument '" + image.parameters[index].name + "'"});
  }
}

uint64_t GlobalMemory::place(uint64_t bytes) {
  const uint64_t address = next;
  next = roundUp(next + bytes + guardBytes, blockAlignment);
  return address;
}

GlobalBlock *GlobalMemory::find(uint64_t address) {
  auto after = std::upper_bound(
      blocks.begin(), blocks.end(), address,
      [](uint64_t value, const GlobalBlock &block) { return value < block.address; });
  if (after == blocks.begin())
    return nullptr;
  GlobalBlock &block = *std::prev(after);
  return address < block.address + block.bytes ? &block : nullptr;
}

std::string GlobalMemory::explain(uint64_t low, uint64_t high, bool write) {
  // The span nearest below (or else above): what the program meant, most likely.
  const GlobalSpan *nearest = nullptr;
  for (const GlobalBlock &block : blocks)
    for (const GlobalSpan &span : block.spans) {
      if (write && low >= span.address && high <= span.address + span.bytes)
        return "a write to " + span.name + ", which is read-only";
      if (low + guardBytes / 2 >= span.address && low < span.address + span.bytes + guardBytes / 2)
        if (!nearest || (span.address <= low && span.address >= nearest->address))
          nearest = &span;
    }
  if (!nearest)
    return "global addresses " + hex(low) + " to " + hex(high) + " belong to no argument";
  const int64_t first = int64_t(low - nearest->address), last = int64_t(high - nearest->address);
  return "bytes " + std::to_string(first) + " to " + std::to_string(last) + " of " + nearest->name +
         ", expected 0 to " + std::to_string(nearest->bytes) + " at most";
}

} // namespace kiln::sim
