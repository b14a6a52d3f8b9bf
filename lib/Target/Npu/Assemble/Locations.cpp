//===- Locations.cpp - source lines of an image ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Locations.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kiln::npu {

uint32_t Locations::indexOf(Location location, uint32_t caller) {
  auto key = std::pair(location.getAsOpaquePointer(), caller);
  if (auto index = indices.find(key); index != indices.end())
    return index->second;
  uint32_t result =
      llvm::TypeSwitch<Location, uint32_t>(location)
          .Case([&](FileLineColLoc place) {
            auto [file, isNew] =
                files.try_emplace(place.getFilename().getValue(), uint32_t(image.files.size()));
            if (isNew)
              image.files.push_back(place.getFilename().str());
            auto [entry, isNewEntry] = known.try_emplace(
                std::tuple(file->second, place.getLine(), place.getColumn(), caller),
                uint32_t(image.locations.size()));
            if (isNewEntry)
              image.locations.push_back({file->second, place.getLine(), place.getColumn(), caller});
            return entry->second;
          })
          .Case([&](CallSiteLoc call) {
            return indexOf(call.getCallee(), indexOf(call.getCaller(), caller));
          })
          .Case([&](NameLoc name) { return indexOf(name.getChildLoc(), caller); })
          .Case([&](FusedLoc fused) {
            for (Location part : fused.getLocations())
              if (uint32_t index = indexOf(part, caller); index != caller)
                return index;
            return caller;
          })
          .Default([&](Location) { return caller; });
  indices[key] = result;
  return result;
}

} // namespace kiln::npu
