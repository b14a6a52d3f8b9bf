//===- Loops.cpp - loops by name --------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Buffers.h"
#include "Tables.h"

namespace kiln::frontend::tilelang {

using llvm::Twine;

/// `tl.range` or `tl.static_range` with the bounds in the order that TileLang gives them.
static Value rangeOf(CallContext &context, const Arguments &arguments, llvm::StringRef callee,
                     llvm::ArrayRef<std::pair<std::string, Value>> keywords = {}) {
  Value start = arguments["start"], stop = arguments["stop"];
  Value step = arguments.find("step") ? arguments["step"] : Value::none();
  if (start.isNone())
    return triton::wrongArgument(context, arguments, "start", start, "an integer");
  if (stop.isNone()) {
    stop = start;
    start = Value::integer(0);
  }
  if (step.isNone())
    step = Value::integer(1);
  return context.callLanguage(callee, {start, stop, step}, keywords);
}

static Value lowerSerial(CallContext &context, const Arguments &arguments) {
  return rangeOf(context, arguments, "tl.range");
}

static Value lowerUnroll(CallContext &context, const Arguments &arguments) {
  bool isKnown = llvm::all_of(arguments.bound, [](const Arguments::Argument &argument) {
    return argument.value.isConstant();
  });
  return rangeOf(context, arguments, isKnown ? "tl.static_range" : "tl.range");
}

/// Far more than any memory has room for.
static constexpr int64_t kMostStages = 64;

static Value lowerPipelined(CallContext &context, const Arguments &arguments) {
  std::optional<int64_t> stages = context.intConst(arguments, "num_stages");
  if (!stages)
    return Value::poison();
  if (*stages < 0 || *stages > kMostStages)
    return context.errorAt(arguments, "num_stages",
                           "found num_stages " + Twine(*stages) + ", expected 0 to " +
                               Twine(kMostStages));
  for (llvm::StringRef name : {"order", "stage", "sync", "group"})
    if (arguments.given(name) && !arguments[name].isNone())
      return context.errorAt(arguments, name,
                             "argument '" + name + "' of T.Pipelined is not there yet");
  llvm::SmallVector<std::pair<std::string, Value>> keywords;
  if (*stages > 0)
    keywords.push_back({"num_stages", Value::integer(*stages)});
  return rangeOf(context, arguments, "tl.range", keywords);
}

//===----------------------------------------------------------------------------------------===//
// T.Persistent
//===----------------------------------------------------------------------------------------===//

/// The coordinates of tile number `tile`: groups along the last dimension, all of the others inside
/// a group. The extents of the group at the end may be smaller.
static Value coordinates(CallContext &context, llvm::ArrayRef<Value> domain, int64_t group,
                         const Value &tile) {
  auto op = [&](BinaryOperator what, const Value &a, const Value &b) {
    return context.binary(what, a, b);
  };
  if (domain.size() == 1)
    return tile;
  Value rows = productOf(context, domain.drop_back());
  Value size = Value::integer(group);
  Value inGroup = op(BinaryOperator::Mul, rows, size);
  Value number = op(BinaryOperator::FloorDiv, tile, inGroup);
  Value rest = op(BinaryOperator::Mod, tile, inGroup);
  Value first = op(BinaryOperator::Mul, number, size);
  Value width = context.callLanguage(
      "tl.minimum", {context.materialize(op(BinaryOperator::Sub, domain.back(), first)),
                     context.materialize(size)});
  std::vector<Value> result(domain.size());
  result.back() = op(BinaryOperator::Add, first, op(BinaryOperator::Mod, rest, width));
  Value row = op(BinaryOperator::FloorDiv, rest, width);
  for (size_t dim = domain.size() - 1; dim-- > 0;) {
    result[dim] = dim ? op(BinaryOperator::Mod, row, domain[dim]) : row;
    if (dim)
      row = op(BinaryOperator::FloorDiv, row, domain[dim]);
  }
  return Value::tuple(std::move(result));
}

static Value lowerPersistent(CallContext &context, const Arguments &arguments) {
  std::vector<Value> domain;
  const Value &given = arguments["domain"];
  for (const Value &extent : given.isTuple() ? given.elements() : llvm::ArrayRef(given)) {
    domain.push_back(context.read(extent));
    const Integer *known = domain.back().asInt();
    if (known ? known->isNegative() : !domain.back().isRuntime())
      return triton::wrongArgument(context, arguments, "domain", extent, "integers");
  }
  std::optional<int64_t> group = context.intConst(arguments, "group_size");
  if (!group || domain.empty())
    return group ? triton::wrongArgument(context, arguments, "domain", given, "at least one extent")
                 : Value::poison();
  if (*group < 1)
    return context.errorAt(arguments, "group_size",
                           "found group_size " + Twine(*group) + ", expected at least 1");
  Value tiles = productOf(context, domain);
  Value wave = context.read(arguments["wave_size"]), index = context.read(arguments["index"]);
  if (tiles.isPoison() || wave.isPoison() || index.isPoison())
    return Value::poison();
  if (wave.asInt() && *wave.asInt() < Integer(1))
    return triton::wrongArgument(context, arguments, "wave_size", wave, "at least 1");
  // Each wave gives this program one tile; the loop ends behind the last.
  Value range = context.callLanguage("tl.range", {index, tiles, wave});
  if (!range.asRange())
    return range;
  RangeData mapped = *range.asRange();
  mapped.element = [domain, size = *group](CallContext &inner, const Value &tile) {
    return coordinates(inner, domain, size, tile);
  };
  return Value::range(std::move(mapped));
}

void addLoops(Vocabulary &vocabulary) {
  static constexpr LanguageEntry kEntries[] = {
      {"T.serial", "start, stop=None, step=None, annotations=None", lowerSerial},
      {"T.Serial", "start, stop=None, step=None, annotations=None", lowerSerial},
      {"T.vectorized", "start, stop=None, annotations=None", lowerSerial},
      {"T.Vectorized", "start, stop=None, annotations=None", lowerSerial},
      {"T.unroll", "start, stop=None, step=None, explicit=False, annotations=None", lowerUnroll},
      {"T.Unroll", "start, stop=None, step=None, explicit=False, annotations=None", lowerUnroll},
      {"T.Pipelined",
       "start, stop=None, num_stages=0, order=None, stage=None, sync=None, group=None, "
       "cross_interval=1, annotations=None",
       lowerPipelined},
      {"T.Persistent", "domain, wave_size, index, group_size=8, num_stages=0, *, annotations=None",
       lowerPersistent},
  };
  vocabulary.add(kEntries);
}

} // namespace kiln::frontend::tilelang
