//===- Perfetto.cpp - traces for a viewer ----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The JSON of Chrome's trace events: a process per core, a thread per pipe, times in microseconds.
// The n-th set of a flag and the n-th wait for it are joined by an arrow.
//
//===-----------------------------------------------------------------------------------------===//

#include "image/Signature.h"
#include "image/Structure.h"
#include "sim/Simulator.h"

#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <tuple>

namespace kiln::sim {

using Json = nlohmann::ordered_json;

namespace {

class Writer {
public:
  Writer(const Report &report, const image::Image &image) : report(report), image(image) {}

  std::string run() {
    for (const TraceEvent &event : report.trace)
      add(event);
    text += "\n]}\n";
    return std::move(text);
  }

private:
  void add(const TraceEvent &event);
  void name(const Place &place);
  void arrow(const TraceEvent &event, const image::Instruction &instruction);
  void put(const Json &json) {
    text += text.back() == '[' ? "\n" : ",\n";
    text += json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  unsigned process(const Place &place) const {
    bool vector = place.core == machine::Core::AIV;
    return (vector ? report.use[0].cores : 0) + place.coreIndex + 1;
  }
  const image::Instruction *instructionAt(const Place &place) const {
    for (const image::Program &program : image.programs)
      if (program.core == place.core && place.instruction < program.body.size())
        return &program.body[place.instruction];
    return nullptr;
  }

  const Report &report;
  const image::Image &image;
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  std::set<unsigned> processes;
  std::set<std::pair<unsigned, unsigned>> threads;
  /// Per flag of a core: how often it was set and waited for so far. Both ends of arrow number n of
  /// a flag get the same id.
  using FlagKey = std::tuple<unsigned, unsigned, int64_t>;
  std::map<FlagKey, std::array<uint64_t, 2>> uses;
  std::map<std::tuple<unsigned, unsigned, int64_t, uint64_t>, uint64_t> arrows;
};

void Writer::name(const Place &place) {
  unsigned pid = process(place), tid = unsigned(place.pipe);
  if (processes.insert(pid).second)
    put({{"ph", "M"},
         {"pid", pid},
         {"name", "process_name"},
         {"args",
          {{"name",
            std::string(machine::name(place.core)) + " " + std::to_string(place.coreIndex)}}}});
  if (threads.insert({pid, tid}).second)
    put({{"ph", "M"},
         {"pid", pid},
         {"tid", tid},
         {"name", "thread_name"},
         {"args", {{"name", machine::name(place.pipe)}}}});
}

void Writer::add(const TraceEvent &event) {
  const image::Instruction *instruction = instructionAt(event.place);
  if (!instruction)
    return;
  name(event.place);
  Json args = {{"instruction", event.place.instruction},
               {"issued_us", report.microseconds(event.issued)}};
  if (std::string source = image::sourceLine(image, event.place.location); !source.empty())
    args["source"] = source;
  if (event.bytes)
    args["bytes"] = event.bytes;
  if (event.flag >= 0)
    args["flag"] = event.flag;
  put({{"ph", "X"},
       {"pid", process(event.place)},
       {"tid", unsigned(event.place.pipe)},
       {"name", image::mnemonic(*instruction)},
       {"ts", report.microseconds(event.start)},
       {"dur", report.microseconds(event.end - event.start)},
       {"args", std::move(args)}});
  if (event.flag >= 0)
    arrow(event, *instruction);
}

void Writer::arrow(const TraceEvent &event, const image::Instruction &instruction) {
  const bool ends = instruction.opcode == machine::Opcode::WaitFlag;
  const unsigned pid = process(event.place);
  const uint64_t number = uses[{pid, instruction.attribute, event.flag}][ends]++;
  auto [entry, isNew] =
      arrows.try_emplace({pid, instruction.attribute, event.flag, number}, arrows.size() + 1);
  Json json = {{"ph", ends ? "f" : "s"},
               {"pid", pid},
               {"tid", unsigned(event.place.pipe)},
               {"name", "flag"},
               {"cat", "flag"},
               {"id", entry->second},
               {"ts", report.microseconds(event.end)}};
  if (ends)
    json["bp"] = "e"; // to the slice around it, not to the next one
  put(json);
}

} // namespace

std::string perfettoTrace(const Report &report, const image::Image &image) {
  return Writer(report, image).run();
}

} // namespace kiln::sim
