//===- Locations.h - source lines of an image ------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_TARGET_NPU_ASSEMBLE_LOCATIONS_H
#define KILN_LIB_TARGET_NPU_ASSEMBLE_LOCATIONS_H

#include "image/Image.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <tuple>

namespace kiln::npu {

/// Puts locations into an image's table, each once. Names and fusions stand for the first place in
/// them; a call site's caller is kept.
class Locations {
public:
  explicit Locations(image::Image &image) : image(image) {}

  /// Index into Image::locations; 0 if the location is unknown.
  uint32_t indexOf(mlir::Location location) { return indexOf(location, 0); }

private:
  uint32_t indexOf(mlir::Location location, uint32_t caller);

  image::Image &image;
  llvm::StringMap<uint32_t> files;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, uint32_t> known;
  llvm::DenseMap<std::pair<const void *, uint32_t>, uint32_t> indices; ///< by attribute and caller
};

} // namespace kiln::npu

#endif // KILN_LIB_TARGET_NPU_ASSEMBLE_LOCATIONS_H
