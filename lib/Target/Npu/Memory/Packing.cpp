//===- Packing.cpp - addresses for buffers ---------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Packing.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu::memory {

namespace {

/// Prices of sharing bytes, in units of one avoidable barrier. Only their order matters.
constexpr unsigned kBarrier = 1; ///< nothing orders the vector instructions anyway
constexpr unsigned kFlag = 8;    ///< another pipe has to wait, once per pass of each loop around

constexpr unsigned kVectorOnly = 1u << unsigned(machine::Pipe::V);

/// Whether `buffer` may start where `other` does, although both live in one instruction.
bool mayReplace(const Buffer &buffer, const Buffer &other) {
  return (buffer.begin == other.end && llvm::is_contained(buffer.inPlaceOf, other.alloc)) ||
         (other.begin == buffer.end &&
          llvm::is_contained(other.inPlaceOf, AllocOp(buffer.alloc).getOperation()));
}

unsigned priceOfSharing(const Buffer &a, const Buffer &b) {
  if (a.pipes != kVectorOnly || b.pipes != kVectorOnly)
    return kFlag * (1 + std::max(a.depth, b.depth));
  const Buffer &first = a.begin < b.begin ? a : b, &second = a.begin < b.begin ? b : a;
  return second.firstEpoch > first.lastEpoch || mayReplace(a, b) ? 0 : kBarrier;
}

class Attempt {
public:
  Attempt(ArrayRef<Buffer> buffers, const DenseMap<size_t, uint64_t> &fixed, const Space &space)
      : buffers(buffers), fixed(fixed), space(space) {
    result.addresses.assign(buffers.size(), 0);
    result.fits = true;
    for (auto [index, address] : fixed)
      place(index, address);
  }

  Packed run(ArrayRef<size_t> order, bool priced) {
    for (size_t index : order)
      if (!fixed.count(index))
        place(index, choose(index, priced));
    return std::move(result);
  }

private:
  void place(size_t index, uint64_t address) {
    result.addresses[index] = address;
    result.top = std::max(result.top, address + buffers[index].bytes);
    result.fits &= address + buffers[index].bytes <= space.bytes;
    placed.push_back(index);
  }

  /// The price of an address, nothing if it is taken.
  std::optional<unsigned> price(size_t index, uint64_t address) const {
    unsigned sum = 0;
    const Buffer &buffer = buffers[index];
    for (size_t other : placed) {
      uint64_t start = result.addresses[other];
      if (address >= start + buffers[other].bytes || start >= address + buffer.bytes)
        continue;
      bool replaces = start == address && mayReplace(buffer, buffers[other]);
      if (buffer.livesWith(buffers[other]) && !replaces)
        return std::nullopt;
      sum += priceOfSharing(buffer, buffers[other]);
    }
    return sum;
  }

  uint64_t choose(size_t index, bool priced) const {
    // The start and the end of every other buffer, and the start of the memory.
    SmallVector<uint64_t> candidates{0};
    for (size_t other : placed) {
      candidates.push_back(llvm::alignTo(result.addresses[other], space.alignment));
      candidates.push_back(
          llvm::alignTo(result.addresses[other] + buffers[other].bytes, space.alignment));
    }
    llvm::sort(candidates);
    candidates.erase(llvm::unique(candidates), candidates.end());
    std::optional<std::pair<unsigned, uint64_t>> best;
    for (uint64_t address : candidates) {
      std::optional<unsigned> cost = price(index, address);
      if (!cost)
        continue;
      bool isInside = address + buffers[index].bytes <= space.bytes;
      if (!priced || !isInside)
        *cost = isInside ? 0 : std::numeric_limits<unsigned>::max();
      if (!best || std::pair(*cost, address) < *best)
        best = {*cost, address};
    }
    return best->second; // the end of all others is always free
  }

  ArrayRef<Buffer> buffers;
  const DenseMap<size_t, uint64_t> &fixed;
  const Space &space;
  SmallVector<size_t> placed;
  Packed result;
};

} // namespace

Packed pack(ArrayRef<Buffer> buffers, const DenseMap<size_t, uint64_t> &fixed, const Space &space) {
  SmallVector<size_t> bySize, byTime;
  for (size_t index : llvm::seq(buffers.size()))
    if (buffers[index].isUsed)
      bySize.push_back(index);
  byTime = bySize;
  llvm::sort(bySize, [&](size_t a, size_t b) {
    return buffers[a].bytes != buffers[b].bytes ? buffers[a].bytes > buffers[b].bytes : a < b;
  });
  llvm::sort(byTime, [&](size_t a, size_t b) {
    return buffers[a].begin != buffers[b].begin ? buffers[a].begin < buffers[b].begin : a < b;
  });
  Packed densest;
  for (auto [order, priced] :
       {std::pair(ArrayRef(byTime), true), std::pair(ArrayRef(bySize), true),
        std::pair(ArrayRef(bySize), false), std::pair(ArrayRef(byTime), false)}) {
    Packed packed = Attempt(buffers, fixed, space).run(order, priced);
    if (packed.fits)
      return packed;
    if (densest.addresses.empty() || packed.top < densest.top)
      densest = std::move(packed);
  }
  return densest;
}

SmallVector<size_t> fullestPoint(ArrayRef<Buffer> buffers, uint64_t alignment) {
  SmallVector<size_t> fullest;
  uint64_t most = 0;
  for (const Buffer &point : buffers) {
    if (!point.isUsed)
      continue;
    SmallVector<size_t> alive;
    uint64_t sum = 0;
    for (size_t index : llvm::seq(buffers.size())) {
      const Buffer &buffer = buffers[index];
      if (!buffer.isUsed || buffer.begin > point.begin || buffer.end < point.begin)
        continue;
      alive.push_back(index);
      sum += llvm::alignTo(buffer.bytes, alignment);
    }
    if (sum > most) {
      most = sum;
      fullest = std::move(alive);
    }
  }
  return fullest;
}

} // namespace kiln::npu::memory
