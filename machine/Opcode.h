//===- Opcode.h - instructions, pipes, cores and memories of the NPU -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// An AI core is one cube core (AIC) and two vector cores (AIV). Each has a scalar unit (pipe S)
// that issues instructions to pipes; a pipe runs its instructions in order and asynchronously to
// all other pipes.
//
// The numbers of all enumerations here are part of the image format: add at the end.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_MACHINE_OPCODE_H
#define KILN_MACHINE_OPCODE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace kiln::machine {

enum class Core : uint8_t { AIC, AIV };
inline constexpr unsigned coreKinds = 2;

/// S issues and runs scalar code; MTE1 moves L1 to L0, MTE2 global memory inwards, MTE3 outwards;
/// V is the vector unit, M the matrix unit, FIX takes results out of L0C.
enum class Pipe : uint8_t { S, V, M, MTE1, MTE2, MTE3, FIX };
inline constexpr unsigned pipeCount = 7;

enum class Memory : uint8_t { GM, L1, L0A, L0B, L0C, UB, Bias, Fixpipe };
inline constexpr unsigned memoryCount = 8;

/// I1 is a packed bit, eight to a byte, the first in the lowest bit: what comparisons write and
/// selections read. A bool in memory is an 8-bit integer.
enum class Element : uint8_t { I1, I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32 };
inline constexpr unsigned elementCount = 12;

/// Which relation a comparison tests. On floating-point elements all but NE are false if an operand
/// is NaN.
enum class Predicate : uint8_t { EQ, NE, LT, LE, GT, GE };
inline constexpr unsigned predicateCount = 6;

/// How a conversion rounds. None: the conversion is exact (widening). Rint: to nearest, ties to
/// even. Round: to nearest, ties away from zero. Odd: an inexact result gets an odd last bit (von
/// Neumann rounding), so that a second rounding is harmless.
enum class Rounding : uint8_t { None, Rint, Floor, Ceil, Round, Trunc, Odd };
inline constexpr unsigned roundingCount = 7;

/// What a store (None, Add, Max, Min) or a scalar atomic (all but None) does with the old value.
enum class Atomic : uint8_t { None, Add, Max, Min, And, Or, Xor, Exchange, CompareExchange };
inline constexpr unsigned atomicCount = 9;

/// Who takes part in a cross-core flag: all cores of a kind, the two AIVs of an AI core, or an AIC
/// and its AIVs (its set releases both; its wait needs the sets of both).
enum class CrossMode : uint8_t { AllCores, VectorPair, CubeVector };
inline constexpr unsigned crossModeCount = 3;

/// Which operands an instruction has.
enum class OpClass : uint8_t {
  Load,
  Store,
  Copy,
  Extract,
  Fixpipe,
  Mmad,
  VBinary,
  VUnary,
  VScalar,
  VTernary,
  VCmp,
  VSel,
  VCast,
  VReduce,
  VBroadcast,
  VFill,
  VGather,
  VGatherMask,
  VShape,
  VSort,
  SMemory,
  SAtomic,
  Flag,
  Barrier,
  CrossFlag,
  SyncAll,
};
inline constexpr unsigned opClassCount = 26;

enum class Opcode : uint16_t {
#define KILN_OPCODE(NAME, mnemonic, opClass, pipe, cores) NAME,
#include "machine/Opcode.def"
};
inline constexpr unsigned opcodeCount = 0
#define KILN_OPCODE(NAME, mnemonic, opClass, pipe, cores) +1
#include "machine/Opcode.def"
    ;

struct OpcodeInfo {
  Opcode opcode;
  std::string_view mnemonic;
  OpClass opClass;
  std::optional<Pipe> pipe; ///< none where the memory path or an operand decides
  bool onAIC, onAIV;
};

const OpcodeInfo &info(Opcode opcode);

/// True if the instruction runs on a core of this kind.
bool runsOn(Opcode opcode, Core core);

std::string_view name(Opcode opcode);
std::string_view name(Core core);
std::string_view name(Pipe pipe);
std::string_view name(Memory memory);
std::string_view name(Element element);
std::string_view name(Predicate predicate);
std::string_view name(Rounding rounding);
std::string_view name(Atomic atomic);
std::string_view name(CrossMode mode);
std::string_view name(OpClass opClass);

unsigned bits(Element element);
bool isFloat(Element element);
/// True for signed integers; false for unsigned ones, bits and floating-point elements.
bool isSignedInteger(Element element);

/// The reverse of name(): none if nothing has this name. Names are exact.
std::optional<Opcode> opcodeByName(std::string_view mnemonic);
std::optional<Core> coreByName(std::string_view name);
std::optional<Pipe> pipeByName(std::string_view name);
std::optional<Memory> memoryByName(std::string_view name);
std::optional<Element> elementByName(std::string_view name);
std::optional<Predicate> predicateByName(std::string_view name);
std::optional<Rounding> roundingByName(std::string_view name);
std::optional<Atomic> atomicByName(std::string_view name);
std::optional<CrossMode> crossModeByName(std::string_view name);

} // namespace kiln::machine

#endif // KILN_MACHINE_OPCODE_H
