//===- Settings.cpp - what the user of a simulated NPU may choose ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/drivers/npusim/Settings.h"

#include <nlohmann/json.hpp>

namespace kiln::runtime {
namespace {

using Json = nlohmann::json;

/// Sets one member; the text says what it expects where the value is not that.
struct Member {
  const char *name;
  const char *expected;
  bool (*set)(NpuSimSettings &settings, const Json &value);
};

struct ModeName {
  const char *name;
  sim::Mode mode;
};
constexpr ModeName modes[] = {{"functional_timed", sim::Mode::FunctionalTimed},
                              {"functional", sim::Mode::Functional},
                              {"timing_only", sim::Mode::TimingOnly}};

bool setMode(NpuSimSettings &settings, const Json &value) {
  for (const ModeName &known : modes)
    if (value.is_null() || value == known.name) { // null: the first, the default
      settings.options.mode = known.mode;
      return true;
    }
  return false;
}

bool setFlag(bool &flag, const Json &value, bool byDefault) {
  if (!value.is_null() && !value.is_boolean())
    return false;
  flag = value.is_null() ? byDefault : value.get<bool>();
  return true;
}

constexpr Member members[] = {
    {"mode", "one of functional_timed, functional, timing_only", setMode},
    {"check", "true or false",
     [](NpuSimSettings &settings, const Json &value) {
       return setFlag(settings.options.check, value, true);
     }},
    {"warm_l2", "true or false",
     [](NpuSimSettings &settings, const Json &value) {
       return setFlag(settings.options.warmL2, value, false);
     }},
    {"control_trace", "true or false",
     [](NpuSimSettings &settings, const Json &value) {
       return setFlag(settings.options.controlTrace, value, false);
     }},
    {"order", "a seed: an integer of at least 0, or null",
     [](NpuSimSettings &settings, const Json &value) {
       settings.options.order.reset();
       if (value.is_number_unsigned())
         settings.options.order = value.get<uint64_t>();
       return value.is_null() || value.is_number_unsigned();
     }},
    {"trace", "a path or null",
     [](NpuSimSettings &settings, const Json &value) {
       settings.tracePath = value.is_string() ? value.get<std::string>() : std::string();
       return value.is_null() || (value.is_string() && !settings.tracePath.empty());
     }},
    {"cycle_limit", "an integer of at least 1, or null",
     [](NpuSimSettings &settings, const Json &value) {
       settings.options.cycleLimit =
           value.is_number_unsigned() ? value.get<uint64_t>() : sim::Options().cycleLimit;
       return value.is_null() || (value.is_number_unsigned() && settings.options.cycleLimit > 0);
     }},
};

} // namespace

Result<NpuSimSettings> changeSettings(NpuSimSettings settings, std::string_view text,
                                      const std::string &place) {
  Json json = Json::parse(text, /*callback=*/nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return makeError(ErrorKind::Invalid, place, "settings are no JSON object");
  for (const auto &[name, value] : json.items()) {
    const Member *member = nullptr;
    std::string known;
    for (const Member &candidate : members) {
      if (name == candidate.name)
        member = &candidate;
      known += (known.empty() ? "" : ", ") + std::string(candidate.name);
    }
    if (!member)
      return makeError(ErrorKind::Invalid, place, "has no setting '" + name + "'",
                       "one of " + known);
    if (!member->set(settings, value))
      return makeError(ErrorKind::Invalid, place,
                       "setting '" + name + "' is " +
                           value.dump(-1, ' ', false, Json::error_handler_t::replace),
                       member->expected);
  }
  if (settings.options.order && settings.options.mode != sim::Mode::Functional)
    return makeError(ErrorKind::Invalid, place, "setting 'order' needs the mode 'functional'",
                     "times and a random order do not go together");
  settings.options.trace = !settings.tracePath.empty();
  return settings;
}

} // namespace kiln::runtime
