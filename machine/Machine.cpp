//===- Machine.cpp - look-ups in the facts of a chip ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "machine/Machine.h"

namespace kiln::machine {

std::string_view name(Provenance provenance) {
  constexpr std::array<std::string_view, provenanceCount> names = {"published", "fitted", "assumed",
                                                                   "derived"};
  return names[static_cast<size_t>(provenance)];
}

const Path *Machine::path(Memory from, Memory to) const {
  for (const Path &path : paths)
    if (path.from == from && path.to == to)
      return &path;
  return nullptr;
}

bool Machine::supports(Opcode opcode, Element element) const {
  const OpcodeFacts &known = facts(opcode);
  return known.present &&
         (known.elements.contains(element) || known.equalityElements.contains(element));
}

bool Machine::compares(Opcode opcode, Element element, Predicate predicate) const {
  const OpcodeFacts &known = facts(opcode);
  if (!known.present || info(opcode).opClass != OpClass::VCmp)
    return false;
  return known.elements.contains(element) ||
         (predicate == Predicate::EQ && known.equalityElements.contains(element));
}

bool Machine::supportsAtomic(Opcode opcode, Element element, Atomic atomic) const {
  const OpcodeFacts &known = facts(opcode);
  return known.present && known.atomicElements[static_cast<size_t>(atomic)].contains(element);
}

const Conversion *Machine::conversion(Opcode opcode, Element from, Element to) const {
  for (const Conversion &conversion : facts(opcode).conversions)
    if (conversion.from == from && conversion.to == to)
      return &conversion;
  return nullptr;
}

const CubeType *Machine::cubeType(Element from, Element to) const {
  for (const CubeType &type : cube.types)
    if (type.from == from && type.to == to)
      return &type;
  return nullptr;
}

const Constant *Machine::constant(std::string_view path) const {
  for (const Constant &constant : constants)
    if (constant.path == path)
      return &constant;
  return nullptr;
}

} // namespace kiln::machine
