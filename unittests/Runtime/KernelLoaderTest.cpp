//===- KernelLoaderTest.cpp - tests of the way from a request to a kernel --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "TestSupport.h"

#include "runtime/drivers/cpu/CpuDevice.h"
#include "runtime/launch/KernelLoader.h"

#include <bit>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace kiln::runtime {
namespace {

using Json = nlohmann::json;

class KernelLoaderTest : public testing::Test {
protected:
  /// A process of its own, as far as the loader is concerned.
  KernelLoader freshLoader() {
    compiler =
        std::make_shared<CompilerLibrary>(std::string(COMPILER_FOLDER) + "/libkiln_compiler.so");
    return KernelLoader(compiler, std::make_shared<DiskCache>(CacheConfig{cacheFolder}));
  }

  Json request() const {
    return {{"schema", 1},
            {"capture", {{"object", kernelPath("Scale")}, {"args", {"*f32", "i64", "f32"}}}},
            {"options", {{"num_warps", 4}}},
            {"emit", {"object"}},
            {"dump_dir", ""},
            {"explain_access", false}};
  }

  Result<std::shared_ptr<const Kernel>> load(const Json &json) {
    return freshLoader().load(json.dump(), *device, nullptr);
  }

  void expectWorks(const Kernel &kernel) {
    float x[2] = {1, 2};
    const uint64_t args[] = {reinterpret_cast<uint64_t>(x), 2, std::bit_cast<uint32_t>(3.0f)};
    EXPECT_TRUE(device->launch(*kernel.executable, {2}, args).ok());
    EXPECT_EQ(x[1], 6);
  }

  TemporaryFolder folder;
  std::string cacheFolder = folder.path() + "/kiln";
  std::shared_ptr<Device> device = valueOf(createCpuDevice(1));
  std::shared_ptr<CompilerLibrary> compiler;
};

TEST_F(KernelLoaderTest, CompilesOnceThenLoadsFromDisk) {
  auto cold = valueOf(load(request()));
  EXPECT_FALSE(cold->fromCache);
  EXPECT_TRUE(compiler->loaded());
  expectWorks(*cold);
  auto warm = valueOf(load(request()));
  EXPECT_TRUE(warm->fromCache);
  EXPECT_FALSE(compiler->loaded()) << "a warm process must not load the compiler";
  EXPECT_EQ(warm->report, cold->report);
  EXPECT_EQ(warm->cacheKey, cold->cacheKey);
  EXPECT_EQ(warm->executable->name(), "fake");
  EXPECT_TRUE(warm->cacheNotes.empty());
  expectWorks(*warm);
}

TEST_F(KernelLoaderTest, KeyHoldsWhatAffectsCode) {
  KernelLoader loader = freshLoader();
  auto key = [&](const Json &json) { return valueOf(loader.cacheKey(json.dump())); };
  std::string base = key(request());
  for (auto [name, value] : {std::pair<const char *, Json>{"emit", {"tile", "object"}},
                             {"dump_dir", "/tmp/x"},
                             {"explain_access", true},
                             {"verify_each", true}}) {
    Json other = request();
    other[name] = value;
    EXPECT_EQ(key(other), base) << name;
  }
  Json other = request();
  other["options"]["num_warps"] = 8;
  EXPECT_NE(key(other), base);
  other = request();
  other["capture"]["line"] = 3;
  EXPECT_NE(key(other), base);
  other = request();
  other["target"] = {{"cpu", "znver3"}};
  EXPECT_NE(key(other), base);
  EXPECT_FALSE(loader.cacheKey("no json").ok());
  EXPECT_FALSE(loader.cacheKey("[]").ok());
}

TEST_F(KernelLoaderTest, ReplacesADamagedEntry) {
  auto cold = valueOf(load(request()));
  std::string contents = readAll(cold->path);
  contents[100] = static_cast<char>(~contents[100]);
  std::string path = cold->path;
  cold.reset();
  writeAll(path, contents);
  auto again = valueOf(load(request()));
  EXPECT_FALSE(again->fromCache);
  ASSERT_EQ(again->cacheNotes.size(), 1u);
  EXPECT_TRUE(contains(again->cacheNotes[0], "has a wrong checksum")) << again->cacheNotes[0];
  expectWorks(*again);
  EXPECT_TRUE(valueOf(load(request()))->fromCache);
}

TEST_F(KernelLoaderTest, ReplacesAnEntryThatDoesNotLoad) {
  auto cold = valueOf(load(request()));
  std::string key = cold->cacheKey;
  cold.reset();
  // Sound by its checksum, but no kernel; and a kernel, but of another arity than its report says.
  for (const char *object : {"NoKernel", "WrongVersion"}) {
    std::string bytes = readAll(kernelPath(object));
    DiskCache cache{CacheConfig{cacheFolder}};
    ASSERT_TRUE(cache.store(key, std::as_bytes(std::span(bytes)), R"({"args": []})").ok());
    auto again = valueOf(load(request()));
    EXPECT_FALSE(again->fromCache);
    EXPECT_EQ(again->cacheNotes.size(), 1u);
    expectWorks(*again);
  }
}

TEST_F(KernelLoaderTest, WorksWithoutAUsableCache) {
  // A folder that others may write is not used, neither for reading nor for writing.
  ASSERT_EQ(::mkdir(cacheFolder.c_str(), 0700), 0);
  ASSERT_EQ(::chmod(cacheFolder.c_str(), 0777), 0);
  auto kernel = valueOf(load(request()));
  EXPECT_FALSE(kernel->fromCache);
  EXPECT_EQ(kernel->path, "");
  ASSERT_EQ(kernel->cacheNotes.size(), 1u);
  EXPECT_TRUE(contains(kernel->cacheNotes[0], "may be written by others"));
  expectWorks(*kernel);

  freshLoader();
  auto uncached = valueOf(KernelLoader(compiler, nullptr).load(request().dump(), *device, nullptr));
  EXPECT_TRUE(uncached->cacheNotes.empty());
  expectWorks(*uncached);
}

TEST_F(KernelLoaderTest, StagesComeFromTheCacheIfTheyAreThere) {
  Json staged = request();
  staged["emit"] = {"tile", "llvm"};
  (void)valueOf(load(request()));
  auto first = valueOf(load(staged));
  EXPECT_FALSE(first->fromCache);
  EXPECT_EQ(Json::parse(first->report)["stages"]["tile"], "text of tile");
  EXPECT_TRUE(contains(first->cacheNotes.at(0), "has no text of stage 'tile'"));
  auto second = valueOf(load(staged));
  EXPECT_TRUE(second->fromCache);
  EXPECT_EQ(second->report, first->report);
}

TEST_F(KernelLoaderTest, DumpsAndExplanationsAreAlwaysMade) {
  (void)valueOf(load(request()));
  Json other = request();
  other["dump_dir"] = "/tmp/x";
  EXPECT_FALSE(valueOf(load(other))->fromCache);
  other = request();
  other["explain_access"] = true;
  EXPECT_FALSE(valueOf(load(other))->fromCache);
}

TEST_F(KernelLoaderTest, RejectedKernelsKeepTheirDiagnostics) {
  Json bad = request();
  bad["capture"] = {{"error", "name 'tx' is not defined"}};
  Result<std::shared_ptr<const Kernel>> result = load(bad);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::Compile);
  Json report = Json::parse(result.error().report);
  EXPECT_EQ(report["diagnostics"][0]["message"], "name 'tx' is not defined");
  EXPECT_EQ(report["diagnostics"][0]["line"], 14);
  EXPECT_FALSE(load(bad).ok()) << "a rejected kernel must not be stored";
}

