//===- DeviceConformance.h - what every driver has to pass -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_CONFORMANCE_DEVICECONFORMANCE_H
#define KILN_RUNTIME_CONFORMANCE_DEVICECONFORMANCE_H

#include "runtime/device/Device.h"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace kiln::runtime {

/// A driver under test: how to open its device, and an image that it can load.
///
/// The image is of a kernel `scale` with three arguments: a pointer to f32, the number of elements
/// (i64), a factor (f32). Program p multiplies element p by the factor if p is below the number.
struct ConformanceTarget {
  std::string name;
  std::function<Result<std::shared_ptr<Device>>()> open;
  std::string image;
};

class DeviceConformance : public testing::TestWithParam<ConformanceTarget> {
protected:
  void SetUp() override;

  std::shared_ptr<Device> device;
};

} // namespace kiln::runtime

#endif // KILN_RUNTIME_CONFORMANCE_DEVICECONFORMANCE_H
