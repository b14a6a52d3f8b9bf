//===- Specialization.cpp - from arguments to facts, key and slots -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/launch/Specialization.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace kiln::runtime {
namespace {

using Kind = Argument::Kind;
using Fact = Specialization::Fact;

constexpr size_t maxPointers = 255; // alias sets are bytes

bool divisibleBy16(uint64_t value) { return (value & 15) == 0; }

/// The bits of an integer or a bool, sign-extended.
uint64_t bitsOf(const Argument &argument) {
  return argument.kind == Kind::Signed ? static_cast<uint64_t>(argument.signedValue)
                                       : argument.unsignedValue;
}

DType defaultType(const Argument &argument) {
  switch (argument.kind) {
  case Kind::Bool:
    return DType::I1;
  case Kind::Float:
    return DType::F32;
  case Kind::Unsigned:
    return DType::U64;
  default:
    return argument.signedValue >= INT32_MIN && argument.signedValue <= INT32_MAX ? DType::I32
                                                                                  : DType::I64;
  }
}

std::string valueText(const Argument &argument) {
  switch (argument.kind) {
  case Kind::Bool:
    return argument.unsignedValue ? "True" : "False";
  case Kind::Float: {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, argument.floatValue).ptr};
  }
  case Kind::Unsigned:
    return std::to_string(argument.unsignedValue);
  default:
    return std::to_string(argument.signedValue);
  }
}

/// Rounds to 16 bits with `mantissaBits` of mantissa and `maxExponent` as the bias, to nearest
/// even, from a double at once: going through f32 would round twice.
uint16_t roundToHalf(double value, int mantissaBits, int bias) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  int exponentBits = 15 - mantissaBits;
  uint16_t infinity = static_cast<uint16_t>(((1 << exponentBits) - 1) << mantissaBits);
  if (std::isnan(value))
    return static_cast<uint16_t>(sign | infinity | 1 << (mantissaBits - 1));
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | infinity;
  if (magnitude == 0)
    return sign;
  int exponent = std::max(std::ilogb(magnitude), 1 - bias); // subnormals share the lowest one
  // Exact: a power of two times a double, well inside its range; then one rounding.
  double scaled = std::nearbyint(std::ldexp(magnitude, mantissaBits - exponent));
  auto mantissa = static_cast<uint64_t>(scaled);
  // A carry out of the mantissa raises the exponent by itself, up to infinity.
  uint64_t bits = (static_cast<uint64_t>(exponent + bias - 1) << mantissaBits) + mantissa;
  return static_cast<uint16_t>(sign | std::min<uint64_t>(bits, infinity));
}

uint64_t floatBits(double value, DType type) {
  switch (type) {
  case DType::F16:
    return roundToHalf(value, 10, 15);
  case DType::BF16:
    return roundToHalf(value, 7, 127);
  case DType::F32:
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  default:
    return std::bit_cast<uint64_t>(value);
  }
}

/// The slot of an integer in an integer type; nothing if it does not fit.
std::optional<uint64_t> integerBits(const Argument &argument, const DTypeInfo &type) {
  uint64_t bits = bitsOf(argument);
  bool isSigned = type.kind == DTypeKind::Signed;
  if (argument.kind == Kind::Signed && argument.signedValue < 0) {
    int64_t lowest = -1 - (INT64_MAX >> (64 - type.bits));
    return isSigned && argument.signedValue >= lowest ? std::optional(bits) : std::nullopt;
  }
  uint64_t highest = UINT64_MAX >> (64 - type.bits + isSigned);
  return bits <= highest ? std::optional(bits) : std::nullopt;
}

Error parameterError(ErrorKind kind, const Parameter &parameter, std::string found,
                     std::string expected) {
  return makeError(kind, "argument '" + parameter.name + "'", std::move(found),
                   std::move(expected));
}

/// The slot of a scalar, whose type is in `fact`.
Result<uint64_t> scalarSlot(const Parameter &parameter, const Argument &argument,
                            const Fact &fact) {
  const DTypeInfo &type = info(fact.type);
  if (type.kind == DTypeKind::Float) {
    switch (argument.kind) {
    case Kind::Float:
      return floatBits(argument.floatValue, fact.type);
    case Kind::Signed:
      return floatBits(static_cast<double>(argument.signedValue), fact.type);
    default: // Unsigned, Bool
      return floatBits(static_cast<double>(argument.unsignedValue), fact.type);
    }
  }
  if (argument.kind == Kind::Float)
    return parameterError(ErrorKind::Type, parameter, "is the float " + valueText(argument),
                          "an integer of type " + std::string(type.name));
  if (std::optional<uint64_t> bits = integerBits(argument, type))
    return *bits;
  return parameterError(ErrorKind::Invalid, parameter, "has the value " + valueText(argument),
                        "a value of type " + std::string(type.name));
}

