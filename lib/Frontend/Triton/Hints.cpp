//===- Hints.cpp - what the author knows about values ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Semantics.h"
#include "Tables.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "llvm/Support/MathExtras.h"

namespace kiln::frontend::triton {

using llvm::Twine;

/// One power of two per dimension, about groups along it. The callee's last word is the kind.
static Value lowerHint(CallContext &context, const Arguments &arguments) {
  Value value = context.runtime(arguments, "input");
  auto values = context.intsConst(arguments, "values");
  if (value.isPoison() || !values)
    return Value::poison();
  size_t rank = std::max<int64_t>(value.type().rank(), 1);
  if (values->size() != rank)
    return wrongArgument(context, arguments, "values", Twine(values->size()) + " entries",
                         Twine(rank) + ", one per dimension of " + describe(value));
  for (int64_t entry : *values)
    if (entry <= 0 || !llvm::isPowerOf2_64(entry))
      return wrongArgument(context, arguments, "values", Twine(entry), "powers of two");
  auto op = context.create<tile::HintOp>(value.ir(), context.callee().rsplit('.').second,
                                         ShapeRef(*values));
  return Value::runtime(op.getResult(), value.type());
}

static Value lowerAssume(CallContext &context, const Arguments &arguments) {
  const Value &given = arguments["cond"];
  // A condition known at compile time tells nothing, unless it is false.
  if (const bool *known = given.asBool())
    return *known
               ? Value::none()
               : wrongArgument(context, arguments, "cond", "False", "an assumption that can hold");
  Value value = condition(context, context.runtime(arguments, "cond"));
  if (!value.isPoison())
    context.create<tile::AssumeOp>(value.ir());
  return value.isPoison() ? value : Value::none();
}

/// All lanes of a program move together, so there is nothing to wait for.
static Value lowerBarrier(CallContext &, const Arguments &) { return Value::none(); }

/// x itself; debug builds check that it is 0 where the mask holds.
static Value lowerExpectZero(CallContext &context, const Arguments &arguments) {
  Value x = context.runtime(arguments, "x"), mask = context.runtime(arguments, "mask");
  if (x.isPoison() || mask.isPoison())
    return Value::poison();
  Value isZero = compareOperator(context, CompareOperator::Eq, x, Value::integer(0));
  Value holds = binaryOperator(context, BinaryOperator::LogicalOr,
                               unaryOperator(context, UnaryOperator::Not, mask), isZero);
  if (holds.isPoison())
    return holds;
  context.callLanguage("tl.device_assert",
                       {holds, Value::string("expect_zero found a lane that is not zero")});
  return x;
}

void addHints(Vocabulary &vocabulary) {
  static constexpr LanguageEntry kEntries[] = {
      {"tl.multiple_of", "input, values", lowerHint},
      {"tl.max_contiguous", "input, values", lowerHint},
      {"tl.max_constancy", "input, values", lowerHint},
      {"tl.assume", "cond", lowerAssume},
      {"tl.debug_barrier", "", lowerBarrier},
      {"tl.expect_zero", "x, mask", lowerExpectZero},
  };
  vocabulary.add(kEntries);
}

} // namespace kiln::frontend::triton
