//===- JsonReader.cpp - checked reading of chip files ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "machine/JsonReader.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kiln::machine {

namespace {

constexpr size_t deepest = 16;
constexpr size_t shownText = 40;
constexpr std::array<std::string_view, 6> sourceTags = {"pto",   "ini", "docs",
                                                        "npuir", "der", "none"};

/// The beginning of a text, cut between characters.
std::string shorten(const std::string &text) {
  if (text.size() <= shownText)
    return text;
  size_t end = shownText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    --end;
  return text.substr(0, end) + "…";
}

std::string joined(const std::string &path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

/// Finds what makes a text no chip file before a document is built of it.
class SyntaxCheck : public nlohmann::json_sax<Json> {
public:
  std::string found;            ///< empty: nothing wrong
  std::string expected;         ///< what would be right
  std::optional<size_t> offset; ///< of a syntax error; other errors have a path

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(); }
  bool end_array() override { return close(); }

  bool key(string_t &name) override {
    bool isNew = objects.back().keys.insert(name).second;
    objects.back().current = name;
    if (isNew)
      return true;
    found = "a second key of this name";
    expected = "each key once";
    return false;
  }

  bool parse_error(size_t position, const std::string &,
                   const nlohmann::detail::exception &) override {
    found = "no valid JSON";
    expected = "a chip file";
    offset = position;
    return false;
  }

  /// Where it stopped. Members of lists are not counted.
  std::string path() const {
    std::string path;
    for (const Object &object : objects)
      if (!object.current.empty())
        path = joined(path, shorten(object.current));
    return path;
  }

private:
  struct Object {
    std::set<std::string> keys;
    std::string current;
  };

  bool open() {
    objects.emplace_back();
    if (objects.size() <= deepest)
      return true;
    found = "values nested " + std::to_string(objects.size()) + " deep";
    expected = "at most " + std::to_string(deepest);
    return false;
  }
  bool close() {
    objects.pop_back();
    return true;
  }

  std::vector<Object> objects;
};

std::string lineAndColumn(std::string_view text, size_t offset) {
  std::string_view before = text.substr(0, std::min(offset, text.size()));
  size_t line = static_cast<size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  size_t lineStart = before.rfind('\n');
  size_t column =
      lineStart == std::string_view::npos ? before.size() : before.size() - lineStart - 1;
  return ":" + std::to_string(line) + ":" + std::to_string(std::max<size_t>(column, 1));
}

/// "1", "0.25", "4.9e+12": as short as it can be read back.
std::string shortest(double value) { return Json(value).dump(); }

std::string plain(double value) {
  return std::floor(value) == value && std::abs(value) < 1e15
             ? std::to_string(static_cast<int64_t>(value))
             : shortest(value);
}

std::optional<Provenance> provenanceByName(std::string_view wanted) {
  for (unsigned index = 0; index < provenanceCount; ++index)
    if (name(static_cast<Provenance>(index)) == wanted)
      return static_cast<Provenance>(index);
  return std::nullopt;
}

/// "pto, docs: a remark": one or more tags, then what there is to say.
bool isSource(std::string_view text) {
  std::string_view tags = text.substr(0, text.find(':'));
  while (true) {
    size_t comma = tags.find(',');
    std::string_view tag = tags.substr(0, comma);
    if (std::find(sourceTags.begin(), sourceTags.end(), tag) == sourceTags.end())
      return false;
    if (comma == std::string_view::npos)
      return true;
    tags.remove_prefix(comma + 1);
    if (!tags.starts_with(' '))
      return false;
    tags.remove_prefix(1);
  }
}

} // namespace

std::string describe(const Json &value) {
  switch (value.type()) {
  case Json::value_t::null:
    return "null";
  case Json::value_t::object:
    return "an object";
  case Json::value_t::array:
    return "a list";
  case Json::value_t::string: {
    const std::string &text = value.get_ref<const std::string &>();
    return "'" + shorten(text) + "'";
  }
  default:
    return value.dump();
  }
}