/// A byte of the key says kind, type and divisibility of one argument.
char keyByte(const Fact &fact) {
  return static_cast<char>(static_cast<uint8_t>(fact.kind) | static_cast<uint8_t>(fact.type) << 3 |
                           (fact.divisibleBy16 ? 0x80 : 0));
}

void appendLength(std::string &key, size_t length) {
  auto size = static_cast<uint32_t>(length);
  key.append(reinterpret_cast<const char *>(&size), sizeof size);
}

struct Span {
  uint64_t begin, end;
  uint32_t argument; ///< its index
};

/// Gives the pointers of `facts` their alias sets, numbered in the order of the arguments, and
/// returns the bytes that all arrays of known size cover together.
uint64_t partition(std::span<const Argument> arguments, std::span<Fact> facts) {
  Span spans[maxPointers];
  size_t count = 0;
  for (uint32_t i = 0; i < arguments.size(); ++i)
    if (facts[i].kind == Fact::Kind::Pointer)
      spans[count++] = {arguments[i].begin, arguments[i].end, i};
  // Insertion sort: there are few, and often they are in order.
  for (size_t i = 1; i < count; ++i)
    for (size_t j = i; j > 0 && spans[j].begin < spans[j - 1].begin; --j)
      std::swap(spans[j], spans[j - 1]);

  // A sweep from low to high: an array that begins before the end of those before it overlaps one
  // of them.
  uint64_t covered = 0, begin = 0, end = 0;
  uint8_t groups = 0, current = 0;
  uint8_t groupOf[maxPointers]; // by position in `spans`
  auto close = [&] {
    if (!(begin == 0 && end == UINT64_MAX)) // of unknown size
      covered += end - begin;
  };
  for (size_t i = 0; i < count; ++i) {
    const Span &span = spans[i];
    if (span.begin >= span.end) { // empty: overlaps nothing
      groupOf[i] = groups++;
    } else if (span.begin < end) {
      groupOf[i] = current;
      end = std::max(end, span.end);
    } else {
      close();
      begin = span.begin;
      end = span.end;
      groupOf[i] = current = groups++;
    }
  }
  close();

  // Number the groups in the order of the arguments, so that equal partitions have equal keys.
  uint8_t numbers[maxPointers];
  std::memset(numbers, 0xff, count);
  uint8_t next = 0;
  for (uint32_t argument = 0; argument < arguments.size(); ++argument) {
    if (facts[argument].kind != Fact::Kind::Pointer)
      continue;
    for (size_t i = 0; i < count; ++i)
      if (spans[i].argument == argument) {
        uint8_t &number = numbers[groupOf[i]];
        if (number == 0xff)
          number = next++;
        facts[argument].aliasSet = number;
        break;
      }
  }
  return covered;
}

} // namespace

Argument Argument::pointer(DType element, uint64_t address, uint64_t begin, uint64_t end,
                           bool readOnly) {
  Argument result;
  result.kind = Kind::Pointer;
  result.element = element;
  result.readOnly = readOnly;
  result.address = address;
  result.begin = begin;
  result.end = end;
  return result;
}

Argument Argument::pointerOfUnknownSpan(DType element, uint64_t address) {
  return pointer(element, address, 0, UINT64_MAX);
}

Argument Argument::integer(int64_t value) {
  Argument result;
  result.kind = Kind::Signed;
  result.signedValue = value;
  return result;
}

Argument Argument::integer(uint64_t value) {
  if (value <= INT64_MAX)
    return integer(static_cast<int64_t>(value));
  Argument result;
  result.kind = Kind::Unsigned;
  result.unsignedValue = value;
  return result;
}

Argument Argument::boolean(bool value) {
  Argument result;
  result.kind = Kind::Bool;
  result.unsignedValue = value;
  return result;
}

Argument Argument::floating(double value) {
  Argument result;
  result.kind = Kind::Float;
  result.floatValue = value;
  return result;
}

Argument Argument::constant(std::string_view text) {
  Argument result;
  result.kind = Kind::Constexpr;
  result.text = text;
  return result;
}

Error integerOutOfRange(std::string_view parameter, std::string_view text) {
  return makeError(ErrorKind::Invalid, "argument '" + std::string(parameter) + "'",
                   "has the value " + std::string(text), "an integer from -2^63 to 2^64 - 1");
}

