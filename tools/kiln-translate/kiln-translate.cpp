//===- kiln-translate.cpp - compile a request from a file ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   kiln-translate request.json [-o object.so] [--stage llvm]
// prints the report (docs/design/compile-interface.md), or one stage's text. `-` reads standard
// input.
//
//   kiln-translate --npu-to-asm kernel.mlir [--chip ascend910b] [--split-input-file]
//                  [--verify-diagnostics]
// assembles functions of the npu dialect and prints their images as text (sim/asm/README.md).
//
//===-----------------------------------------------------------------------------------------===//

#include "NpuToAsm.h"

#include "kiln/Driver/Compile.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

static cl::opt<std::string> input(cl::Positional, cl::desc("<input>"), cl::init("-"));
static cl::opt<std::string> output("o", cl::desc("where the object goes"));
static cl::opt<std::string> stage("stage", cl::desc("print this stage instead of the report"));
static cl::opt<bool> npuToAsm("npu-to-asm", cl::desc("print the images of npu functions"));
static cl::opt<std::string> chip("chip", cl::desc("of --npu-to-asm"), cl::init("ascend910b"));
static cl::opt<bool> split("split-input-file", cl::desc("of --npu-to-asm"));
static cl::opt<bool> verify("verify-diagnostics", cl::desc("of --npu-to-asm"));

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv,
                              "Compiles one request, or prints the images of npu functions\n");
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(input);
  if (!buffer) {
    llvm::errs() << input << ": " << buffer.getError().message() << "\n";
    return 1;
  }
  if (npuToAsm)
    return kiln::npuToAsm(std::move(*buffer), chip, split, verify);
  kiln::driver::Compilation result = kiln::driver::compile((*buffer)->getBuffer(), nullptr);
  llvm::json::Value report = llvm::cantFail(llvm::json::parse(result.report));
  const llvm::json::Object &object = *report.getAsObject();
  if (stage.empty())
    llvm::outs() << llvm::formatv("{0:2}\n", report);
  else if (auto text = object.getObject("stages")->getString(stage))
    llvm::outs() << *text;
  for (const llvm::json::Value &diagnostic : *object.getArray("diagnostics"))
    llvm::errs() << diagnostic.getAsObject()->getString("text").value_or("") << "\n";
  if (!output.empty() && !result.object.empty()) {
    std::error_code code;
    llvm::raw_fd_ostream stream(output, code);
    if (!code)
      stream.write(result.object.data(), result.object.size());
  }
  return object.getBoolean("ok").value_or(false) ? 0 : 1;
}
