//===- CompileTest.cpp - the compiler behind its C interface ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln-c/Compiler.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <random>
#include <string>
#include <thread>

using namespace llvm;

namespace {

constexpr const char *kCopy = R"(
func.func @copy(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %i = tile.program_id 0
  %in = arith.cmpi slt, %i, %n : i32
  %px = tile.addptr %x, %i : !tile.ptr<f32>, i32
  %py = tile.addptr %y, %i : !tile.ptr<f32>, i32
  %v = tile.ptr_load %px mask %in : !tile.ptr<f32> mask i1 -> f32
  %e = math.exp %v : f32
  tile.assert %in, "out of range" : i1
  tile.print "v" (%e) [true] : f32
  tile.ptr_store %py, %e mask %in : !tile.ptr<f32>, f32 mask i1
  return
})";

struct Outcome {
  json::Object report;
  std::string object;

  bool ok() const { return report.getBoolean("ok").value_or(false); }
  StringRef firstError() const {
    const json::Array *list = report.getArray("diagnostics");
    return list->empty() ? "" : (*list)[0].getAsObject()->getString("message").value_or("");
  }
};

Outcome compileText(StringRef request, const KilnCompileHost *host = nullptr) {
  KilnCompilation *compilation = kilnCompile(request.data(), request.size(), host);
  Outcome outcome;
  auto report = json::parse(kilnCompilationReport(compilation));
  if (report && report->getAsObject())
    outcome.report = *report->getAsObject();
  else
    ADD_FAILURE() << "the report is no JSON object";
  size_t size = 0;
  if (const void *object = kilnCompilationObject(compilation, &size))
    outcome.object.assign(static_cast<const char *>(object), size);
  kilnCompilationDestroy(compilation);
  return outcome;
}

json::Object request(StringRef mlir, StringRef cpu = "x86-64-v3", StringRef features = "") {
  return json::Object{
      {"schema", 1},
      {"mlir", mlir},
      {"target", json::Object{{"device", "cpu"}, {"cpu", cpu}, {"features", features}}},
      {"verify_each", true},
      {"emit", json::Array{"tile", "linalg", "llvm", "asm", "object"}}};
}

std::string text(json::Object object) {
  std::string result;
  raw_string_ostream stream(result);
  stream << json::Value(std::move(object));
  return result;
}

TEST(Compile, ReportDescribesTheKernel) {
  Outcome outcome = compileText(text(request(kCopy)));
  ASSERT_TRUE(outcome.ok()) << outcome.firstError().str();
  EXPECT_EQ(outcome.report.getString("kernel"), "copy");
  EXPECT_EQ(*outcome.report.getArray("args"), (json::Array{"*f32", "*f32", "i32"}));
  EXPECT_EQ(*outcome.report.getArray("writes"), (json::Array{false, true, false}));
  const json::Object *stages = outcome.report.getObject("stages");
  for (StringRef stage : {"tile", "linalg", "llvm", "asm"})
    EXPECT_FALSE(stages->getString(stage).value_or("").empty()) << stage.str();
  EXPECT_GT(outcome.report.getArray("timings_ms")->size(), 8u);
  EXPECT_EQ(outcome.report.getBoolean("cancelled"), false);
}

/// Names of the dynamic symbol table, undefined and defined.
void symbolsOf(StringRef bytes, std::vector<std::string> &undefined,
               std::vector<std::string> &defined) {
  auto file = object::ObjectFile::createELFObjectFile(MemoryBufferRef(bytes, "kernel"));
  ASSERT_TRUE(static_cast<bool>(file));
  auto *elf = cast<object::ELFObjectFileBase>(file->get());
  for (object::ELFSymbolRef symbol : elf->getDynamicSymbolIterators()) {
    StringRef name = cantFail(symbol.getName());
    if (name.empty())
      continue;
    bool isUndefined = cantFail(symbol.getFlags()) & object::SymbolRef::SF_Undefined;
    (isUndefined ? undefined : defined).push_back(name.str());
  }
}

TEST(Compile, ObjectsNeedNothing) {
  // Narrow floats, wide integers, remainders: what LLVM likes to call libraries for.
  const char *kernel = R"(
    func.func @all(%p: !tile.ptr<f64>, %h: f16, %b: bf16, %x: f64, %i: i64) attributes {tile.kernel} {
      %h1 = arith.truncf %x : f64 to f16
      %h2 = arith.addf %h1, %h : f16
      %b1 = arith.truncf %x : f64 to bf16
      %b2 = arith.mulf %b1, %b : bf16
      %f1 = arith.uitofp %i : i64 to bf16
      %f2 = arith.addf %b2, %f1 : bf16
      %w1 = arith.extf %h2 : f16 to f64
      %w2 = arith.extf %f2 : bf16 to f64
      %r = arith.remf %w1, %w2 : f64
      %s = math.sin %r : f64
      %t = math.tanh %s : f64
      %l = math.log %t : f64
      %e = math.erf %l : f64
      %q = math.round %e : f64
      tile.ptr_store %p, %q : !tile.ptr<f64>, f64
      return
    })";
  const std::pair<const char *, const char *> cpus[] = {{"x86-64-v3", ""},
                                                        {"x86-64-v4", ""},
                                                        {"haswell", ""},
                                                        {"x86-64-v4", "+avx512bf16"},
                                                        {"cascadelake", ""}};
  for (auto [cpu, features] : cpus) {
    SCOPED_TRACE(cpu);
    Outcome outcome = compileText(text(request(kernel, cpu, features)));
    ASSERT_TRUE(outcome.ok()) << outcome.firstError().str();
    std::vector<std::string> undefined, defined;
    symbolsOf(outcome.object, undefined, defined);
    EXPECT_EQ(undefined, std::vector<std::string>());
    llvm::sort(defined);
    EXPECT_EQ(defined, (std::vector<std::string>{"kiln_kernel", "kiln_kernel_info"}));
  }
}

