//===- Arguments.cpp - values for a kernel's parameters ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Arguments.h"

#include "sim/asm/Literal.h"

namespace kiln {

using machine::Element;

namespace {

/// NumPy's type of an element. I1 in memory is a bool; NumPy has no bf16, its bits are u16.
std::string npyType(Element element) {
  if (element == Element::I1)
    return "b1";
  char letter = element == Element::BF16            ? 'u'
                : machine::isFloat(element)         ? 'f'
                : machine::isSignedInteger(element) ? 'i'
                                                    : 'u';
  return letter + std::to_string(machine::bits(element) / 8);
}

/// Bools and 8-bit integers go for one another: images say i8 for both.
bool fits(const std::string &type, Element element) {
  std::string wanted = npyType(element);
  return type == wanted || (type == "b1" && wanted[1] == '1') || (wanted == "b1" && type[1] == '1');
}

/// Takes "name:" off the front if an element type has this name.
std::optional<Element> takeType(std::string_view &text) {
  size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    return std::nullopt;
  std::optional<Element> element = machine::elementByName(text.substr(0, colon));
  if (element)
    text.remove_prefix(colon + 1);
  return element;
}

} // namespace

Result<uint64_t> parseScalar(Element element, std::string_view text, const std::string &place) {
  std::string name(machine::name(element));
  auto bad = [&](std::string expected) {
    return makeError(ErrorKind::Invalid, place, "'" + std::string(text) + "'", std::move(expected));
  };
  std::string_view value = text;
  if (std::optional<Element> said = takeType(value); said && *said != element)
    return bad("a value of type " + name);
  if (machine::isFloat(element)) {
    // Unlike in the text of an image, a decimal integer can only be meant as a value here.
    bool isPlain = value.find_first_of(".enx") == std::string_view::npos;
    std::optional<uint64_t> bits =
        sim::parseFloat(element, std::string(value) + (isPlain ? ".0" : ""));
    if (!bits)
      return bad("an " + name + ", or its bits in hexadecimal");
    return *bits;
  }
  std::optional<uint64_t> bits = sim::parseInteger(value);
  if (!bits)
    return bad("an integer");
  unsigned width = machine::bits(element);
  bool isNegative = value.starts_with("-");
  bool fits = machine::isSignedInteger(element)
                  ? isNegative == (int64_t(*bits) < 0) &&
                        (int64_t(*bits) >> (width - 1) == 0 || int64_t(*bits) >> (width - 1) == -1)
                  : !isNegative && (width == 64 || *bits >> width == 0);
  if (!fits)
    return bad("a value that " + name + " has");
  return *bits;
}

Result<Arguments> Arguments::read(const image::Image &image, std::span<const std::string> texts) {
  if (texts.size() != image.parameters.size())
    return makeError(ErrorKind::Invalid, "kernel '" + image.kernel + "'",
                     std::to_string(texts.size()) + " arguments",
                     std::to_string(image.parameters.size()));
  Arguments result;
  result.arrays.resize(texts.size());
  for (size_t i = 0; i < texts.size(); ++i)
    if (Result<void> added = result.add(image.parameters[i], i, texts[i]); !added)
      return added.takeError();
  return result;
}

Result<void> Arguments::add(const image::Parameter &parameter, size_t index,
                            std::string_view text) {
  std::string place = "argument '" + parameter.name + "' (" + std::to_string(index) + ")";
  return parameter.isPointer ? addPointer(parameter, place, text)
                             : addScalar(parameter, place, text);
}

Result<void> Arguments::addScalar(const image::Parameter &parameter, const std::string &place,
                                  std::string_view text) {
  Result<uint64_t> bits = parseScalar(parameter.element, text, place);
  if (!bits)
    return bits.takeError();
  bound.push_back({.scalar = *bits});
  return {};
}

Result<void> Arguments::addPointer(const image::Parameter &parameter, const std::string &place,
                                   std::string_view text) {
  Element element = parameter.element;
  auto bad = [&](std::string found, std::string expected) {
    return makeError(ErrorKind::Type, place, std::move(found), std::move(expected));
  };
  std::string name(machine::name(element));
  NpyArray &array = arrays[bound.size()];
  constexpr std::string_view zeros = "zeros:";
  if (text.starts_with(zeros)) {
    constexpr uint64_t most = uint64_t(1) << 32;
    std::string_view rest = text.substr(zeros.size());
    std::optional<Element> said = takeType(rest);
    std::optional<uint64_t> count = sim::parseInteger(rest);
    if (said != element || !count || *count > most)
      return bad("'" + std::string(text) + "'", "zeros:" + name + ":COUNT");
    array.type = npyType(element);
    array.shape = {*count};
    array.data.resize(*count * array.elementBytes());
  } else {
    std::string_view path = text;
    std::optional<Element> said = takeType(path);
    Result<NpyArray> loaded = loadNpy(std::string(path));
    if (!loaded)
      return withNote(loaded.takeError(), "for " + place);
    array = std::move(*loaded);
    if (!fits(array.type, element) || (said && *said != element))
      return bad("elements of '" + array.type + "'" +
                     (said ? " as " + std::string(machine::name(*said)) : ""),
                 name);
    if (element == Element::BF16 && !said)
      return bad("16-bit integers", "bf16:" + std::string(text) + ", if they are bits of bf16");
  }
  bound.push_back(
      {.data = array.data.data(), .bytes = array.data.size(), .readOnly = !parameter.written});
  return {};
}

const NpyArray *Arguments::array(size_t parameter) const {
  bool isArray = parameter < arrays.size() && !arrays[parameter].type.empty();
  return isArray ? &arrays[parameter] : nullptr;
}

} // namespace kiln
