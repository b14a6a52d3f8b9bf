//===- Arguments.h - values for a kernel's parameters ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILNSIM_ARGUMENTS_H
#define KILN_TOOLS_KILNSIM_ARGUMENTS_H

#include "NpyFile.h"
#include "image/Image.h"
#include "sim/Simulator.h"

#include <span>
#include <string>
#include <vector>

namespace kiln {

/// Arrays of pointers (scalars have an empty one) and what the simulator needs to know of all.
class Arguments {
public:
  /// Reads one text for each parameter; their forms are those of `usage()`.
  static Result<Arguments> read(const image::Image &image, std::span<const std::string> texts);

  std::span<const sim::Binding> bindings() const { return bound; }
  /// The array of a pointer; null for scalars and numbers out of range.
  const NpyArray *array(size_t parameter) const;

private:
  Result<void> add(const image::Parameter &parameter, size_t index, std::string_view text);
  Result<void> addPointer(const image::Parameter &parameter, const std::string &place,
                          std::string_view text);
  Result<void> addScalar(const image::Parameter &parameter, const std::string &place,
                         std::string_view text);

  std::vector<NpyArray> arrays;
  std::vector<sim::Binding> bound;
};

/// The bits of a register that holds a scalar of this type: "5", "-1", "0.5", "i32:5".
Result<uint64_t> parseScalar(machine::Element element, std::string_view text,
                             const std::string &place);

} // namespace kiln

#endif // KILN_TOOLS_KILNSIM_ARGUMENTS_H
