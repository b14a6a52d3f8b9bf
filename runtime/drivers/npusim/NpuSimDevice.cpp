//===- NpuSimDevice.cpp - an NPU that is simulated -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/drivers/npusim/NpuSimDevice.h"

#include "image/File.h"
#include "image/Verify.h"
#include "runtime/base/File.h"
#include "runtime/cache/EntryFormat.h"
#include "runtime/drivers/npusim/Settings.h"
#include "sim/Simulator.h"

#include <cstring>
#include <mutex>
#include <new>

namespace kiln::runtime {
namespace {

constexpr std::align_val_t alignment{64};
constexpr uint64_t maxImageBytes = uint64_t(1) << 30;
constexpr size_t findingsInError = 8; ///< how many a failed launch quotes

/// Of the last launch of this thread.
thread_local std::string lastReport;

class NpuSimExecutable final : public Executable {
public:
  NpuSimExecutable(uint64_t device, const Image &image, image::Image program)
      : Executable(device, image.name.empty() ? program.kernel : image.name,
                   static_cast<uint32_t>(program.parameters.size())),
        program(std::move(program)) {}

  const image::Image program;
};

/// The image in a file: a .npo as it is, or an entry of the cache, which has more behind it.
Result<image::Image> readProgram(const Image &image) {
  std::string contents;
  if (image.path.empty()) {
    contents.assign(reinterpret_cast<const char *>(image.bytes.data()), image.bytes.size());
  } else {
    Result<std::string> read = readFile(image.path, maxImageBytes);
    if (!read)
      return read.takeError();
    contents = std::move(*read);
  }
  std::string place = image.path.empty() ? "program image of '" + image.name + "'" : image.path;
  if (!image.path.empty())
    if (Result<EntryParts> entry = parseEntry(contents, image.path); entry.ok())
      return image::parse(entry->object, place);
  return image::parse(contents, place);
}

/// What was found, as the text of an error: the first findings, then their number.
Error findingsError(const image::Image &program, const sim::Report &report) {
  bool trapped = report.findings.front().kind == sim::FindingKind::Trap;
  Error error = makeError(trapped ? ErrorKind::Assertion : ErrorKind::Check,
                          "kernel '" + program.kernel + "'", "failed on the simulated NPU");
  for (const sim::Finding &finding : report.findings) {
    if (error.notes.size() == findingsInError)
      break;
    error.notes.push_back(sim::render(finding, program));
  }
  uint64_t more = report.findings.size() - error.notes.size() + report.moreFindings;
  if (more)
    error.notes.push_back("and " + std::to_string(more) + " more");
  return error;
}

class NpuSimDevice final : public Device {
public:
  NpuSimDevice(std::string name, machine::MachineRef machine)
      : openedAs(std::move(name)), machine(std::move(machine)) {}
  ~NpuSimDevice() override { releaseMemory(); }

  DeviceProperties properties() const override {
    return {.name = openedAs,
            .description = machine->description + " (simulated)",
            .codeKey = toHex(machine->fileHash)};
  }

  /// A launch returns when it is done.
  Result<void> synchronise() override { return {}; }

  Result<void> setThreads(unsigned) override { return {}; } // one simulation is one thread

  void setPrintSink(PrintSink) override {} // the compiler refuses device_print

  void setCancelCheck(std::function<bool()> check) override {
    std::lock_guard lock(mutex);
    settings.options.cancelled = std::move(check);
  }

  Result<void> configure(std::string_view json) override {
    std::lock_guard lock(mutex);
    Result<NpuSimSettings> changed = changeSettings(settings, json, "device '" + openedAs + "'");
    if (!changed)
      return changed.takeError();
    settings = std::move(*changed);
    return {};
  }

  std::string launchReport() const override { return lastReport; }

protected:
  Result<void *> allocateMemory(size_t bytes) override {
    void *memory = ::operator new(bytes, alignment, std::nothrow);
    if (!memory)
      return makeError(ErrorKind::System, "device '" + openedAs + "'",
                       "cannot allocate " + std::to_string(bytes) + " bytes");
    return memory;
  }

