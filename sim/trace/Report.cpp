//===- Report.cpp - findings and reports as text ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "image/Structure.h"
#include "sim/Simulator.h"

#include <nlohmann/json.hpp>

#include <cstdarg>
#include <cstdio>

namespace kiln::sim {

using machine::Core;
using machine::Pipe;

namespace {

const image::Instruction *instructionAt(const image::Image &image, const Place &place) {
  for (const image::Program &program : image.programs)
    if (program.core == place.core && place.instruction < program.body.size())
      return &program.body[place.instruction];
  return nullptr;
}

/// "AIV 3, V, vadd #17"
std::string where(const image::Image &image, const Place &place) {
  std::string text = std::string(name(place.core)) + " " + std::to_string(place.coreIndex) + ", " +
                     std::string(name(place.pipe));
  if (const image::Instruction *instruction = instructionAt(image, place))
    text += ", " + std::string(image::mnemonic(*instruction)) + " #" +
            std::to_string(place.instruction);
  return text;
}

std::string line(const image::Image &image, const Place &place, std::string_view kind,
                 const std::string &message) {
  std::string source = image::sourceLine(image, place.location);
  return (source.empty() ? "" : source + ": ") + std::string(kind) + ": " + message + " (" +
         where(image, place) + ")";
}

nlohmann::ordered_json toJson(const image::Image &image, const Place &place) {
  nlohmann::ordered_json json = {{"core", name(place.core)},
                                 {"core_index", place.coreIndex},
                                 {"pipe", name(place.pipe)},
                                 {"instruction", place.instruction}};
  if (const image::Instruction *instruction = instructionAt(image, place))
    json["mnemonic"] = image::mnemonic(*instruction);
  if (std::string source = image::sourceLine(image, place.location); !source.empty())
    json["source"] = source;
  return json;
}

__attribute__((format(printf, 2, 3))) void append(std::string &text, const char *format, ...) {
  char buffer[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  text += buffer;
}

/// The part of the kernel in which a pipe was held, over all cores of the kind.
double share(const Report &report, const CoreUse &use, unsigned pipe) {
  double all = report.kernelCycles * use.cores;
  return all > 0 ? use.busyCycles[pipe] / all : 0;
}

} // namespace

std::string render(const Finding &finding, const image::Image &image) {
  std::string text = line(image, finding.place, name(finding.kind), finding.message);
  uint32_t at = finding.place.location;
  while (at < image.locations.size() && image.locations[at].caller) {
    at = image.locations[at].caller;
    text += "\n" + image::sourceLine(image, at) + ": note: called from here";
  }
  for (const auto &[message, place] : finding.notes)
    text += "\n" + line(image, place, "note", message);
  return text;
}

std::string reportJson(const Report &report, const image::Image &image) {
  using Json = nlohmann::ordered_json;
  Json cores = Json::object();
  for (unsigned kind = 0; kind < machine::coreKinds; ++kind) {
    const CoreUse &use = report.use[kind];
    if (!use.cores)
      continue;
    Json pipes = Json::object();
    for (unsigned pipe = 0; pipe < machine::pipeCount; ++pipe)
      if (use.instructions[pipe])
        pipes[std::string(name(Pipe(pipe)))] = {{"instructions", use.instructions[pipe]},
                                                {"busy_cycles", use.busyCycles[pipe]},
                                                {"busy_share", share(report, use, pipe)}};
    cores[std::string(name(Core(kind)))] = {{"cores", use.cores}, {"pipes", std::move(pipes)}};
  }
  Json findings = Json::array();
  for (const Finding &finding : report.findings) {
    Json notes = Json::array();
    for (const auto &[message, place] : finding.notes)
      notes.push_back({{"message", message}, {"place", toJson(image, place)}});
    findings.push_back({{"kind", name(finding.kind)},
                        {"message", finding.message},
                        {"place", toJson(image, finding.place)},
                        {"notes", std::move(notes)},
                        {"text", render(finding, image)}});
  }
  char hash[20];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(report.controlHash));
  Json json = {{"kernel", image.kernel},
               {"chip", image.chip},
               {"clock_ghz", report.clockGHz},
               {"kernel_cycles", report.kernelCycles},
               {"kernel_microseconds", report.microseconds(report.kernelCycles)},
               {"write_back_cycles", report.writeBackCycles},
               {"dispatch_cycles", report.dispatchCycles},
               {"launch_microseconds", report.launchMicroseconds},
               {"instructions", report.instructions},
               {"busiest", report.busiest},
               {"busiest_share", report.busiestShare},
               {"cores", std::move(cores)},
               {"hbm_read_bytes", report.hbmReadBytes},
               {"hbm_write_bytes", report.hbmWriteBytes},
               {"l2_read_bytes", report.l2ReadBytes},
               {"l2_write_bytes", report.l2WriteBytes},
               {"dirty_bytes", report.dirtyBytes},
               {"control_hash", hash},
               {"trusted", report.trusted()},
               {"findings", std::move(findings)},
               {"more_findings", report.moreFindings}};
  // Names come from users: bytes that are not UTF-8 must not end the program.
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string reportText(const Report &report, const image::Image &image) {
  std::string text = image.kernel + "\n";
  auto cycles = [&](const char *what, double count, const char *remark) {
    append(text, "  %-12s %14.0f cycles %12.2f us%s\n", what, count, report.microseconds(count),
           remark);
  };
  cycles("kernel", report.kernelCycles, "");
  cycles("write back", report.writeBackCycles, "  (dirty lines of L2, afterwards)");
  cycles("dispatch", report.dispatchCycles, "  (before)");
  append(text, "  %-12s %21s %12.2f us  (host)\n", "launch", "", report.launchMicroseconds);
  if (!report.busiest.empty())
    append(text, "  bound by %s\n", report.busiest.c_str());
  for (unsigned kind = 0; kind < machine::coreKinds; ++kind) {
    const CoreUse &use = report.use[kind];
    if (!use.cores)
      continue;
    append(text, "  %u %s\n", use.cores, std::string(name(Core(kind))).c_str());
    for (unsigned pipe = 0; pipe < machine::pipeCount; ++pipe)
      if (use.instructions[pipe])
        append(text, "    %-5s busy %5.1f %%  %12llu instructions\n",
               std::string(name(Pipe(pipe))).c_str(), 100 * share(report, use, pipe),
               static_cast<unsigned long long>(use.instructions[pipe]));
  }
  auto traffic = [&](const char *what, uint64_t read, uint64_t written) {
    append(text, "  %-12s %14llu bytes read %14llu written\n", what,
           static_cast<unsigned long long>(read), static_cast<unsigned long long>(written));
  };
  traffic("L2", report.l2ReadBytes, report.l2WriteBytes);
  traffic("HBM", report.hbmReadBytes, report.hbmWriteBytes);
  append(text, "  %-12s %14llu bytes dirty at the end\n", "",
         static_cast<unsigned long long>(report.dirtyBytes));
  for (const Finding &finding : report.findings)
    text += render(finding, image) + "\n";
  if (report.moreFindings)
    append(text, "and %llu further findings\n",
           static_cast<unsigned long long>(report.moreFindings));
  return text;
}

} // namespace kiln::sim
