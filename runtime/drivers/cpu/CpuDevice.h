//===- CpuDevice.h - kernels as shared objects, programs over threads ------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_DRIVERS_CPU_CPUDEVICE_H
#define KILN_RUNTIME_DRIVERS_CPU_CPUDEVICE_H

#include "runtime/device/Device.h"

namespace kiln::runtime {

/// The device "cpu". `threads` as in Device::setThreads.
Result<std::shared_ptr<Device>> createCpuDevice(unsigned threads = 0);

} // namespace kiln::runtime

#endif // KILN_RUNTIME_DRIVERS_CPU_CPUDEVICE_H
