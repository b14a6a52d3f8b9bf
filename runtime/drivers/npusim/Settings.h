//===- Settings.h - what the user of a simulated NPU may choose ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_DRIVERS_NPUSIM_SETTINGS_H
#define KILN_RUNTIME_DRIVERS_NPUSIM_SETTINGS_H

#include "sim/Simulator.h"

#include <string>
#include <string_view>

namespace kiln::runtime {

struct NpuSimSettings {
  sim::Options options;
  std::string tracePath; ///< empty: no trace
};

/// `settings` with the members of a JSON object changed (NpuSimDevice.h lists them). `place` names
/// the device in errors.
Result<NpuSimSettings> changeSettings(NpuSimSettings settings, std::string_view json,
                                      const std::string &place);

} // namespace kiln::runtime

#endif // KILN_RUNTIME_DRIVERS_NPUSIM_SETTINGS_H
