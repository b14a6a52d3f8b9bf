//===- NpuSimDevice.h - an NPU that is simulated ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Runs program images (.npo) on the simulator: values in the arrays of the host, modelled time,
// checks. A launch in which a check finds something fails with what was found; its values are not
// to be trusted.
//
// Settings (`configure`), all optional, null restores the default:
//   "mode"         "functional_timed" (default), "functional", "timing_only"
//   "check"        true (default) or false
//   "order"        seed of a random legal order of the pipes ("functional" only)
//   "warm_l2"      false (default) or true
//   "control_trace" false (default) or true: hash branches, addresses and sizes into the report
//   "trace"        path of a file that takes a Perfetto trace of the next launches
//   "cycle_limit"  chip cycles after which a launch ends
//
// `launchReport` is sim::reportJson of the last launch of the calling thread.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_DRIVERS_NPUSIM_NPUSIMDEVICE_H
#define KILN_RUNTIME_DRIVERS_NPUSIM_NPUSIMDEVICE_H

#include "machine/MachineFile.h"
#include "runtime/device/Device.h"

namespace kiln::runtime {

/// `name` is what the device is opened by: a built-in chip or the path of a chip file.
Result<std::shared_ptr<Device>> createNpuSimDevice(const std::string &name);

} // namespace kiln::runtime

#endif // KILN_RUNTIME_DRIVERS_NPUSIM_NPUSIMDEVICE_H
