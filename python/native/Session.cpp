//===- Session.cpp - devices, loader and settings of this process ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "python/native/Session.h"

#include <cstdlib>

namespace kiln::python {

namespace {

/// Devices that `with kiln.device(…)` made current in this thread.
thread_local std::vector<OpenDevice *> deviceStack;

/// A line of device_print, through Python's own standard output, so that it keeps its order with
/// what Python printed. Called without the interpreter lock.
void printLine(std::string_view line) {
  if (!Py_IsInitialized())
    return;
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *text = PyUnicode_DecodeUTF8(line.data(), Py_ssize_t(line.size()), "replace");
  PyObject *out = PySys_GetObject("stdout");
  if (!text || !out || out == Py_None || PyFile_WriteObject(text, out, Py_PRINT_RAW) ||
      PyFile_WriteString("\n", out))
    PyErr_Clear();
  Py_XDECREF(text);
  PyGILState_Release(state);
}

/// Ctrl-C ends a long launch. Called without the interpreter lock; the exception stays set.
bool interrupted() {
  if (!Py_IsInitialized())
    return false;
  PyGILState_STATE state = PyGILState_Ensure();
  bool answer = PyErr_Occurred() || PyErr_CheckSignals() != 0;
  PyGILState_Release(state);
  return answer;
}

std::string_view environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

} // namespace

Session &Session::get() {
  // Never destroyed: threads and Python objects may outlive static destructors.
  static Session *session = new Session;
  return *session;
}

Result<OpenDevice *> Session::device(std::string_view name) {
  auto found = devices.find(std::string(name));
  if (found != devices.end())
    return found->second.get();
  Result<std::shared_ptr<runtime::Device>> opened = registry.open(name);
  if (!opened)
    return opened.takeError();
  auto entry = std::make_unique<OpenDevice>();
  entry->name = name;
  entry->device = std::move(*opened);
  if (threads && entry->device->properties().computes)
    if (Result<void> set = entry->device->setThreads(*threads); !set)
      return set.takeError();
  entry->device->setPrintSink(printLine);
  entry->device->setCancelCheck(interrupted);
  entry->properties = entry->device->properties();
  return devices.emplace(entry->name, std::move(entry)).first->second.get();
}

Result<OpenDevice *> Session::currentDevice() {
  if (!deviceStack.empty())
    return deviceStack.back();
  if (!defaultDevice)
    if (Result<void> set = setDefaultDevice("cpu"); !set)
      return set.takeError();
  return defaultDevice;
}

Result<void> Session::setDefaultDevice(std::string_view name) {
  Result<OpenDevice *> opened = device(name);
  if (!opened)
    return opened.takeError();
  defaultDevice = *opened;
  return {};
}

Result<void> Session::pushDevice(std::string_view name) {
  Result<OpenDevice *> opened = device(name);
  if (!opened)
    return opened.takeError();
  deviceStack.push_back(*opened);
  return {};
}

void Session::popDevice() {
  if (!deviceStack.empty())
    deviceStack.pop_back();
}

Result<void> Session::setThreads(unsigned count) {
  for (auto &[name, entry] : devices) {
    if (!entry->properties.computes)
      continue; // runs no programs
    if (Result<void> set = entry->device->setThreads(count); !set)
      return set.takeError();
    entry->properties = entry->device->properties();
  }
  threads = count;
  return {};
}

void Session::readSettings() {
  if (settingsRead)
    return;
  settingsRead = true;
  compilerLibrary = std::make_shared<runtime::CompilerLibrary>();
  runtime::CacheConfig config;
  config.directory = environment("KILN_CACHE_DIR");
  if (config.directory.empty())
    config.directory =
        runtime::defaultCacheDirectory(environment("XDG_CACHE_HOME"), environment("HOME"));
  if (std::string size(environment("KILN_CACHE_SIZE_MB")); !size.empty())
    config.maxBytes = std::strtoull(size.c_str(), nullptr, 10) << 20;
  if (environment("KILN_CACHE") != "0" && !config.directory.empty())
    diskCache = std::make_shared<runtime::DiskCache>(std::move(config));
  kernelLoader = std::make_unique<runtime::KernelLoader>(compilerLibrary, diskCache);
}

runtime::KernelLoader &Session::loader() {
  readSettings();
  return *kernelLoader;
}

runtime::CompilerLibrary &Session::compiler() {
  readSettings();
  return *compilerLibrary;
}

runtime::DiskCache *Session::cache() {
  readSettings();
  return diskCache.get();
}

} // namespace kiln::python
