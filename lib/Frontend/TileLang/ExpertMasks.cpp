//===- ExpertMasks.cpp - comparisons and selections -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A mask lies in a buffer of uint8, one bit per lane, the first lane in the lowest bit.
//
//===-----------------------------------------------------------------------------------------===//

#include "Expert.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace kiln::frontend::tilelang::expert {

using llvm::Twine;
using machine::Opcode;
using machine::Predicate;

/// A mask for `lanes` lanes.
static std::optional<View> maskArgument(CallContext &context, const Arguments &arguments,
                                        llvm::StringRef name, int64_t lanes) {
  std::optional<View> mask = viewArgument(context, arguments, name);
  if (!mask)
    return std::nullopt;
  if (mask->elementBytes() != 1 || !isDense(*mask)) {
    triton::wrongArgument(context, arguments, name, arguments[name],
                          "adjacent elements of uint8: a bit per lane");
    return std::nullopt;
  }
  if (mask->count() * 8 < lanes) {
    triton::wrongArgument(context, arguments, name, Twine(mask->count()) + " bytes",
                          Twine(llvm::divideCeil(lanes, 8)) + ": a bit for each of " +
                              Twine(lanes) + " lanes");
    return std::nullopt;
  }
  // A mask starts at a block, as every operand does.
  if (!mask->moved && mask->bytes % kBlockBytes != 0) {
    triton::wrongArgument(context, arguments, name,
                          "a region that starts at byte " + Twine(mask->bytes) + " of its buffer",
                          "a multiple of " + Twine(kBlockBytes));
    return std::nullopt;
  }
  return mask;
}

/// An operand as one row of lanes; nothing after an error.
static std::optional<View> rowArgument(CallContext &context, const Arguments &arguments,
                                       llvm::StringRef name) {
  std::optional<View> view = viewArgument(context, arguments, name);
  if (!view || isDense(*view))
    return view ? firstLanes(context, arguments, *view, view->count()) : view;
  triton::wrongArgument(context, arguments, name, arguments[name],
                        "a region without gaps, as the bits of a mask have none");
  return std::nullopt;
}

/// A second operand that goes with the first: a buffer of its type and size.
static std::optional<View> likeArgument(CallContext &context, const Arguments &arguments,
                                        llvm::StringRef name, const View &like) {
  std::optional<View> view = rowArgument(context, arguments, name);
  if (!view)
    return std::nullopt;
  if (view->dtype == like.dtype && view->count() == like.count())
    return view;
  triton::wrongArgument(context, arguments, name, Type::block(view->dtype, {view->count()}).str(),
                        Type::block(like.dtype, {like.count()}).str() + ", as '" + like.argument +
                            "' has");
  return std::nullopt;
}

static bool checkStart(CallContext &context, const Arguments &arguments,
                       llvm::ArrayRef<View> views) {
  // Windows of one dimension are only checked for where they start.
  return llvm::all_of(views, [&](const View &view) {
    return !forEachWindow(context, arguments, {view}, [](auto) {}).isPoison();
  });
}

static Value lowerCompare(CallContext &context, const Arguments &arguments) {
  std::optional<View> lhs = rowArgument(context, arguments, nameOf(arguments, 1));
  std::optional<std::string> mode = context.stringConst(arguments, nameOf(arguments, 3));
  if (!lhs || !mode)
    return Value::poison();
  auto predicate = llvm::StringSwitch<std::optional<Predicate>>(*mode)
                       .CaseLower("EQ", Predicate::EQ)
                       .CaseLower("NE", Predicate::NE)
                       .CaseLower("LT", Predicate::LT)
                       .CaseLower("LE", Predicate::LE)
                       .CaseLower("GT", Predicate::GT)
                       .CaseLower("GE", Predicate::GE)
                       .Default(std::nullopt);
  if (!predicate)
    return triton::wrongArgument(context, arguments, nameOf(arguments, 3), "'" + *mode + "'",
                                 "EQ, NE, GT, GE, LT or LE");
  // Comparisons handle whole repeats.
  int64_t bytes = lhs->count() * lhs->elementBytes();
  if (bytes % kRepeatBytes != 0)
    return triton::wrongArgument(context, arguments, lhs->argument, Twine(bytes) + " bytes",
                                 "a multiple of " + Twine(kRepeatBytes));
  bool isScalar = isScalarOperand(arguments[nameOf(arguments, 2)]);
  Opcode opcode = isScalar ? Opcode::VCmps : Opcode::VCmp;
  std::optional<machine::Element> element = elementOf(lhs->dtype);
  if (!element || !someChip([&](const machine::Machine &chip) {
        return chip.compares(opcode, *element, *predicate);
      }))
    return triton::wrongArgument(context, arguments, lhs->argument,
                                 info(lhs->dtype).languageName + " compared by " + *mode,
                                 "float16 or float32, or int32 by EQ");
  std::optional<View> mask = maskArgument(context, arguments, nameOf(arguments, 0), lhs->count());
  if (!mask || !checkStart(context, arguments, {*lhs}))
    return Value::poison();
  mlir::Value rhs;
  if (isScalar) {
    rhs = scalarArgument(context, arguments, nameOf(arguments, 2), lhs->dtype);
  } else {
    std::optional<View> other = likeArgument(context, arguments, nameOf(arguments, 2), *lhs);
    if (other && checkStart(context, arguments, {*other}))
      rhs = windowOf(context, *other, {lhs->count()}, {1});
  }
  if (!rhs)
    return Value::poison();
  context.create<npu::VCmpOp>(*predicate, windowOf(context, *lhs, {lhs->count()}, {1}), rhs,
                              maskWindow(context, *mask, lhs->count(), 0));
  return Value::none();
}

