//===- Execute.cpp - from an instruction to the body of its class ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/isa/Execute.h"

#include "sim/isa/Classes.h"
#include "sim/isa/Operands.h"

namespace kiln::sim {

using machine::OpClass;

namespace {

using Body = void (*)(Context &context);

/// What the cube core adds to the vector core's instructions.
void cube(Context &context) { context.illegal("the cube's instructions are not simulated yet"); }

void notHere(Context &context) {
  context.illegal(std::string(machine::name(context.instruction.opcode)) +
                  " orders pipes, expected an instruction that has values");
}

struct Row {
  OpClass opClass;
  Body body;
};

constexpr Row table[] = {
    {OpClass::Load, load},
    {OpClass::Store, store},
    {OpClass::Copy, copy},
    {OpClass::Extract, cube},
    {OpClass::Fixpipe, cube},
    {OpClass::Mmad, cube},
    {OpClass::VBinary, vectorBinary},
    {OpClass::VUnary, vectorUnary},
    {OpClass::VScalar, vectorScalar},
    {OpClass::VTernary, vectorMulAdd},
    {OpClass::VCmp, vectorCompare},
    {OpClass::VSel, vectorSelect},
    {OpClass::VCast, vectorConvert},
    {OpClass::VReduce, vectorReduce},
    {OpClass::VBroadcast, vectorBroadcast},
    {OpClass::VFill, vectorFill},
    {OpClass::VGather, vectorGather},
    {OpClass::VGatherMask, vectorGatherMask},
    {OpClass::VShape, vectorTranspose},
    {OpClass::VSort, vectorSort},
    {OpClass::SMemory, scalarMemory},
    {OpClass::SAtomic, scalarAtomic},
    {OpClass::Flag, notHere},
    {OpClass::Barrier, notHere},
    {OpClass::CrossFlag, notHere},
    {OpClass::SyncAll, notHere},
};

constexpr bool inOrder() {
  for (unsigned index = 0; index < machine::opClassCount; ++index)
    if (table[index].opClass != static_cast<OpClass>(index))
      return false;
  return true;
}
static_assert(std::size(table) == machine::opClassCount && inOrder(), "one row per class");

void perform(const Resolved &resolved, Memories &memories, bool track, bool run, Outcome &outcome) {
  outcome.clear();
  const image::Instruction &instruction = *resolved.instruction;
  Context context{resolved, instruction, memories, track, run, outcome};
  const OpClass opClass = machine::info(instruction.opcode).opClass;
  // An empty destination (a partial tile that has no rows): nothing happens.
  if (resolved.regionCount > 0 && opClass <= OpClass::VSort)
    for (int64_t size : resolved.regions[0].size)
      if (size <= 0)
        return;
  if (instruction.opcode == machine::Opcode::LoadNz)
    return cube(context);
  table[size_t(opClass)].body(context);
}

} // namespace

void execute(const Resolved &instruction, Memories &memories, bool track, Outcome &outcome) {
  perform(instruction, memories, track, true, outcome);
}

void touches(const Resolved &instruction, Memories &memories, Outcome &outcome) {
  perform(instruction, memories, true, false, outcome);
}

} // namespace kiln::sim
