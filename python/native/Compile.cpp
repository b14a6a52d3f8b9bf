//===- Compile.cpp - compiling from Python --------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "python/native/Compile.h"
#include "python/native/Errors.h"
#include "python/native/Function.h"

#include "image/File.h"
#include "runtime/launch/HostCpu.h"
#include "sim/asm/Assembly.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstring>

namespace nb = nanobind;
using namespace nb::literals;

namespace kiln::python {

namespace {

using Clock = std::chrono::steady_clock;

/// What the compiler may ask of Python while it runs without the interpreter lock.
class HostCallbacks {
public:
  /// `capture` is the kiln.capture.Capture whose host functions may be called.
  explicit HostCallbacks(nb::handle capture) : capture(capture) {
    table = {this, callHost, freeText, print, cancelled, nullptr, nullptr};
  }

  const KilnCompileHost *host() const { return &table; }

  /// With the lock: raises what a callback met (Ctrl-C) instead of the compiler's "cancelled".
  bool restoreException() {
    if (!pending.is_valid())
      return false;
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(pending.ptr())), pending.ptr());
    pending.reset();
    return true;
  }

private:
  static char *callHost(void *user, const char *request) {
    auto *self = static_cast<HostCallbacks *>(user);
    nb::gil_scoped_acquire lock;
    try {
      auto answer = nb::cast<std::string>(self->capture.attr("call_host_text")(request));
      return strdup(answer.c_str());
    } catch (nb::python_error &error) {
      self->keep(error);
      return strdup(R"({"error":"interrupted"})");
    } catch (std::exception &) {
      return strdup(R"({"error":"the answer of the host function is not text"})");
    }
  }

  static void freeText(void *, char *text) { std::free(text); }

  static void print(void *user, const char *text, size_t size) {
    auto *self = static_cast<HostCallbacks *>(user);
    nb::gil_scoped_acquire lock;
    try {
      nb::module_::import_("builtins").attr("print")(nb::str(text, size));
    } catch (nb::python_error &error) {
      self->keep(error);
    }
  }

  static int cancelled(void *user) {
    auto *self = static_cast<HostCallbacks *>(user);
    if (self->pending.is_valid())
      return 1;
    // The compiler asks often, and the lock may be contended.
    Clock::time_point now = Clock::now();
    if (now < self->nextCheck)
      return 0;
    self->nextCheck = now + std::chrono::milliseconds(20);
    nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() == 0)
      return 0;
    nb::python_error error;
    self->keep(error);
    return 1;
  }

  void keep(nb::python_error &error) {
    if (!pending.is_valid())
      pending = nb::borrow(error.value());
  }

  nb::handle capture;
  nb::object pending;
  Clock::time_point nextCheck = Clock::now() + std::chrono::milliseconds(20);
  KilnCompileHost table;
};

/// A compiled kernel with what is needed to compile it again for a stage's text.
struct KernelHandle {
  std::shared_ptr<const runtime::Kernel> kernel;
  std::string captureText, signature, options;
  bool streaming = false;
  std::string device = "cpu", cpu, features; ///< the request's target

  std::string request(const std::vector<std::string> &emit) const {
    runtime::RequestParts parts;
    parts.capture = captureText;
    parts.signature = signature;
    parts.options = options;
    parts.streaming = streaming;
    parts.device = device;
    parts.cpu = cpu;
    parts.features = features;
    parts.emit = emit;
    return runtime::composeRequest(parts);
  }
};

/// A compilation fails because of the kernel or because of the installation, never because of an
/// argument of the launch.
Error asCompilerError(Error error) {
  if (error.kind == ErrorKind::Invalid || error.kind == ErrorKind::NotFound ||
      error.kind == ErrorKind::Type)
    error.kind = ErrorKind::System;
  return error;
}

/// Compiles a request; the report. A rejected kernel is no exception here.
/// Report and object (empty where none was asked for).
runtime::Compilation compile(const std::string &request, nb::handle capture) {
  HostCallbacks callbacks(capture);
  runtime::CompilerLibrary &compiler = Session::get().compiler();
  Result<runtime::Compilation> compilation = [&] {
    nb::gil_scoped_release unlocked;
    return compiler.compile(request, callbacks.host());
  }();
  if (callbacks.restoreException())
    throw nb::python_error();
  if (!compilation)
    throwException(asCompilerError(compilation.takeError()));
  return std::move(*compilation);
}

std::string compileRequest(const std::string &request, nb::handle capture) {
  return std::string(compile(request, capture).report());
}

nb::tuple compileObject(const std::string &request, nb::handle capture) {
  runtime::Compilation compilation = compile(request, capture);
  std::string_view report = compilation.report();
  std::span<const std::byte> object = compilation.object();
  return nb::make_tuple(nb::str(report.data(), report.size()),
                        nb::bytes(object.data(), object.size()));
}

/// The text of a program image, as `kiln sim` reads it.
std::string disassemble(const nb::bytes &object, const std::string &place) {
  Result<image::Image> program = image::parse({object.c_str(), object.size()}, place);
  if (!program)
    throwException(program.error());
  return sim::disassemble(*program);
}

