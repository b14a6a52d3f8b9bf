//===- Operands.h - an instruction's regions, checked and found ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// `Context` is what the body of an instruction class works with. A body has three parts:
//   1. it claims each region with the form that the class demands of it, which checks alignment and
//      bounds and finds the bytes; it checks shapes and picks a kernel;
//   2. `begin()` emits the touches; false means that nothing is to be executed;
//   3. it changes memory, and the shadow if `track`.
// A check that fails leaves a finding in the outcome, and the body returns.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_ISA_OPERANDS_H
#define KILN_SIM_ISA_OPERANDS_H

#include "sim/isa/Execute.h"

#include <array>

namespace kiln::sim {

using machine::Element;

enum class Access : uint8_t {
  Read,
  Write,
  Update,     ///< read and written
  AtomicRead, ///< of a single atomic access
  AtomicUpdate,
};

/// What an instruction demands of a region's alignment and strides.
enum class Form : uint8_t {
  Vector,   ///< rows of adjacent elements, each at a 32-byte block of UB
  Bits,     ///< packed, at a 32-byte block of UB
  Elements, ///< elements anywhere in UB, each aligned to itself: one result or source per row
  Transfer, ///< rows of adjacent elements; in a local memory each at a 32-byte block
  Single,   ///< one element, aligned to itself
};

/// The bytes of a region, at its address.
struct View {
  std::byte *data = nullptr;
  uint8_t *shadow = nullptr;    ///< null: wholly defined
  GlobalBlock *block = nullptr; ///< of GM
};

struct Context {
  const Resolved &resolved;
  const image::Instruction &instruction;
  Memories &memories;
  const bool track; ///< shadows and touches are kept
  const bool run;   ///< memory is to be changed
  Outcome &outcome;
  std::array<View, 4> views{};
  std::array<Access, 4> accesses{};

  const ResolvedRegion &region(unsigned index) const { return resolved.regions[index]; }
  Element element(unsigned index = 0) const { return resolved.regions[index].element; }

  /// Leaves a finding; false, so that a check can return it.
  bool fail(FindingKind kind, std::string text);
  bool illegal(std::string text) { return fail(FindingKind::IllegalInstruction, std::move(text)); }
  /// The kernel table has no entry for the element type.
  bool noKernel(Element element);
  /// The machine's description has the instruction for this element type.
  bool supports(Element element) {
    return memories.machine.supports(instruction.opcode, element) || noKernel(element);
  }

  /// Exactly this many regions and scalars.
  bool count(unsigned regions, unsigned scalars);
  bool claim(unsigned index, Form form, Access access);
  /// These regions have the element type of region 0.
  bool sameElement(std::initializer_list<unsigned> indices);
  /// These regions have the sizes of region 0.
  bool sameShape(std::initializer_list<unsigned> indices);
  /// An operand that shares bytes with the destination has to be the destination itself: the same
  /// region with elements of the same size.
  bool apart(std::initializer_list<unsigned> indices);

  /// No operand of these shares bytes with the destination.
  bool disjoint(std::initializer_list<unsigned> indices);

  /// All checks have passed. True if the body is to change memory. Emits the touches of all
  /// regions, but for those whose bit is set in `own`: which of their bytes count the body finds
  /// out itself.
  bool begin(unsigned own = 0);
};

/// "the destination", "operand 2".
std::string operandName(unsigned index);

/// Bytes of an element; 0 for I1.
inline int64_t elementBytes(Element element) { return machine::bits(element) / 8; }

/// The lowest byte of a region and the one behind the highest, relative to its address.
struct Extent {
  __int128 low = 0, high = 0;
};
Extent extent(const ResolvedRegion &region);

/// The offsets from a region's address of its elements, one after the other in the order of
/// visiting.
class ElementCursor {
public:
  explicit ElementCursor(const ResolvedRegion &region) : region(region) {}
  int64_t next() {
    const int64_t offset =
        index[0] * region.stride[0] + index[1] * region.stride[1] + index[2] * region.stride[2];
    for (unsigned d = 3; d-- > 0 && ++index[d] == region.size[d];)
      index[d] = 0;
    return offset;
  }

private:
  const ResolvedRegion &region;
  std::array<int64_t, 3> index{};
};

/// Appends the runs of a region.
void addTouches(std::vector<Touch> &touches, const ResolvedRegion &region, Access access);

} // namespace kiln::sim

#endif // KILN_SIM_ISA_OPERANDS_H
