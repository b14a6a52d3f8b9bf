//===- ExpertCasts.cpp - conversions of the vector unit ---------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Expert.h"

namespace kiln::frontend::tilelang::expert {

using machine::Conversion;
using machine::Element;
using machine::Opcode;
using machine::Rounding;

std::optional<Rounding> conversionRounding(Element from, Element to, Rounding wanted) {
  std::optional<Rounding> result;
  someChip([&](const machine::Machine &chip) {
    const Conversion *row = chip.conversion(Opcode::VConv, from, to);
    if (!row)
      return false;
    // Without a mode a conversion that is not exact goes to nearest even.
    for (Rounding each : {Rounding::None, wanted, Rounding::Rint})
      if (row->roundings.contains(each) &&
          (each == wanted || each == Rounding::None || wanted == Rounding::None)) {
        result = each;
        return true;
      }
    return false;
  });
  return result;
}

static constexpr DType kDTypes[] = {DType::I8, DType::I16, DType::I32,  DType::I64,
                                    DType::U8, DType::F16, DType::BF16, DType::F32};

Value noConversion(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                   DType from, DType to) {
  std::string expected;
  if (std::optional<Element> source = elementOf(from))
    for (DType each : kDTypes)
      if (each != from && conversionRounding(*source, *elementOf(each), Rounding::None))
        expected += (expected.empty() ? "" : ", ") + info(each).languageName.str();
  return triton::wrongArgument(context, arguments, name, info(to).languageName,
                               expected.empty()
                                   ? info(from).languageName + ", which nothing converts"
                                   : "what one instruction makes of " + info(from).languageName +
                                         ": " + expected);
}

/// `CAST_RINT`, in any case and with or without the prefix.
static std::optional<Rounding> roundingArgument(CallContext &context, const Arguments &arguments,
                                                llvm::StringRef name) {
  if (arguments[name].isNone())
    return Rounding::None;
  std::optional<std::string> text = context.stringConst(arguments, name);
  if (!text)
    return std::nullopt;
  llvm::StringRef word = *text;
  word.consume_front_insensitive("CAST_");
  for (unsigned index = 0; index < machine::roundingCount; ++index)
    if (word.equals_insensitive(npu::lowerName(Rounding(index))))
      return Rounding(index);
  triton::wrongArgument(context, arguments, name, "'" + *text + "'",
                        "CAST_NONE, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC or "
                        "CAST_ODD");
  return std::nullopt;
}

static Value lowerCast(CallContext &context, const Arguments &arguments) {
  llvm::StringRef dstName = nameOf(arguments, 0), srcName = nameOf(arguments, 1),
                  modeName = nameOf(arguments, 2);
  std::optional<View> dst = viewArgument(context, arguments, dstName);
  std::optional<View> src = viewArgument(context, arguments, srcName);
  std::optional<Rounding> mode = roundingArgument(context, arguments, modeName);
  if (!dst || !src || !mode)
    return Value::poison();
  View *views[] = {&*dst, &*src};
  if (!cutToCount(context, arguments, views) || !alike(context, arguments, views))
    return Value::poison();
  if (src->dtype == dst->dtype && *mode == Rounding::None)
    return forEachWindow(context, arguments, {*dst, *src},
                         [&](Parts part) { context.create<npu::CopyOp>(part[1], part[0]); });
  std::optional<Element> from = elementOf(src->dtype), to = elementOf(dst->dtype);
  std::optional<Rounding> any =
      from && to ? conversionRounding(*from, *to, Rounding::None) : std::nullopt;
  if (!any)
    return noConversion(context, arguments, dstName, src->dtype, dst->dtype);
  std::optional<Rounding> rounding = conversionRounding(*from, *to, *mode);
  if (!rounding)
    return triton::wrongArgument(context, arguments, modeName, arguments[modeName],
                                 "a mode that the conversion of " + info(src->dtype).languageName +
                                     " to " + info(dst->dtype).languageName + " has");
  return forEachWindow(context, arguments, {*dst, *src}, [&](Parts part) {
    context.create<npu::VCastOp>(*rounding, part[1], part[0], isUnsignedInteger(src->dtype),
                                 isUnsignedInteger(dst->dtype));
  });
}

/// The bytes of another buffer as elements of this one's type.
static Value lowerReinterpret(CallContext &context, const Arguments &arguments) {
  std::shared_ptr<const BufferData> buffers[2];
  for (size_t index : {0, 1}) {
    buffers[index] = arguments[index].asBuffer();
    if (!buffers[index] || buffers[index]->isGlobal)
      return triton::wrongArgument(context, arguments, nameOf(arguments, index), arguments[index],
                                   "a whole buffer on chip");
  }
  std::optional<std::string> text = context.stringConst(arguments, "dtype");
  if (!text)
    return Value::poison();
  // C++'s names of types: uint32_t, float, half.
  llvm::StringRef word = *text;
  word.consume_back("_t");
  if (dtypeByText(word) != buffers[0]->dtype)
    return triton::wrongArgument(context, arguments, "dtype", "'" + *text + "'",
                                 info(buffers[0]->dtype).languageName + ", as '" +
                                     buffers[0]->name + "' has");
  if (!shareMemory(context, arguments, *buffers[0], *buffers[1]))
    return Value::poison();
  stateOf(context).shared.push_back(buffers[0]);
  return Value::none();
}

llvm::ArrayRef<Row> castRows() {
  static constexpr Row kRows[] = {{"T.tile.cast", lowerCast},
                                  {"T.reinterpretcast", lowerReinterpret}};
  return kRows;
}

} // namespace kiln::frontend::tilelang::expert