  void freeMemory(void *memory, size_t) override { ::operator delete(memory, alignment); }

  Result<void> copyMemory(void *target, const void *source, size_t bytes) override {
    if (bytes)
      std::memmove(target, source, bytes);
    return {};
  }

  Result<std::shared_ptr<Executable>> loadImage(const Image &image) override;
  Result<void> launchPrograms(const Executable &executable, const uint32_t (&grid)[3],
                              uint64_t programs, std::span<const uint64_t> args,
                              std::span<const ArgumentSpan> spans) override;

private:
  Result<std::vector<sim::Binding>> bind(const image::Image &program,
                                         std::span<const uint64_t> args,
                                         std::span<const ArgumentSpan> spans) const;

  std::string openedAs;
  machine::MachineRef machine;
  std::mutex mutex;
  NpuSimSettings settings; ///< guarded by `mutex`
};

Result<std::shared_ptr<Executable>> NpuSimDevice::loadImage(const Image &image) {
  Result<image::Image> program = readProgram(image);
  if (!program)
    return program.takeError();
  if (Result<void> legal = image::checkAgainst(*program, *machine); !legal)
    return legal.takeError();
  if (image.argCount && *image.argCount != program->parameters.size())
    return makeError(ErrorKind::Invalid, "program image of '" + program->kernel + "'",
                     "takes " + std::to_string(program->parameters.size()) + " arguments",
                     std::to_string(*image.argCount));
  return std::shared_ptr<Executable>(
      std::make_shared<NpuSimExecutable>(id(), image, std::move(*program)));
}

Result<std::vector<sim::Binding>> NpuSimDevice::bind(const image::Image &program,
                                                     std::span<const uint64_t> args,
                                                     std::span<const ArgumentSpan> spans) const {
  std::vector<sim::Binding> bindings(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    const image::Parameter &parameter = program.parameters[i];
    sim::Binding &binding = bindings[i];
    if (!parameter.isPointer) {
      binding.scalar = args[i];
      continue;
    }
    ArgumentSpan span = spans.empty() ? ArgumentSpan() : spans[i];
    if (span.end == 0) {
      std::optional<ArgumentSpan> own = allocationOf(args[i]);
      if (!own && args[i])
        return makeError(ErrorKind::Invalid, "argument '" + parameter.name + "'",
                         "is an address of unknown extent",
                         "an array, or memory of device '" + openedAs + "'");
      span = own.value_or(ArgumentSpan());
    }
    binding.data = reinterpret_cast<std::byte *>(span.begin);
    binding.bytes = span.end - span.begin;
    binding.scalar = args[i] - span.begin;
  }
  return bindings;
}

Result<void> NpuSimDevice::launchPrograms(const Executable &executable, const uint32_t (&grid)[3],
                                          uint64_t, std::span<const uint64_t> args,
                                          std::span<const ArgumentSpan> spans) {
  const image::Image &program = static_cast<const NpuSimExecutable &>(executable).program;
  Result<std::vector<sim::Binding>> bindings = bind(program, args, spans);
  if (!bindings)
    return bindings.takeError();
  NpuSimSettings chosen;
  {
    std::lock_guard lock(mutex);
    chosen = settings;
  }
  lastReport.clear();
  Result<sim::Report> report =
      sim::simulate(program, *machine, *bindings, {grid[0], grid[1], grid[2]}, chosen.options);
  if (!report)
    return report.takeError();
  lastReport = sim::reportJson(*report, program);
  if (!chosen.tracePath.empty())
    if (Result<void> written = writeFile(chosen.tracePath, sim::perfettoTrace(*report, program));
        !written)
      return written.takeError();
  if (!report->findings.empty())
    return findingsError(program, *report);
  return {};
}

} // namespace

Result<std::shared_ptr<Device>> createNpuSimDevice(const std::string &name) {
  Result<machine::MachineRef> machine = machine::findMachine(name);
  if (!machine)
    return machine.takeError();
  return std::shared_ptr<Device>(std::make_shared<NpuSimDevice>(name, std::move(*machine)));
}

} // namespace kiln::runtime