TEST(Compile, OldCpusAndUnknownOnes) {
  EXPECT_EQ(compileText(text(request(kCopy, "pentium9"))).firstError(), "unknown CPU 'pentium9'");
  EXPECT_EQ(compileText(text(request(kCopy, "x86-64-v3", "+warp"))).firstError(),
            "unknown CPU feature 'warp'");
  EXPECT_EQ(compileText(text(request(kCopy, "x86-64-v2"))).firstError(),
            "found CPU 'x86-64-v2' without avx2, expected x86-64-v3 or later");
}

TEST(Compile, MalformedRequests) {
  const char *bad[] = {
      "",
      "{",
      "[]",
      "null",
      "{}",
      "{\"schema\": 2}",
      "{\"schema\": 1}",
      "{\"schema\": \"1\", \"mlir\": \"\"}",
      "{\"schema\": 1, \"mlir\": 3}",
      "{\"schema\": 1, \"mlir\": \"func.func\"}",
      "{\"schema\": 1, \"mlir\": \"module {}\"}",
      "{\"schema\": 1, \"mlir\": \"module {}\", \"emit\": \"tile\"}",
      "{\"schema\": 1, \"mlir\": \"module {}\", \"emit\": [\"ptx\"]}",
      "{\"schema\": 1, \"mlir\": \"module {}\", \"target\": {\"device\": \"npu\"}}",
      "{\"schema\": 1, \"mlir\": \"module {}\", \"options\": {\"debug\": 1}}",
      "{\"schema\": 1, \"capture\": 1, \"signature\": 2}",
      "{\"schema\": 1, \"capture\": {\"schema\": 1}, \"signature\": []}"};
  for (const char *request : bad) {
    Outcome outcome = compileText(request);
    EXPECT_FALSE(outcome.ok()) << request;
    EXPECT_NE(outcome.firstError(), "") << request;
    EXPECT_EQ(outcome.object, "") << request;
  }
  KilnCompilation *null = kilnCompile(nullptr, 0, nullptr);
  EXPECT_NE(kilnCompilationReport(null), nullptr);
  kilnCompilationDestroy(null);
}

TEST(Compile, DamagedRequestsAreErrors) {
  std::mt19937 random(3);
  json::Object object = request(kCopy);
  object["emit"] = json::Array{"tile"};
  const std::string good = text(std::move(object));
  for (int i = 0; i != 120; ++i) {
    std::string damaged = good;
    for (int changes = 1 + random() % 3; changes; --changes) {
      size_t at = random() % damaged.size();
      switch (random() % 3) {
      case 0:
        damaged[at] = static_cast<char>(random());
        break;
      case 1:
        damaged.erase(at, random() % 8);
        break;
      default:
        damaged.insert(at, damaged.substr(random() % damaged.size(), random() % 8));
      }
    }
    Outcome outcome = compileText(damaged); // must come back; may be right by chance
    EXPECT_TRUE(outcome.ok() || outcome.firstError() != "") << damaged;
  }
}

TEST(Compile, Cancelled) {
  struct State {
    int calls = 0, unlocked = 0;
  } state;
  KilnCompileHost host{};
  host.user = &state;
  host.cancelled = [](void *user) -> int { return ++static_cast<State *>(user)->calls > 2; };
  host.beginUnlocked = [](void *user) { ++static_cast<State *>(user)->unlocked; };
  host.endUnlocked = [](void *user) { --static_cast<State *>(user)->unlocked; };
  Outcome outcome = compileText(text(request(kCopy)), &host);
  EXPECT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.report.getBoolean("cancelled"), true);
  EXPECT_EQ(state.calls, 3);
  EXPECT_EQ(state.unlocked, 0);
  EXPECT_EQ(outcome.object, "");
}

TEST(Compile, SeveralThreads) {
  std::vector<std::thread> threads;
  std::vector<int> good(4);
  for (int i = 0; i != 4; ++i)
    threads.emplace_back([&, i] {
      for (int n = 0; n != 3; ++n)
        good[i] += compileText(text(request(kCopy))).ok();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, std::vector<int>(4, 3));
}

TEST(Compile, Version) {
  auto version = json::parse(kilnCompilerVersion());
  ASSERT_TRUE(static_cast<bool>(version));
  EXPECT_TRUE(version->getAsObject()->getString("kiln"));
  EXPECT_TRUE(version->getAsObject()->getString("llvm"));
  auto vocabulary = json::parse(kilnVocabulary());
  ASSERT_TRUE(static_cast<bool>(vocabulary));
  EXPECT_TRUE(
      llvm::is_contained(*vocabulary->getAsObject()->getArray("triton"), json::Value("tl.load")));
  EXPECT_EQ(kilnCompilerApiVersion(), uint32_t(KILN_COMPILER_API_VERSION));
}

} // namespace