Result<Json> parseJson(std::string_view text, std::string_view place) {
  SyntaxCheck check;
  if (!Json::sax_parse(text, &check)) {
    std::string where(place);
    if (check.offset)
      where += lineAndColumn(text, *check.offset);
    else if (std::string path = check.path(); !path.empty())
      where += ": " + path;
    return makeError(ErrorKind::Invalid, std::move(where), std::move(check.found),
                     std::move(check.expected));
  }
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

Node Node::at(std::string_view key) const {
  if (!value)
    return {};
  auto found = value->find(std::string(key));
  if (found == value->end())
    return {};
  return {&*found, joined(path, key)};
}

Node Node::at(size_t index) const {
  if (!value || !value->is_array() || index >= value->size())
    return {};
  return {&(*value)[index], path + "[" + std::to_string(index) + "]"};
}

void JsonReader::fail(const std::string &path, std::string found, std::string expected) {
  if (error)
    return;
  std::string place = path.empty() ? file : file + ": " + path;
  error = makeError(ErrorKind::Invalid, std::move(place), std::move(found), std::move(expected));
}

std::string JsonReader::text(const Node &node) {
  if (!node.value)
    return {};
  if (const auto *text = node.value->get_ptr<const std::string *>(); text && !text->empty())
    return *text;
  fail(node.path, describe(*node.value), "a text");
  return {};
}

Node JsonReader::object(const Node &node) {
  if (!node.value || node.value->is_object())
    return node;
  fail(node.path, describe(*node.value), "an object");
  return {};
}

Node JsonReader::list(const Node &node) {
  if (!node.value || node.value->is_array())
    return node;
  fail(node.path, describe(*node.value), "a list");
  return {};
}

JsonReader::Origin JsonReader::origin(const Node &node, bool numeric) {
  Fields fields(*this, node);
  Origin origin;
  origin.value = fields.need("value");
  Node provenance = fields.need("provenance");
  Node source = fields.need("source");
  origin.range = fields.maybe("range");
  fields.done();
  std::string known = text(provenance);
  origin.source = text(source);
  if (error)
    return {};
  std::optional<Provenance> kind = provenanceByName(known);
  if (!kind)
    fail(provenance.path, describe(*provenance.value), "published, fitted, assumed or derived");
  else
    origin.provenance = *kind;
  if (!isSource(origin.source))
    fail(source.path, describe(*source.value),
         "pto, ini, docs, npuir, der or none, several with \", \" between, then perhaps \": …\"");
  if (numeric && kind == Provenance::Assumed && !origin.range.value)
    fail(joined(node.path, "range"), "missing key", "the range of a number that is assumed");
  if (!numeric && origin.range.value)
    fail(origin.range.path, "a range", "none: this is no number");
  if (origin.range.value && !error) {
    list(origin.range);
    if (!error && origin.range.value->size() != 2)
      fail(origin.range.path, std::to_string(origin.range.value->size()) + " values",
           "the lowest and the highest");
  }
  return error ? Origin() : origin;
}

double JsonReader::checked(const Node &value, Bounds bounds, bool whole) {
  if (!value.value || error)
    return 0;
  const char *kind = whole ? "a whole number" : "a number";
  std::string expected =
      std::string(kind) + " from " + plain(bounds.low) + " to " + plain(bounds.high);
  if (!value.value->is_number()) {
    fail(value.path, describe(*value.value), expected);
    return 0;
  }
  double number = value.value->get<double>();
  // Written so that a value which is not comparable fails too.
  if (!(number >= bounds.low && number <= bounds.high) || (whole && std::floor(number) != number)) {
    fail(value.path, describe(*value.value), expected);
    return 0;
  }
  return number;
}

double JsonReader::number(const Node &node, Bounds bounds, bool whole) {
  Origin from = origin(node, /*numeric=*/true);
  Constant constant{node.path, checked(from.value, bounds, whole), from.provenance,
                    std::move(from.source), std::nullopt};
  if (from.range.value) {
    double low = checked(from.range.at(size_t(0)), bounds, whole);
    double high = checked(from.range.at(1), bounds, whole);
    if (!(low <= constant.value && constant.value <= high))
      fail(from.value.path, describe(*from.value.value),
           "a value in its range, " + plain(low) + " to " + plain(high));
    constant.range = {low, high};
  }
  if (error)
    return 0;
  constants.push_back(std::move(constant));
  return constants.back().value;
}

std::vector<double> JsonReader::numbers(const Node &node, std::span<const Bounds> bounds) {
  std::vector<double> values(bounds.size());
  Origin from = origin(node, /*numeric=*/true);
  auto row = [&](const Node &list) {
    if (this->list(list).value && list.value->size() != bounds.size())
      fail(list.path, std::to_string(list.value->size()) + " values",
           std::to_string(bounds.size()));
    return list;
  };
  Node value = row(from.value);
  Node low = row(from.range.at(size_t(0)));
  Node high = row(from.range.at(1));
  for (size_t index = 0; index < bounds.size() && !error; ++index) {
    Node one = value.at(index);
    Constant constant{node.path + "[" + std::to_string(index) + "]",
                      checked(one, bounds[index], false), from.provenance, from.source,
                      std::nullopt};
    if (low.value && high.value) {
      constant.range = {checked(low.at(index), bounds[index], false),
                        checked(high.at(index), bounds[index], false)};
      if (!((*constant.range)[0] <= constant.value && constant.value <= (*constant.range)[1]))
        fail(one.path, describe(*one.value),
             "a value in its range, " + plain((*constant.range)[0]) + " to " +
                 plain((*constant.range)[1]));
    }
    values[index] = constant.value;
    constants.push_back(std::move(constant));
  }
  return values;
}

Node Fields::need(std::string_view key) {
  Node member = maybe(key);
  if (!member.value && node.value)
    reader.fail(joined(node.path, key), "missing key", "a value");
  return member;
}

Node Fields::maybe(std::string_view key) {
  known.emplace(key);
  return reader.ok() ? node.at(key) : Node();
}

void Fields::done() {
  if (!node.value || !reader.ok())
    return;
  std::string all;
  for (const std::string &key : known)
    all += (all.empty() ? "" : ", ") + key;
  for (const auto &member : node.value->items())
    if (!known.contains(member.key()))
      reader.fail(joined(node.path, shorten(member.key())), "unknown key", "one of " + all);
}

} // namespace kiln::machine