bool warnAbout(const runtime::Kernel &kernel) {
  for (const std::string &note : kernel.cacheNotes)
    if (PyErr_WarnEx(PyExc_RuntimeWarning, ("kernel cache: " + note).c_str(), 2))
      return false;
  return true;
}

nb::object makeCompiled(FunctionObject *function, const runtime::Specialization &specialization,
                        const BoundCall &call) {
  nb::object self = nb::borrow(reinterpret_cast<PyObject *>(function));
  KernelHandle handle;
  nb::object capture = self.attr("capture");
  handle.captureText = nb::cast<std::string>(capture.attr("text"));
  handle.signature = specialization.signatureJson();
  handle.options = call.options;
  handle.streaming = specialization.streaming();
  if (const std::string &key = call.device->properties.codeKey; key.empty()) {
    handle.cpu = runtime::hostCpu().name;
    handle.features = runtime::hostCpu().features;
  } else {
    handle.device = call.device->name;
    handle.features = key; // code for a chip depends on its file alone
  }
  std::string request = handle.request({"object"});
  std::string key(specialization.key());
  std::shared_ptr<runtime::Dispatcher> dispatcher = function->state->dispatcher;
  runtime::KernelLoader &loader = Session::get().loader();
  std::shared_ptr<runtime::Device> device = call.device->device;

  HostCallbacks callbacks(capture);
  Result<std::shared_ptr<const runtime::Kernel>> kernel = [&] {
    nb::gil_scoped_release unlocked;
    return dispatcher->findOrMake(key,
                                  [&] { return loader.load(request, *device, callbacks.host()); });
  }();
  if (callbacks.restoreException())
    throw nb::python_error();
  if (!kernel)
    throwException(asCompilerError(kernel.takeError()));
  if (!warnAbout(**kernel))
    throw nb::python_error();
  handle.kernel = std::move(*kernel);
  return self.attr("_make_compiled")(nb::cast(std::move(handle)));
}

} // namespace

const Variant *makeVariant(FunctionObject *function, const runtime::Specialization &specialization,
                           const BoundCall &call) {
  try {
    FunctionState *state = function->state;
    std::string key(specialization.key());
    nb::object compiled;
    std::shared_ptr<runtime::Dispatcher> dispatcher;
    do { // again if the source was replaced meanwhile
      dispatcher = state->dispatcher;
      compiled = makeCompiled(function, specialization, call);
    } while (state->dispatcher != dispatcher);
    // Another thread may have been here first: its object stays.
    auto [entry, added] = state->variants.try_emplace(std::move(key));
    if (added) {
      entry->second.kernel = nb::inst_ptr<KernelHandle>(compiled.attr("_handle"))->kernel;
      entry->second.compiled = compiled.release().ptr();
    }
    return &entry->second;
  } catch (nb::python_error &error) {
    error.restore();
  } catch (std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

void bindCompile(nb::module_ &module) {
  nb::class_<KernelHandle>(module, "KernelHandle")
      .def_prop_ro("report", [](const KernelHandle &h) { return h.kernel->report; })
      .def_prop_ro("cache_key", [](const KernelHandle &h) { return h.kernel->cacheKey; })
      .def_prop_ro("path", [](const KernelHandle &h) { return h.kernel->path; })
      .def_prop_ro("from_cache", [](const KernelHandle &h) { return h.kernel->fromCache; })
      .def_prop_ro("device", [](const KernelHandle &h) { return h.device; })
      .def_prop_ro("options", [](const KernelHandle &h) { return h.options; })
      .def_prop_ro("signature", [](const KernelHandle &h) { return h.signature; })
      .def(
          "compile_stages",
          [](const KernelHandle &h, const std::vector<std::string> &stages, nb::handle capture) {
            return compileRequest(h.request(stages), capture);
          },
          "stages"_a, "capture"_a,
          "The report of compiling again, with the texts of these stages.");

  module.def("compile_request", compileRequest, "request"_a, "capture"_a.none(),
             "Compiles a request (JSON) and returns the report (JSON).");
  module.def("compile_object", compileObject, "request"_a, "capture"_a.none(),
             "Compiles a request (JSON) and returns the report (JSON) and the object.");
  module.def("disassemble", disassemble, "image"_a, "place"_a,
             "The text of a program image; `place` names it in errors.");
  module.def("host_cpu", [] {
    const runtime::HostCpu &cpu = runtime::hostCpu();
    return nb::make_tuple(cpu.name, cpu.features);
  });
  module.def("compiler_path", [] { return Session::get().compiler().path(); });
  module.def("compiler_build_id", [] {
    Result<std::string> id = Session::get().compiler().buildId();
    if (!id)
      throwException(id.error());
    return std::move(*id);
  });
  module.def("compiler_loaded", [] { return Session::get().compiler().loaded(); });
  module.def("cache_config", []() -> nb::object {
    runtime::DiskCache *cache = Session::get().cache();
    if (!cache)
      return nb::none();
    return nb::make_tuple(cache->config().directory, cache->config().maxBytes);
  });
}

} // namespace kiln::python
