//===- Compile.cpp - from a request to a report and an object --------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// One Session is one compilation: front end, passes one by one, emission, report. Each pass runs in
// a pass manager of its own, so that between any two the session can look at the clock, verify,
// dump, and ask the host whether to go on. Every compilation has an MLIR context of its own,
// without threads, with the dialects it needs and no more.
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Driver/Compile.h"

#include "ArgumentUse.h"
#include "Diagnostics.h"
#include "FatalErrors.h"
#include "Pipeline.h"
#include "Request.h"

#include "kiln/Dialect/Npu/IR/Npu.h"
#include "kiln/Dialect/Tile/IR/Tile.h"
#include "kiln/Target/Npu/Pipeline.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <chrono>

using namespace mlir;

namespace kiln::driver {
namespace {

class Session {
public:
  explicit Session(const KilnCompileHost *host) : host(host) {}

  Compilation run(StringRef text) {
    bool ok = false;
    if (auto parsed = parseRequest(text)) {
      request = std::move(*parsed);
      ok = compileRequest();
    } else {
      diagnostics.error({}, llvm::toString(parsed.takeError()));
    }
    return {report(ok && !wasCancelled && !diagnostics.hasErrors()), std::move(object)};
  }

private:
  using Clock = std::chrono::steady_clock;

  bool compileRequest() {
    start = Clock::now();
    if (llvm::Error error = request.isNpu() ? llvm::Error::success() : cpu::checkCpu(request.cpu)) {
      diagnostics.error({}, llvm::toString(std::move(error)));
      return false;
    }
    DialectRegistry registry;
    cpu::registerEmission(registry);
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    // Messages are for the author of the kernel: they quote Python, and --dump-dir shows the IR.
    context.printOpOnDiagnostic(false);
    DiagnosticBridge diagnosticBridge(context, diagnostics);
    bridge = &diagnosticBridge;
    frontend::loadFrontendDialects(context);
    lap("context");

    OwningOpRef<ModuleOp> module = request.mlir.empty() ? build(context) : parse(context);
    if (!module || !describeKernel(*module))
      return false;
    if (host && host->beginUnlocked)
      host->beginUnlocked(host->user);
    // An error that LLVM calls fatal leaves the compilation, not the process.
    std::string fatal;
    bool ok = false;
    if (!runGuarded([&] { ok = transform(*module) && emit(*module); }, fatal)) {
      diagnostics.error({}, "internal error in LLVM: " + fatal);
      // What it was working on is in an unknown state: leave it alone rather than destroy it.
      (void)module.release();
    }
    if (host && host->endUnlocked)
      host->endUnlocked(host->user);
    return ok;
  }

  OwningOpRef<ModuleOp> build(MLIRContext &context) {
    frontend::FrontendInput input;
    input.capture = request.capture();
    input.signature = request.signature();
    input.options = request.options;
    input.host = host;
    auto module = frontend::buildKernel(context, input, diagnostics, &wasCancelled);
    lap("frontend");
    if (!module && !wasCancelled && !diagnostics.hasErrors())
      diagnostics.error({}, "the front end made no kernel");
    return module;
  }

  OwningOpRef<ModuleOp> parse(MLIRContext &context) {
    context
        .loadDialect<tile::TileDialect, arith::ArithDialect, cf::ControlFlowDialect,
                     func::FuncDialect, linalg::LinalgDialect, LLVM::LLVMDialect, math::MathDialect,
                     scf::SCFDialect, tensor::TensorDialect, vector::VectorDialect>();
    if (request.isNpu())
      context.loadDialect<npu::NpuDialect>();
    auto module = parseSourceString<ModuleOp>(request.mlir, ParserConfig(&context), "mlir");
    lap("frontend");
    return module;
  }

