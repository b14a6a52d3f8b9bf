//===- Module.cpp - the Python module kiln._native ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "python/native/Compile.h"
#include "python/native/Errors.h"
#include "python/native/Function.h"
#include "python/native/Session.h"
#include "python/native/Tensor.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace kiln::python {

namespace {

void check(Result<void> result) {
  if (!result)
    throwException(result.error());
}

runtime::Device &deviceNamed(const std::string &name) {
  Result<OpenDevice *> device = Session::get().device(name);
  if (!device)
    throwException(device.error());
  return *(*device)->device;
}

nb::list devices() {
  nb::list result;
  for (const std::string &name : Session::get().deviceNames()) {
    Result<OpenDevice *> device = Session::get().device(name);
    if (!device)
      throwException(device.error());
    const runtime::DeviceProperties &properties = (*device)->properties;
    result.append(nb::make_tuple(name, properties.description, properties.threads,
                                 properties.cacheBytes, properties.computes));
  }
  return result;
}

} // namespace

NB_MODULE(_native, module) {
  nb::set_leak_warnings(false); // kernels live as long as the process
  if (!addFunctionTypes(module.ptr()))
    throw nb::python_error();
  bindTensor(module);
  bindCompile(module);
  module.def(
      "set_device", [](const std::string &name) { check(Session::get().setDefaultDevice(name)); },
      "name"_a);
  module.def(
      "push_device", [](const std::string &name) { check(Session::get().pushDevice(name)); },
      "name"_a);
  module.def("pop_device", [] { Session::get().popDevice(); });
  module.def("current_device", [] {
    Result<OpenDevice *> device = Session::get().currentDevice();
    if (!device)
      throwException(device.error());
    return (*device)->name;
  });
  module.def("devices", devices);
  module.def(
      "configure_device",
      [](const std::string &name, const std::string &settings) {
        check(deviceNamed(name).configure(settings));
      },
      "name"_a, "settings"_a, "Changes settings of a device: a JSON object.");
  module.def(
      "launch_report", [](const std::string &name) { return deviceNamed(name).launchReport(); },
      "name"_a, "What this thread's last launch on the device did (JSON), or an empty text.");
  module.def(
      "set_num_threads", [](unsigned count) { check(Session::get().setThreads(count)); },
      "count"_a);
}

} // namespace kiln::python
