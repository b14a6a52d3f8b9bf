//===- FakeCompiler.cpp - a stand-in for the compiler library --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Follows include/kiln-c/Compiler.h. The capture of a request says what happens: {"object": path}
// gives that file back, {"error": text} a report with a diagnostic, {"cancel": true} a cancelled
// one, {"garbage": true} no JSON. The report counts the compilations of the process, so that tests
// see whether one took place.
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln-c/Compiler.h"

#include <atomic>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

struct KilnCompilation {
  std::string report;
  std::string object;
};

extern "C" {

// Gives the two libraries that are made from this file build ids of their own.
extern const char kilnFakeName[];
const char kilnFakeName[] = FAKE_NAME;

uint32_t kilnCompilerApiVersion(void) { return KILN_COMPILER_API_VERSION; }

KilnCompilation *kilnCompile(const char *text, size_t size, const KilnCompileHost *host) {
  static std::atomic<int> count{0};
  auto request = nlohmann::json::parse(text, text + size);
  const nlohmann::json &capture = request.at("capture");
  auto *result = new KilnCompilation;
  nlohmann::json report = {
      {"schema", 1},      {"ok", true},
      {"kernel", "fake"}, {"args", capture.value("args", nlohmann::json::array())},
      {"count", ++count}, {"cancelled", false}};
  if (capture.contains("writes"))
    report["writes"] = capture["writes"];
  for (const auto &stage : request.at("emit"))
    if (stage != "object")
      report["stages"][stage] = "text of " + stage.get<std::string>();
  if (capture.contains("error")) {
    report["ok"] = false;
    report["diagnostics"] = {{{"severity", "error"}, {"message", capture["error"]}, {"line", 14}}};
  } else if (capture.contains("cancel")) {
    report["ok"] = false;
    report["cancelled"] = host && host->cancelled && host->cancelled(host->user);
  } else {
    std::ifstream file(capture.at("object").get<std::string>(), std::ios::binary);
    result->object.assign(std::istreambuf_iterator<char>(file), {});
  }
  result->report = capture.contains("garbage") ? "garbage" : report.dump();
  return result;
}

const char *kilnCompilationReport(const KilnCompilation *compilation) {
  return compilation->report.c_str();
}

const void *kilnCompilationObject(const KilnCompilation *compilation, size_t *size) {
  *size = compilation->object.size();
  return compilation->object.empty() ? nullptr : compilation->object.data();
}

void kilnCompilationDestroy(KilnCompilation *compilation) { delete compilation; }
}