  /// Takes from tile IR what the report says of the kernel.
  bool describeKernel(ModuleOp module) {
    func::FuncOp kernel;
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(tile::kKernelAttr) && !function.isDeclaration())
        kernel = function;
    if (!kernel) {
      module.emitError("found no function with the attribute '")
          << tile::kKernelAttr << "', expected one";
      return false;
    }
    kernelName = kernel.getName().str();
    if (auto text = kernel->getAttrOfType<StringAttr>(tile::kGridAttr)) {
      llvm::Expected<llvm::json::Value> expression = llvm::json::parse(text.getValue());
      if (!expression) {
        kernel.emitError("the attribute '")
            << tile::kGridAttr << "' is no JSON: " << llvm::toString(expression.takeError());
        return false;
      }
      grid = std::move(*expression);
    }
    for (auto [type, written] :
         llvm::zip_equal(kernel.getArgumentTypes(), writtenArguments(kernel))) {
      std::string name;
      llvm::raw_string_ostream stream(name);
      if (auto pointer = dyn_cast<tile::PtrType>(type))
        stream << '*' << pointer.getPointee();
      else
        stream << type;
      arguments.push_back(std::move(name));
      writes.push_back(written);
    }
    return true;
  }

  bool transform(ModuleOp module) {
    if (!dump(module, "frontend"))
      return false;
    for (Step &step : buildPipeline(request)) {
      if (!step.pass) {
        endStage(module, step.stage);
        continue;
      }
      if (cancelled())
        return false;
      std::string name = step.pass->getArgument().str();
      bridge->enter(name);
      if (!runPass(module, std::move(step.pass)))
        return failedWithoutError(name);
      lap(name);
      if (request.verifyEach) {
        bridge->enter(name, /*checks=*/true);
        if (failed(verify(module)))
          return failedWithoutError(name);
      }
      if (!dump(module, name))
        return false;
      start = Clock::now();
    }
    return true;
  }

  bool runPass(ModuleOp module, std::unique_ptr<Pass> pass) {
    PassManager manager(module.getContext());
    manager.enableVerifier(false);
    if (pass->getOpName() == func::FuncOp::getOperationName())
      manager.addNestedPass<func::FuncOp>(std::move(pass));
    else
      manager.addPass(std::move(pass));
    return succeeded(manager.run(module));
  }

  bool failedWithoutError(StringRef pass) {
    if (!diagnostics.hasErrors())
      diagnostics.error({}, "internal error: " + pass + " failed");
    return false;
  }

  void endStage(ModuleOp module, Stage stage) {
    if (stage == Stage::Tile && request.emitTile)
      stages["tile"] = printed(module, /*locations=*/false);
    if (stage == Stage::Npu && request.emitNpu)
      stages["npu"] = printed(module, /*locations=*/false);
    if (stage == Stage::Linalg && request.emitLinalg)
      stages["linalg"] = printed(module, /*locations=*/false);
    start = Clock::now();
  }

  bool emit(ModuleOp module) {
    if (!request.needsCode())
      return true;
    return request.isNpu() ? emitImage(module) : emitObject(module);
  }

  /// The program image of the NPU.
  bool emitImage(ModuleOp module) {
    if (!request.emitObject)
      return true;
    bridge->enter("assembly", /*checks=*/true);
    FailureOr<std::string> image = npu::emitImage(module, request.chip);
    lap("assemble");
    if (failed(image))
      return failedWithoutError("assembly");
    object.assign(image->begin(), image->end());
    return true;
  }

  /// The CPU's shared object and the texts on the way to it.
  bool emitObject(ModuleOp module) {
    if (auto info = module.lookupSymbol<LLVM::GlobalOp>("kiln_kernel_info"))
      if (auto bytes = info->getAttrOfType<IntegerAttr>("kiln.scratch_bytes"))
        scratchBytes = bytes.getInt();
    cpu::EmitOptions options;
    options.cpu = request.cpu;
    bool dumping = !request.dumpDirectory.empty();
    options.llvm = request.emitLLVM || dumping;
    options.assembly = request.emitAssembly || dumping;
    options.object = request.emitObject;
    auto afterStep = [&](StringRef name) {
      lap(name);
      return !cancelled();
    };
    options.afterStep = afterStep;
    bridge->enter("code generation", /*checks=*/true);
    FailureOr<cpu::EmitResult> result = cpu::emitKernel(module, options);
    if (failed(result))
      return wasCancelled || failedWithoutError("code generation");
    if (dumping &&
        !(writeDump("llvm", "ll", result->llvm) && writeDump("asm", "s", result->assembly)))
      return false;
    if (request.emitLLVM)
      stages["llvm"] = std::move(result->llvm);
    if (request.emitAssembly)
      stages["asm"] = std::move(result->assembly);
    object = std::move(result->object);
    return true;
  }

