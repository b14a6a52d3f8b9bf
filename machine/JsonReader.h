//===- JsonReader.h - checked reading of chip files ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A reader keeps the first error it meets. After it, nodes are null and all that is read from them
// is empty or zero, so that the code which fills a Machine is a list of fields and nothing else.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_MACHINE_JSONREADER_H
#define KILN_MACHINE_JSONREADER_H

#include "machine/Machine.h"
#include "runtime/base/Result.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kiln::machine {

using Json = nlohmann::ordered_json;

/// Parses a text: one JSON value, no key twice in an object, not nested deeper than chip files are.
/// The place of an error is "place:line:column".
Result<Json> parseJson(std::string_view text, std::string_view place);

/// A value and where it stands: "control.queue_depth.value". Null after an error.
struct Node {
  const Json *value = nullptr;
  std::string path;

  Node at(std::string_view key) const;
  Node at(size_t index) const;
};

/// What a number may be at most and at least; beyond that it is a mistake, not a chip.
struct Bounds {
  double low = 0;
  double high = 0;
};

class JsonReader {
public:
  explicit JsonReader(std::string_view file) : file(file) {}

  bool ok() const { return !error; }
  Error takeError() { return std::move(*error); }
  void fail(const std::string &path, std::string found, std::string expected);

  /// The text at a node.
  std::string text(const Node &node);
  /// The node if it is an object or a list; else null, with an error.
  Node object(const Node &node);
  Node list(const Node &node);

  /// The `value` of a constant at a node, after its origin has been checked. `numeric`: numbers
  /// that are assumed need a range.
  struct Origin {
    Provenance provenance = Provenance::Published;
    std::string source;
    Node value;
    Node range; ///< null if there is none
  };
  Origin origin(const Node &node, bool numeric);

  /// A constant that is one number; it joins `constants`.
  double number(const Node &node, Bounds bounds, bool whole);
  /// A constant that is a row of numbers.
  std::vector<double> numbers(const Node &node, std::span<const Bounds> bounds);

  std::vector<Constant> constants;

private:
  double checked(const Node &value, Bounds bounds, bool whole);

  std::string file;
  std::optional<Error> error;
};

/// The members of an object. done() refuses those that nobody asked for.
class Fields {
public:
  Fields(JsonReader &reader, const Node &node) : reader(reader), node(reader.object(node)) {}

  /// A member; it is an error if it is missing.
  Node need(std::string_view key);
  /// A member, or null.
  Node maybe(std::string_view key);
  void done();

  /// A constant member into a variable of the model.
  template <typename T> void number(std::string_view key, T &into, Bounds bounds) {
    into = static_cast<T>(reader.number(need(key), bounds, std::is_integral_v<T>));
  }

  const std::string &path() const { return node.path; }

private:
  JsonReader &reader;
  Node node;
  std::set<std::string, std::less<>> known;
};

/// A value as an error shows it: "'abc'", "12", "a list".
std::string describe(const Json &value);

} // namespace kiln::machine

#endif // KILN_MACHINE_JSONREADER_H
