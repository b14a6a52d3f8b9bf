//===- Specialization.h - from arguments to facts, key and slots -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A kernel is compiled once per set of facts about its arguments: their types, which addresses and
// integers are divisible by 16, which integers are 1, which pointers may overlap (the alias
// partition), whether the arrays are far larger than the caches, and the values of constexpr
// parameters. `specialize` derives the facts and packs them into a flat key for the table of
// compiled kernels; on the way it makes the argument block of the launch.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_LAUNCH_SPECIALIZATION_H
#define KILN_RUNTIME_LAUNCH_SPECIALIZATION_H

#include "runtime/base/DType.h"
#include "runtime/base/Result.h"
#include "runtime/device/Device.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::runtime {

/// One parameter of a kernel, in the order of its definition.
struct Parameter {
  std::string name;
  bool isConstexpr = false;
  bool doNotSpecialize = false;            ///< no facts about the value but its type
  bool doNotSpecializeOnAlignment = false; ///< no divisibility
  std::optional<DType> scalarType = {};    ///< an annotation that fixes the type of a scalar
};

struct Signature {
  std::vector<Parameter> parameters;
};

/// One argument of a launch. Cheap to make; constexpr text is not copied.
struct Argument {
  enum class Kind : uint8_t { None, Pointer, Signed, Unsigned, Bool, Float, Constexpr };

  Kind kind = Kind::None;
  DType element = DType::I8; ///< Pointer
  bool readOnly = false;     ///< Pointer
  union {
    uint64_t address; ///< Pointer
    int64_t signedValue;
    uint64_t unsignedValue; ///< Unsigned, Bool
    double floatValue;
  };
  uint64_t begin = 0, end = 0; ///< Pointer: the bytes [begin, end) that belong to the array
  std::string_view text;       ///< Constexpr: a value in the JSON form of compile-interface.md

  Argument() : address(0) {}

  static Argument none() { return {}; }
  /// An array whose element 0 is at `address` and whose elements lie in [begin, end).
  static Argument pointer(DType element, uint64_t address, uint64_t begin, uint64_t end,
                          bool readOnly = false);
  /// An address of which nothing else is known: it may overlap everything.
  static Argument pointerOfUnknownSpan(DType element, uint64_t address);
  /// i32 if it fits, else i64.
  static Argument integer(int64_t value);
  /// For values above INT64_MAX: u64. Lower ones are as `integer`.
  static Argument integer(uint64_t value);
  static Argument boolean(bool value);
  /// f32, unless the parameter is annotated with another type.
  static Argument floating(double value);
  /// `text` must outlive the Specialization's use of it.
  static Argument constant(std::string_view text);
};

/// An integer that no type holds; `text` is its decimal text.
Error integerOutOfRange(std::string_view parameter, std::string_view text);

/// The facts of one launch. Make one per thread and use it again: its memory is kept.
class Specialization {
public:
  /// The facts of one argument.
  struct Fact {
    enum class Kind : uint8_t { None, Pointer, Scalar, One, Constexpr };
    Kind kind = Kind::None;
    DType type = DType::I32; ///< of the scalar or of the pointer's element
    bool divisibleBy16 = false;
    uint8_t aliasSet = 0; ///< Pointer
    bool readOnly = false;
    std::string_view text; ///< Constexpr
  };

  std::span<const Fact> facts() const { return factList; }
  /// The argument block: one slot per parameter that is neither constexpr nor None.
  std::span<const uint64_t> slots() const { return slotList; }
  /// The bytes of the array of each slot; empty for scalars and arrays of unknown size.
  std::span<const ArgumentSpan> spans() const { return spanList; }
  bool streaming() const { return streamingArrays; }
  /// Equal keys = the same compiled kernel. Not text; only for one process.
  std::string_view key() const { return keyBytes; }
  /// The entry "signature" of the request: a JSON list.
  std::string signatureJson() const;

private:
  friend Result<void> specialize(const Signature &, std::span<const Argument>, std::string_view,
                                 uint64_t, Specialization &);
  std::vector<Fact> factList;
  std::vector<uint64_t> slotList;
  std::vector<ArgumentSpan> spanList;
  std::string keyBytes;
  bool streamingArrays = false;
};

/// Derives the facts of a launch into `result`. `options` is whatever else chooses code (the text
/// of the options of the request, say): it becomes part of the key. `cacheBytes` is the size of the
/// last level of cache.
Result<void> specialize(const Signature &signature, std::span<const Argument> arguments,
                        std::string_view options, uint64_t cacheBytes, Specialization &result);

/// Arrays are streamed if together they are larger than this many times the last level of cache:
/// below it, a good part of a result is still in the cache when the next kernel reads it.
inline constexpr uint64_t streamingCacheMultiple = 2;

/// A read-only array whose slot the kernel writes is an error. `writes` is Kernel::writes.
Result<void> checkReadOnly(const Signature &signature, const Specialization &specialization,
                           const std::vector<bool> &writes);

} // namespace kiln::runtime

#endif // KILN_RUNTIME_LAUNCH_SPECIALIZATION_H