TEST_F(KernelLoaderTest, CancelledCompilationsSaySo) {
  Json request = this->request();
  request["capture"] = {{"cancel", true}};
  KilnCompileHost host = {};
  host.cancelled = [](void *) { return 1; };
  Result<std::shared_ptr<const Kernel>> result = freshLoader().load(request.dump(), *device, &host);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::Cancelled);
}

TEST_F(KernelLoaderTest, SurvivesABrokenCompiler) {
  Json request = this->request();
  request["capture"]["garbage"] = true;
  EXPECT_TRUE(contains(messageOf(load(request)), "not a JSON object"));
  // A report of three arguments with an object that takes another number.
  request = this->request();
  request["capture"]["args"] = {"*f32"};
  EXPECT_TRUE(contains(messageOf(load(request)), "takes 3 arguments, expected 1"));
}

TEST_F(KernelLoaderTest, PointersAreWrittenUnlessTheReportSaysOtherwise) {
  EXPECT_EQ(valueOf(load(request()))->writes, (std::vector<bool>{true, true, true}));
  Json other = request();
  other["capture"]["writes"] = {false, false, true};
  EXPECT_EQ(valueOf(load(other))->writes, (std::vector<bool>{false, false, true}));
  EXPECT_EQ(valueOf(load(other))->writes, (std::vector<bool>{false, false, true}));
}

TEST(ComposeRequest, PutsThePartsTogether) {
  RequestParts parts;
  parts.capture = R"({"kernel": "f0"})";
  parts.signature = "[]";
  parts.options = R"({"num_warps": 8})";
  parts.streaming = true;
  parts.cpu = "znver3";
  parts.features = "+avx2";
  parts.emit = {"tile", "object"};
  parts.dumpDir = "/tmp/\"x\"";
  Json request = Json::parse(composeRequest(parts));
  EXPECT_EQ(request, Json::parse(R"({"schema": 1, "capture": {"kernel": "f0"}, "signature": [],
    "options": {"num_warps": 8, "streaming": true},
    "target": {"device": "cpu", "cpu": "znver3", "features": "+avx2"},
    "emit": ["tile", "object"], "dump_dir": "/tmp/\"x\"", "explain_access": false})"));
  parts.verifyEach = false;
  EXPECT_EQ(Json::parse(composeRequest(parts))["verify_each"], false);
}

} // namespace
} // namespace kiln::runtime
