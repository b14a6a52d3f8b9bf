//===- Sort.cpp - vsort32, vmrgsort4 ---------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   vsort32    dst, scores, indices   each 32 scores, with their indices (u32), as sorted records
//   vmrgsort4  dst, lists             each matrix of lists: its 2 to 4 sorted rows as one sorted
//   row
//
// A record has 8 bytes: the score (f16: and two bytes of 0), then the index. Regions of records
// have the element type of the scores: 2 elements a record for f32, 4 for f16. Greater scores come
// first, NaN last; equal ones (+0 and -0 are) keep their order. A list with an undefined score has
// no defined order: all that is sorted with it becomes undefined.
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Classes.h"
#include "sim/isa/Definedness.h"
#include "sim/isa/Types.h"

#include <algorithm>

namespace kiln::sim {

using machine::Opcode;

namespace {

constexpr int64_t group = 32, recordBytes = 8, indexOffset = 4;

struct Record {
  float score;
  uint64_t bits, shadow; ///< as in memory
  size_t number;         ///< among all that are sorted together
};

/// The score from the low bytes of a record.
float scoreOf(uint64_t bits, Element element) {
  return element == Element::F16 ? fromF16(uint16_t(bits)) : std::bit_cast<float>(uint32_t(bits));
}

/// True if a has to stand before b, whatever their numbers.
bool outranks(const Record &a, const Record &b) {
  return a.score > b.score || (a.score == a.score && b.score != b.score);
}

bool before(const Record &a, const Record &b) {
  return outranks(a, b) || (!outranks(b, a) && a.number < b.number);
}

bool scoreDefined(const Record &record, Element element) {
  const uint64_t mask = element == Element::F16 ? 0xFFFF : 0xFFFFFFFF;
  return (record.shadow & mask) == mask;
}

/// Sorts the records and writes them. (A merge of sorted lists gives the same.)
void emit(Context &context, std::vector<Record> &records, std::byte *data, uint8_t *shadow) {
  const bool defined =
      !context.track || std::all_of(records.begin(), records.end(), [&](const Record &record) {
        return scoreDefined(record, context.element());
      });
  std::sort(records.begin(), records.end(), before);
  for (size_t index = 0; index < records.size(); ++index) {
    std::memcpy(data + index * recordBytes, &records[index].bits, recordBytes);
    const uint64_t known = defined ? records[index].shadow : 0;
    if (context.track)
      std::memcpy(shadow + index * recordBytes, &known, recordBytes);
  }
}

bool claimSort(Context &context, unsigned operands) {
  if (!context.count(operands + 1, 0) || !context.claim(0, Form::Vector, Access::Write))
    return false;
  for (unsigned index = 1; index <= operands; ++index)
    if (!context.claim(index, Form::Vector, Access::Read) || !context.disjoint({index}))
      return false;
  return context.sameElement({1}) && context.supports(context.element());
}

void sort32(Context &context) {
  if (!claimSort(context, 2))
    return;
  const ResolvedRegion &dst = context.region(0), &scores = context.region(1);
  const int64_t bytes = elementBytes(context.element()), words = recordBytes / bytes;
  if (context.element(2) != Element::U32 || context.region(2).size != scores.size)
    return void(context.illegal("operand 2 differs from the scores in its sizes or is not u32"));
  if (scores.size[2] % group != 0 || dst.size[0] != scores.size[0] ||
      dst.size[1] != scores.size[1] || dst.size[2] != scores.size[2] * words)
    return void(context.illegal("rows of " + std::to_string(scores.size[2]) +
                                " scores to rows of " + std::to_string(dst.size[2]) +
                                " elements, expected groups of 32 to as many records"));
  if (!context.begin())
    return;
  const View to = context.views[0], from = context.views[1], numbers = context.views[2];
  std::vector<Record> records(group);
  for (int64_t i = 0; i < scores.size[0]; ++i)
    for (int64_t j = 0; j < scores.size[1]; ++j)
      for (int64_t first = 0; first < scores.size[2]; first += group) {
        auto at = [&](unsigned index) {
          const ResolvedRegion &region = context.region(index);
          return i * region.stride[0] + j * region.stride[1];
        };
        for (int64_t lane = 0; lane < group; ++lane) {
          const int64_t score = at(1) + (first + lane) * bytes;
          const int64_t number = at(2) + (first + lane) * indexOffset;
          Record record{0, 0, ~uint64_t(0), size_t(lane)};
          std::memcpy(&record.bits, from.data + score, size_t(bytes));
          auto *index = reinterpret_cast<std::byte *>(&record.bits) + indexOffset;
          std::memcpy(index, numbers.data + number, indexOffset);
          if (context.track) {
            std::memcpy(&record.shadow, from.shadow + score, size_t(bytes));
            std::memcpy(reinterpret_cast<std::byte *>(&record.shadow) + indexOffset,
                        numbers.shadow + number, indexOffset);
          }
          record.score = scoreOf(record.bits, context.element());
          records[size_t(lane)] = record;
        }
        const int64_t out = at(0) + first * recordBytes;
        emit(context, records, to.data + out, to.shadow + out);
      }
}

/// The records of all lists of one matrix. False: a list is not sorted.
bool readLists(Context &context, int64_t matrix, std::vector<Record> &records) {
  const ResolvedRegion &lists = context.region(1);
  const View from = context.views[1];
  const int64_t length = lists.size[2] * elementBytes(context.element()) / recordBytes;
  records.clear();
  for (int64_t list = 0; list < lists.size[1]; ++list)
    for (int64_t number = 0; number < length; ++number) {
      const int64_t source =
          matrix * lists.stride[0] + list * lists.stride[1] + number * recordBytes;
      Record record{0, 0, ~uint64_t(0), records.size()};
      std::memcpy(&record.bits, from.data + source, recordBytes);
      if (context.track)
        std::memcpy(&record.shadow, from.shadow + source, recordBytes);
      record.score = scoreOf(record.bits, context.element());
      if (number > 0 && outranks(record, records.back()) &&
          scoreDefined(record, context.element()) &&
          scoreDefined(records.back(), context.element()))
        return context.illegal("list " + std::to_string(list) + " is not sorted: record " +
                               std::to_string(number) + " ranks before the one before it");
      records.push_back(record);
    }
  return true;
}

void merge(Context &context) {
  if (!claimSort(context, 1))
    return;
  const ResolvedRegion &dst = context.region(0), &lists = context.region(1);
  const int64_t words = recordBytes / elementBytes(context.element());
  if (lists.size[1] < 2 || lists.size[1] > 4 || lists.size[2] % words != 0 || dst.size[0] != 1 ||
      dst.size[1] != lists.size[0] || dst.size[2] != lists.size[1] * lists.size[2])
    return void(context.illegal("rows of " + std::to_string(dst.size[2]) +
                                " elements, expected 2 to 4 lists of whole records, and a row for "
                                "all of them"));
  std::vector<Record> records;
  for (int64_t i = 0; i < lists.size[0]; ++i)
    if (!readLists(context, i, records))
      return;
  if (!context.begin())
    return;
  const View to = context.views[0];
  for (int64_t i = 0; i < lists.size[0]; ++i) {
    readLists(context, i, records);
    const int64_t out = i * dst.stride[1];
    emit(context, records, to.data + out, to.shadow + out);
  }
}

} // namespace

void vectorSort(Context &context) {
  if (context.instruction.opcode == Opcode::VSort32)
    sort32(context);
  else
    merge(context);
}

} // namespace kiln::sim
