//===- KernelLoader.cpp - from a request to a loaded kernel ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/launch/KernelLoader.h"

#include "runtime/base/Hash.h"
#include "runtime/base/KernelAbi.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kiln::runtime {
namespace {

using Json = nlohmann::json;

/// What a request asks for besides code: it does not go into the key.
constexpr const char *notInKey[] = {"emit", "dump_dir", "explain_access", "verify_each"};

Json parseJson(std::string_view text) {
  return Json::parse(text, /*callback=*/nullptr, /*allow_exceptions=*/false);
}

std::string dumpJson(const Json &json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

Result<Json> parseRequest(std::string_view text) {
  Json request = parseJson(text);
  if (!request.is_object())
    return makeError(ErrorKind::Invalid, "compile request", "is not a JSON object");
  return request;
}

/// The stages that the request wants to see, besides the object.
std::vector<std::string> wantedStages(const Json &request) {
  std::vector<std::string> stages;
  if (auto emit = request.find("emit"); emit != request.end() && emit->is_array())
    for (const Json &stage : *emit)
      if (stage.is_string() && stage != "object")
        stages.push_back(stage);
  return stages;
}

bool isTrue(const Json &object, const char *name) {
  auto found = object.find(name);
  return found != object.end() && *found == true;
}

/// The request wants files or texts that only a compilation makes.
bool hasSideEffects(const Json &request) {
  auto dump = request.find("dump_dir");
  return isTrue(request, "explain_access") || (dump != request.end() && *dump != "");
}

/// What of a report the loader acts on.
struct ReportFacts {
  std::string kernel;
  std::optional<uint32_t> argCount;
  std::vector<bool> writes;
  std::vector<std::string> stages;
};

ReportFacts readReport(const Json &report) {
  ReportFacts facts;
  if (auto kernel = report.find("kernel"); kernel != report.end() && kernel->is_string())
    facts.kernel = *kernel;
  if (auto args = report.find("args"); args != report.end() && args->is_array())
    facts.argCount = static_cast<uint32_t>(args->size());
  // A compiler that does not say which pointers are only read has to be taken to write through all.
  facts.writes.assign(facts.argCount.value_or(0), true);
  if (auto writes = report.find("writes"); writes != report.end() && writes->is_array())
    for (size_t i = 0; i < facts.writes.size() && i < writes->size(); ++i)
      facts.writes[i] = (*writes)[i] != false;
  if (auto stages = report.find("stages"); stages != report.end() && stages->is_object())
    for (const auto &[name, text] : stages->items())
      facts.stages.push_back(name);
  return facts;
}

std::string keyOf(const Json &request, const std::string &buildId) {
  Json code = request;
  for (const char *name : notInKey)
    code.erase(name);
  Hasher hasher;
  hasher.addField("kiln kernel abi " + std::to_string(KILN_KERNEL_ABI_VERSION));
  hasher.addField(buildId);
  hasher.addField(dumpJson(code));
  return toHex(hasher.digest());
}

Result<std::shared_ptr<const Kernel>> loadKernel(Device &device, const Image &image,
                                                 Kernel kernel) {
  Result<std::shared_ptr<Executable>> executable = device.load(image);
  if (!executable)
    return executable.takeError();
  kernel.executable = std::move(*executable);
  return std::shared_ptr<const Kernel>(std::make_shared<Kernel>(std::move(kernel)));
}

/// The kernel of an entry; null, with a note in `kernel`, if the entry does not serve.
std::shared_ptr<const Kernel> loadEntry(DiskCache &cache, const Json &request, Device &device,
                                        Kernel &kernel) {
  CacheLookup entry = cache.find(kernel.cacheKey);
  if (!entry.hit) {
    if (!entry.reason.empty())
      kernel.cacheNotes.push_back(std::move(entry.reason));
    return nullptr;
  }
  auto unused = [&](std::string reason) {
    kernel.cacheNotes.push_back("cache file '" + entry.path + "': " + reason);
    return nullptr;
  };
  Json report = parseJson(entry.metadata);
  if (!report.is_object())
    return unused("its metadata is not a report");
  ReportFacts facts = readReport(report);
  for (const std::string &stage : wantedStages(request))
    if (std::find(facts.stages.begin(), facts.stages.end(), stage) == facts.stages.end())
      return unused("has no text of stage '" + stage + "'");
  Kernel found = kernel;
  found.report = std::move(entry.metadata);
  found.path = entry.path;
  found.writes = std::move(facts.writes);
  found.fromCache = true;
  Result<std::shared_ptr<const Kernel>> loaded =
      loadKernel(device, {.path = entry.path, .name = facts.kernel, .argCount = facts.argCount},
                 std::move(found));
  if (!loaded)
    return unused(loaded.error().message());
  return *loaded;
}

} // namespace

std::string composeRequest(const RequestParts &parts) {
  // Capture and signature are texts already, and long: they are copied, not parsed.
  Json options = parseJson(parts.options.empty() ? "{}" : parts.options);
  if (!options.is_object())
    options = Json::object();
  options["streaming"] = parts.streaming;
  Json target = {{"device", parts.device}, {"cpu", parts.cpu}, {"features", parts.features}};
  std::string text = R"({"schema":1,"capture":)";
  text += parts.capture;
  text += R"(,"signature":)";
  text += parts.signature;
  text += R"(,"options":)" + dumpJson(options);
  text += R"(,"target":)" + dumpJson(target);
  text += R"(,"emit":)" + dumpJson(Json(parts.emit));
  text += R"(,"dump_dir":)" + dumpJson(Json(parts.dumpDir));
  text += R"(,"explain_access":)" + std::string(parts.explainAccess ? "true" : "false");
  if (parts.verifyEach)
    text += R"(,"verify_each":)" + std::string(*parts.verifyEach ? "true" : "false");
  text += "}";
  return text;
}

KernelLoader::KernelLoader(std::shared_ptr<CompilerLibrary> compiler,
                           std::shared_ptr<DiskCache> cache)
    : compiler(std::move(compiler)), cache(std::move(cache)) {}

Result<std::string> KernelLoader::cacheKey(std::string_view requestText) {
  Result<Json> request = parseRequest(requestText);
  if (!request)
    return request.takeError();
  Result<std::string> buildId = compiler->buildId();
  if (!buildId)
    return buildId.takeError();
  return keyOf(*request, *buildId);
}

Result<std::shared_ptr<const Kernel>>
KernelLoader::load(std::string_view requestText, Device &device, const KilnCompileHost *host) {
  Result<Json> parsed = parseRequest(requestText);
  if (!parsed)
    return parsed.takeError();
  Json &request = *parsed;

  Kernel kernel;
  if (cache) {
    Result<std::string> buildId = compiler->buildId();
    if (!buildId)
      return buildId.takeError();
    kernel.cacheKey = keyOf(request, *buildId);
    if (!hasSideEffects(request))
      if (std::shared_ptr<const Kernel> found = loadEntry(*cache, request, device, kernel))
        return found;
  }

  std::vector<std::string> emit = wantedStages(request);
  emit.push_back("object");
  request["emit"] = emit;
  Result<Compilation> compilation = compiler->compile(dumpJson(request), host);
  if (!compilation)
    return compilation.takeError();
  kernel.report = compilation->report();
  Json report = parseJson(kernel.report);
  if (!report.is_object())
    return makeError(ErrorKind::Invalid, "compiler '" + compiler->path() + "'",
                     "gave a report that is not a JSON object");
  ReportFacts facts = readReport(report);
  if (isTrue(report, "cancelled"))
    return makeError(ErrorKind::Cancelled, "kernel '" + facts.kernel + "'",
                     "its compilation was cancelled");
  if (!isTrue(report, "ok") || compilation->object().empty()) {
    Error error =
        makeError(ErrorKind::Compile, "kernel '" + facts.kernel + "'", "does not compile");
    error.report = std::move(kernel.report);
    return error;
  }

  kernel.writes = std::move(facts.writes);
  if (cache) {
    Result<std::string> stored =
        cache->store(kernel.cacheKey, compilation->object(), kernel.report);
    if (stored) {
      Kernel onDisk = kernel;
      onDisk.path = *stored;
      Result<std::shared_ptr<const Kernel>> loaded =
          loadKernel(device, {.path = *stored, .name = facts.kernel, .argCount = facts.argCount},
                     std::move(onDisk));
      if (loaded)
        return loaded;
      // A folder from which nothing may be executed, or an entry that another process has just
      // evicted.
      kernel.cacheNotes.push_back(loaded.error().message());
    } else {
      kernel.cacheNotes.push_back(stored.error().message());
    }
  }
  return loadKernel(
      device, {.bytes = compilation->object(), .name = facts.kernel, .argCount = facts.argCount},
      std::move(kernel));
}

} // namespace kiln::runtime