static Value lowerSelect(CallContext &context, const Arguments &arguments) {
  llvm::StringRef lastName = nameOf(arguments, 3), modeName = nameOf(arguments, 4);
  std::optional<View> dst = rowArgument(context, arguments, nameOf(arguments, 0));
  std::optional<std::string> mode = context.stringConst(arguments, modeName);
  if (!dst || !mode)
    return Value::poison();
  bool repeats = *mode == "VSEL_CMPMASK_SPR";
  bool wantsScalar = *mode == "VSEL_TENSOR_SCALAR_MODE";
  if (!repeats && !wantsScalar && *mode != "VSEL_TENSOR_TENSOR_MODE")
    return triton::wrongArgument(context, arguments, modeName, "'" + *mode + "'",
                                 "VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE or "
                                 "VSEL_TENSOR_TENSOR_MODE");
  bool isScalar = isScalarOperand(arguments[lastName]);
  if (isScalar != wantsScalar)
    return triton::wrongArgument(context, arguments, lastName, arguments[lastName],
                                 wantsScalar ? "a scalar, as the mode says"
                                             : "a buffer, as the mode says");
  if (!expectElement(context, arguments, dst->argument, isScalar ? Opcode::VSels : Opcode::VSel,
                     dst->dtype))
    return Value::poison();
  // One register of bits, again for each repeat; or bits one after the other.
  int64_t lanes = dst->count(), perRepeat = kRepeatBytes / dst->elementBytes();
  int64_t piece = repeats ? std::min(lanes, perRepeat) : lanes;
  if (llvm::divideCeil(lanes, piece) > uint64_t(kMostPieces))
    return triton::wrongArgument(context, arguments, dst->argument,
                                 Twine(lanes) + " lanes with one repeat's mask",
                                 "at most " + Twine(kMostPieces * perRepeat));
  std::optional<View> mask = maskArgument(context, arguments, nameOf(arguments, 1), piece);
  std::optional<View> lhs = likeArgument(context, arguments, nameOf(arguments, 2), *dst);
  if (!mask || !lhs || !checkStart(context, arguments, {*dst, *lhs}))
    return Value::poison();
  mlir::Value scalar;
  std::optional<View> rhs;
  if (isScalar)
    scalar = scalarArgument(context, arguments, lastName, dst->dtype);
  else
    rhs = likeArgument(context, arguments, lastName, *dst);
  if (!scalar && (!rhs || !checkStart(context, arguments, {*rhs})))
    return Value::poison();
  for (int64_t first = 0; first < lanes; first += piece) {
    int64_t count = std::min(piece, lanes - first), skipped = first * dst->elementBytes();
    auto part = [&](const View &view) { return windowOf(context, view, {count}, {1}, skipped); };
    context.create<npu::VSelOp>(maskWindow(context, *mask, count, 0), part(*lhs),
                                rhs ? part(*rhs) : scalar, part(*dst));
  }
  return Value::none();
}

llvm::ArrayRef<Row> maskRows() {
  static constexpr Row kRows[] = {
      {"T.tile.compare", lowerCompare},
      {"T.tile.select", lowerSelect},
  };
  return kRows;
}

} // namespace kiln::frontend::tilelang::expert