Result<void> specialize(const Signature &signature, std::span<const Argument> arguments,
                        std::string_view options, uint64_t cacheBytes, Specialization &result) {
  const std::vector<Parameter> &parameters = signature.parameters;
  if (arguments.size() != parameters.size())
    return makeError(ErrorKind::Invalid, "launch",
                     "got " + std::to_string(arguments.size()) + " arguments",
                     std::to_string(parameters.size()));
  std::vector<Fact> &facts = result.factList;
  std::vector<uint64_t> &slots = result.slotList;
  facts.assign(arguments.size(), Fact());
  slots.clear();
  result.spanList.clear();
  size_t pointers = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Parameter &parameter = parameters[i];
    const Argument &argument = arguments[i];
    Fact &fact = facts[i];
    if (parameter.isConstexpr != (argument.kind == Kind::Constexpr))
      return parameterError(ErrorKind::Type, parameter,
                            parameter.isConstexpr ? "is no constant" : "is a constant",
                            parameter.isConstexpr ? "a constexpr" : "a run-time value");
    bool aligns = !parameter.doNotSpecialize && !parameter.doNotSpecializeOnAlignment;
    switch (argument.kind) {
    case Kind::None:
      continue;
    case Kind::Constexpr:
      fact.kind = Fact::Kind::Constexpr;
      fact.text = argument.text;
      continue;
    case Kind::Pointer:
      if (parameter.scalarType)
        return parameterError(ErrorKind::Type, parameter,
                              "is an array of " + std::string(info(argument.element).name),
                              "a value of type " + std::string(info(*parameter.scalarType).name));
      if (++pointers > maxPointers)
        return makeError(ErrorKind::Invalid, "launch",
                         "has more than " + std::to_string(maxPointers) + " arrays");
      fact.kind = Fact::Kind::Pointer;
      fact.type = argument.element;
      fact.divisibleBy16 = aligns && divisibleBy16(argument.address);
      fact.readOnly = argument.readOnly;
      slots.push_back(argument.address);
      result.spanList.push_back(
          argument.end == UINT64_MAX ? ArgumentSpan() : ArgumentSpan{argument.begin, argument.end});
      continue;
    case Kind::Signed:
    case Kind::Unsigned:
    case Kind::Bool:
    case Kind::Float:
      fact.kind = Fact::Kind::Scalar;
      fact.type = parameter.scalarType.value_or(defaultType(argument));
      Result<uint64_t> slot = scalarSlot(parameter, argument, fact);
      if (!slot)
        return slot.takeError();
      slots.push_back(*slot);
      result.spanList.emplace_back();
      DTypeKind kind = info(fact.type).kind;
      if (kind == DTypeKind::Signed || kind == DTypeKind::Unsigned) {
        if (!parameter.doNotSpecialize && *slot == 1)
          fact.kind = Fact::Kind::One;
        fact.divisibleBy16 = aligns && divisibleBy16(*slot);
      }
      continue;
    }
  }
  uint64_t bytes = pointers ? partition(arguments, facts) : 0;
  result.streamingArrays = cacheBytes && bytes / streamingCacheMultiple > cacheBytes;

  std::string &key = result.keyBytes;
  key.clear();
  for (const Fact &fact : facts) {
    key += keyByte(fact);
    if (fact.kind == Fact::Kind::Pointer)
      key += static_cast<char>(fact.aliasSet);
    if (fact.kind == Fact::Kind::Constexpr) {
      appendLength(key, fact.text.size());
      key += fact.text;
    }
  }
  key += result.streamingArrays ? '\1' : '\0';
  key += options;
  return {};
}

std::string Specialization::signatureJson() const {
  std::string json = "[";
  for (const Fact &fact : factList) {
    if (json.size() > 1)
      json += ',';
    std::string type(info(fact.type).name);
    switch (fact.kind) {
    case Fact::Kind::None:
      json += R"({"kind":"none"})";
      continue;
    case Fact::Kind::Constexpr:
      json += R"({"kind":"constexpr","value":)";
      json += fact.text;
      json += "}";
      continue;
    case Fact::Kind::One:
      json += R"({"kind":"one","type":")" + type + R"("})";
      continue;
    case Fact::Kind::Scalar:
    case Fact::Kind::Pointer:
      bool pointer = fact.kind == Fact::Kind::Pointer;
      json += R"({"kind":"arg","type":")" + (pointer ? "*" + type : type) + '"';
      if (fact.divisibleBy16)
        json += R"(,"divisibility":16)";
      if (pointer)
        json += R"(,"alias_set":)" + std::to_string(fact.aliasSet);
      json += "}";
      continue;
    }
  }
  return json + "]";
}

Result<void> checkReadOnly(const Signature &signature, const Specialization &specialization,
                           const std::vector<bool> &writes) {
  size_t slot = 0;
  std::span<const Specialization::Fact> facts = specialization.facts();
  for (size_t i = 0; i < facts.size(); ++i) {
    if (facts[i].kind == Fact::Kind::None || facts[i].kind == Fact::Kind::Constexpr)
      continue;
    if (facts[i].readOnly && slot < writes.size() && writes[slot])
      return parameterError(ErrorKind::Invalid, signature.parameters[i],
                            "is a read-only array, and the kernel writes to it",
                            "a writable array");
    ++slot;
  }
  return {};
}

} // namespace kiln::runtime
