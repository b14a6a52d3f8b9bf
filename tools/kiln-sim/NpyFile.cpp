//===- NpyFile.cpp - arrays in .npy files -----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A file is "\x93NUMPY", a version (major, minor), the length of the header (2 bytes; 4 from major
// 2 on), a header, the elements. The header is a Python dictionary:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
//
//===-----------------------------------------------------------------------------------------===//

#include "NpyFile.h"

#include "runtime/base/File.h"

#include <charconv>
#include <cstring>
#include <optional>

namespace kiln {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr uint64_t maxBytes = uint64_t(1) << 34;
constexpr size_t headerAlignment = 64;

/// Reads the header's dictionary.
class Header {
public:
  Header(std::string_view text, std::string_view place) : text(text), place(place) {}

  Result<void> read(NpyArray &array) {
    bool good = accept("{");
    while (good && !accept("}")) {
      std::string key = string();
      good = accept(":");
      if (key == "descr")
        type = string();
      else if (key == "fortran_order")
        fortran = word();
      else if (key == "shape")
        good = good && shape(array.shape);
      else
        good = false;
      accept(",");
    }
    if (!good || !hasShape)
      return error("a header that is not one of NumPy's", "descr, fortran_order and shape");
    if (fortran != "False")
      return error("an array in Fortran order", "C order");
    bool known = type.size() == 3 && (type[0] == '<' || (type[0] == '|' && type[2] == '1')) &&
                 std::string_view("fiub").find(type[1]) != std::string_view::npos &&
                 std::string_view("1248").find(type[2]) != std::string_view::npos;
    if (!known)
      return error("elements of type '" + type + "'",
                   "little-endian numbers or bools, such as '<f4'");
    array.type = type.substr(1);
    return {};
  }

private:
  Error error(std::string found, std::string expected) const {
    return makeError(ErrorKind::Invalid, std::string(place), std::move(found), std::move(expected));
  }
  void blanks() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n'))
      ++at;
  }
  bool accept(std::string_view token) {
    blanks();
    bool found = text.substr(at, token.size()) == token;
    at += found ? token.size() : 0;
    return found;
  }
  std::string string() {
    blanks();
    char quote = at < text.size() ? text[at] : '\0';
    size_t end = quote == '\'' || quote == '"' ? text.find(quote, at + 1) : std::string_view::npos;
    if (end == std::string_view::npos)
      return {};
    std::string value(text.substr(at + 1, end - at - 1));
    at = end + 1;
    return value;
  }
  std::string word() {
    blanks();
    size_t begin = at;
    while (at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])))
      ++at;
    return std::string(text.substr(begin, at - begin));
  }
  bool shape(std::vector<uint64_t> &sizes) {
    hasShape = accept("(");
    while (hasShape && !accept(")")) {
      blanks();
      uint64_t size = 0;
      auto [end, code] = std::from_chars(text.data() + at, text.data() + text.size(), size);
      if (code != std::errc())
        return false;
      at = size_t(end - text.data());
      sizes.push_back(size);
      accept(",");
    }
    return hasShape;
  }

  std::string_view text, place;
  size_t at = 0;
  std::string type, fortran;
  bool hasShape = false;
};

/// The header's text and how many bytes come before the elements.
std::optional<std::pair<std::string_view, size_t>> splitHeader(std::string_view bytes) {
  auto byte = [&](size_t index) { return size_t(static_cast<unsigned char>(bytes[index])); };
  size_t fixed = magic.size() + 4;
  if (bytes.size() < fixed + 2 || bytes.substr(0, magic.size()) != magic)
    return std::nullopt;
  size_t length = byte(8) | byte(9) << 8;
  if (byte(magic.size()) > 1) {
    length |= byte(10) << 16 | byte(11) << 24;
    fixed += 2;
  }
  if (length > bytes.size() - fixed)
    return std::nullopt;
  return std::pair(bytes.substr(fixed, length), fixed + length);
}

} // namespace

Result<NpyArray> parseNpy(std::string_view bytes, std::string_view place) {
  auto header = splitHeader(bytes);
  if (!header)
    return makeError(ErrorKind::Invalid, std::string(place), "no array", "a .npy file");
  NpyArray array;
  if (Result<void> read = Header(header->first, place).read(array); !read)
    return read.takeError();
  uint64_t expected = array.elementBytes();
  for (uint64_t size : array.shape)
    if (__builtin_mul_overflow(expected, size, &expected))
      expected = ~uint64_t(0);
  std::string_view data = bytes.substr(header->second);
  if (data.size() != expected)
    return makeError(ErrorKind::Invalid, std::string(place),
                     std::to_string(data.size()) + " bytes of elements",
                     std::to_string(expected) + ", as the shape says");
  array.data.resize(data.size());
  if (!data.empty())
    std::memcpy(array.data.data(), data.data(), data.size());
  return array;
}

std::string serializeNpy(const NpyArray &array) {
  std::string shape;
  for (uint64_t size : array.shape)
    shape += std::to_string(size) + ",";
  if (array.shape.size() > 1)
    shape.pop_back();
  std::string_view order = array.elementBytes() == 1 ? "|" : "<";
  std::string header = "{'descr': '" + std::string(order) + array.type +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  size_t fixed = magic.size() + 4;
  header.append(headerAlignment - (fixed + header.size() + 1) % headerAlignment, ' ');
  header += '\n';
  std::string bytes(magic);
  bytes += '\1';
  bytes += '\0';
  bytes += char(header.size() & 0xff);
  bytes += char(header.size() >> 8);
  bytes += header;
  bytes.append(reinterpret_cast<const char *>(array.data.data()), array.data.size());
  return bytes;
}

Result<NpyArray> loadNpy(const std::string &path) {
  Result<std::string> bytes = readFile(path, maxBytes);
  if (!bytes)
    return bytes.takeError();
  return parseNpy(*bytes, "file '" + path + "'");
}

} // namespace kiln
