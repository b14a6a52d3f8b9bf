//===- Session.h - devices, loader and settings of this process -----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// What a process of Kiln's Python package shares: one open device per name, one kernel loader, the
// current device. Nothing is opened and no environment is read before the first use.
//
//===-----------------------------------------------------------------------------------------===//
#ifndef KILN_PYTHON_NATIVE_SESSION_H
#define KILN_PYTHON_NATIVE_SESSION_H

#include <Python.h>

#include "runtime/device/Device.h"
#include "runtime/device/DriverRegistry.h"
#include "runtime/launch/KernelLoader.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kiln::python {

/// An open device.
struct OpenDevice {
  std::string name;
  std::shared_ptr<runtime::Device> device;
  runtime::DeviceProperties properties;
};

class Session {
public:
  /// The one of this process. Guarded by the interpreter lock.
  static Session &get();

  /// Opens the device at its first use; the pointer stays valid.
  Result<OpenDevice *> device(std::string_view name);
  /// The device of a launch that names none: that of the innermost `with kiln.device(…)` of this
  /// thread, else what `set_device` chose, else "cpu".
  Result<OpenDevice *> currentDevice();
  Result<void> setDefaultDevice(std::string_view name);
  Result<void> pushDevice(std::string_view name);
  void popDevice();
  std::vector<std::string> deviceNames() const { return registry.names(); }

  /// Threads of every device that is or will be open; 0 = as many as the machine has.
  Result<void> setThreads(unsigned threads);

  /// The loader; KILN_CACHE_DIR, KILN_CACHE_SIZE_MB and KILN_CACHE (0 = off) are read when it is
  /// made, at the first compilation or cache look-up.
  runtime::KernelLoader &loader();
  runtime::CompilerLibrary &compiler();
  /// Null if the cache is switched off.
  runtime::DiskCache *cache();

private:
  void readSettings();

  runtime::DriverRegistry registry;
  std::unordered_map<std::string, std::unique_ptr<OpenDevice>> devices;
  OpenDevice *defaultDevice = nullptr;
  std::optional<unsigned> threads;
  bool settingsRead = false;
  std::shared_ptr<runtime::DiskCache> diskCache;
  std::shared_ptr<runtime::CompilerLibrary> compilerLibrary;
  std::unique_ptr<runtime::KernelLoader> kernelLoader;
};

} // namespace kiln::python

#endif // KILN_PYTHON_NATIVE_SESSION_H