  //===--- Between the steps ---===//

  /// Books the time since the last call.
  void lap(StringRef name) {
    Clock::time_point now = Clock::now();
    timings.emplace_back(name.str(),
                         std::chrono::duration<double, std::milli>(now - start).count());
    start = now;
  }

  bool cancelled() {
    if (!wasCancelled && host && host->cancelled)
      wasCancelled = host->cancelled(host->user) != 0;
    return wasCancelled;
  }

  static std::string printed(ModuleOp module, bool locations) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    OpPrintingFlags flags;
    if (locations)
      flags.enableDebugInfo(true, /*prettyForm=*/false);
    module.print(stream, flags);
    return text;
  }

  bool dump(ModuleOp module, StringRef name) {
    return request.dumpDirectory.empty() ||
           writeDump(name, "mlir", printed(module, /*locations=*/true));
  }

  bool writeDump(StringRef name, StringRef extension, StringRef text) {
    llvm::SmallString<128> path(request.dumpDirectory);
    std::error_code code = llvm::sys::fs::create_directories(path);
    llvm::sys::path::append(path,
                            llvm::formatv("{0,0+3}-{1}.{2}", dumpCount++, name, extension).str());
    if (!code) {
      llvm::raw_fd_ostream stream(path, code);
      if (!code)
        stream << text;
      stream.close();
      if (!code && stream.has_error())
        code = stream.error();
      stream.clear_error();
    }
    if (code)
      diagnostics.error({}, "cannot write " + path + ": " + code.message());
    return !code;
  }

  std::string report(bool ok) {
    llvm::json::Array args, writtenFlags, times;
    for (auto [name, written] : llvm::zip_equal(arguments, writes)) {
      args.push_back(name);
      writtenFlags.push_back(static_cast<bool>(written));
    }
    for (auto &[name, milliseconds] : timings)
      times.push_back(llvm::json::Array{name, milliseconds});
    llvm::json::Object texts;
    for (auto &[name, text] : stages)
      texts[name] = llvm::json::isUTF8(text) ? text : llvm::json::fixUTF8(text);
    llvm::json::Object result{{"schema", 1},
                              {"ok", ok},
                              {"kernel", llvm::json::fixUTF8(kernelName)},
                              {"args", std::move(args)},
                              {"writes", std::move(writtenFlags)},
                              {"scratch_bytes", scratchBytes},
                              {"diagnostics", diagnosticsToJson(diagnostics, /*remarks=*/false)},
                              {"stages", std::move(texts)},
                              {"remarks", diagnosticsToJson(diagnostics, /*remarks=*/true)},
                              {"timings_ms", std::move(times)},
                              {"cancelled", wasCancelled}};
    if (grid)
      result["grid"] = *grid;
    return llvm::formatv("{0}", llvm::json::Value(std::move(result))).str();
  }

  const KilnCompileHost *host;
  Request request;
  DiagnosticEngine diagnostics;
  DiagnosticBridge *bridge = nullptr;
  bool wasCancelled = false;

  std::string kernelName;
  std::vector<std::string> arguments;
  std::vector<bool> writes;
  std::optional<llvm::json::Value> grid; ///< programs of a launch; absent: the launch says
  int64_t scratchBytes = 0;
  std::map<std::string, std::string> stages;
  std::vector<std::pair<std::string, double>> timings;
  Clock::time_point start;
  unsigned dumpCount = 0;
  std::vector<char> object;
};

} // namespace

Compilation compile(StringRef request, const KilnCompileHost *host) {
  return Session(host).run(request);
}

} // namespace kiln::driver
