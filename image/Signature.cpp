//===- Signature.cpp - which operands an instruction of an image has -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "image/Signature.h"

#include <array>

namespace kiln::image {

using machine::Atomic;
using machine::Element;
using machine::OpClass;
using machine::Opcode;

namespace {

using Kind = AttributeKind;

/// In the order of OpClass.
constexpr std::array<Signature, machine::opClassCount> classes = {{
    /*Load*/ {.regions = 2},
    /*Store*/ {.regions = 2, .attribute = Kind::Store},
    /*Copy*/ {.regions = 2},
    /*Extract*/ {.regions = 2},
    /*Fixpipe*/ {.encoded = false},
    /*Mmad*/ {.encoded = false},
    /*VBinary*/ {.regions = 3},
    /*VUnary*/ {.regions = 2},
    /*VScalar*/ {.regions = 2, .operands = 1},
    /*VTernary*/ {.regions = 3},
    /*VCmp*/ {.regions = 3, .attribute = Kind::Predicate, .maskRegion = 0},
    /*VSel*/ {.regions = 4, .maskRegion = 1},
    /*VCast*/ {.regions = 2, .attribute = Kind::Rounding, .sameElement = false},
    /*VReduce*/ {.regions = 2},
    /*VBroadcast*/ {.regions = 2},
    /*VFill*/ {.regions = 1, .operands = 1},
    /*VGather*/ {.regions = 3, .wordsRegion = 1},
    /*VGatherMask*/ {.regions = 3, .maskRegion = 1},
    /*VShape*/ {.regions = 2},
    /*VSort*/ {.regions = 2},
    /*SMemory*/ {.regions = 1},
    /*SAtomic*/ {.regions = 1, .operands = 1, .hasResult = true, .attribute = Kind::Atomic},
    /*Flag*/ {.operands = 1, .attribute = Kind::Flag},
    /*Barrier*/ {.attribute = Kind::Barrier},
    /*CrossFlag*/ {.operands = 1, .attribute = Kind::Cross},
    /*SyncAll*/ {},
}};
static_assert(static_cast<unsigned>(OpClass::SyncAll) == classes.size() - 1);

/// The last op of each run of ops with the same types, in the order of ScalarOp.def.
struct TypedRun {
  Op last;
  ScalarTypes types;
};
constexpr TypedRun typedRuns[] = {
    {Op::TrapUnless, ScalarTypes::None},       {Op::Select, ScalarTypes::Any},
    {Op::MaxU, ScalarTypes::Integer},          {Op::CmpU, ScalarTypes::IntegerCompare},
    {Op::FSqrt, ScalarTypes::Float},           {Op::FCmp, ScalarTypes::FloatCompare},
    {Op::ZExt, ScalarTypes::IntegerToInteger}, {Op::UToF, ScalarTypes::IntegerToFloat},
    {Op::FToU, ScalarTypes::FloatToInteger},   {Op::FToF, ScalarTypes::FloatToFloat},
};

} // namespace

ScalarTypes scalarTypes(Op op) {
  for (const TypedRun &run : typedRuns)
    if (op <= run.last)
      return run.types;
  return ScalarTypes::None;
}

Signature signature(Opcode opcode, uint8_t attribute) {
  OpClass opClass = machine::info(opcode).opClass;
  Signature result = classes[static_cast<size_t>(opClass)];
  if (opcode == Opcode::VCmps || opcode == Opcode::VSels) {
    --result.regions;
    ++result.operands;
  }
  if (opcode == Opcode::VSort32) {
    ++result.regions;
    result.wordsRegion = 2;
  }
  if (opcode == Opcode::SLoad)
    result.hasResult = true;
  if (opcode == Opcode::SStore)
    result.operands = 1;
  if (opcode == Opcode::SAtomic && attribute == uint8_t(Atomic::CompareExchange))
    result.operands = 2;
  return result;
}

Signature signature(const Instruction &instruction) {
  if (instruction.op == Op::Tile)
    return signature(instruction.opcode, instruction.attribute);
  const ScalarOpInfo &facts = info(instruction.op);
  ScalarTypes types = scalarTypes(instruction.op);
  bool compares = types == ScalarTypes::IntegerCompare || types == ScalarTypes::FloatCompare;
  return {.operands = uint8_t(facts.operands),
          .hasResult = facts.hasResult,
          .attribute = compares ? Kind::Predicate : Kind::None};
}

bool isValid(AttributeKind kind, uint8_t attribute) {
  auto isPipe = [](unsigned pipe) { return pipe < machine::pipeCount; };
  switch (kind) {
  case Kind::None:
    return attribute == 0;
  case Kind::Predicate:
    return attribute < machine::predicateCount;
  case Kind::Rounding:
    return attribute < machine::roundingCount;
  case Kind::Store:
    return attribute <= uint8_t(Atomic::Min);
  case Kind::Atomic:
    return attribute && attribute < machine::atomicCount;
  case Kind::Flag:
    return isPipe(attribute >> 4) && isPipe(attribute & 15);
  case Kind::Barrier:
    return attribute == allPipes || isPipe(attribute);
  case Kind::Cross:
    return (attribute >> 4) < machine::crossModeCount && isPipe(attribute & 15);
  }
  return false;
}

Element operandElement(const Instruction &instruction) {
  if (instruction.op == Op::Tile)
    return instruction.regions.empty() ? Element::I64 : instruction.regions.back().element;
  switch (scalarTypes(instruction.op)) {
  case ScalarTypes::None:
    return Element::I64;
  case ScalarTypes::IntegerToInteger:
  case ScalarTypes::IntegerToFloat:
  case ScalarTypes::FloatToInteger:
  case ScalarTypes::FloatToFloat:
    return instruction.from;
  default:
    return instruction.element;
  }
}

} // namespace kiln::image
