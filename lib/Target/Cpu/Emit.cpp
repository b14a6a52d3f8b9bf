//===- Emit.cpp - from the LLVM dialect to a loadable object ---------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The pass list is short because the code that arrives is good: loops over register-sized vectors,
// no calls. What is left to do is to clean up addresses, hoist invariants out of the program loop
// and the chunk loops, and pick instructions. No loop vectoriser, no SLP, and nothing that makes
// library calls out of loops: an object must have no undefined symbols.
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Target/Cpu/Emit.h"

#include "Link.h"
#include "SingleLaneStores.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <mutex>

extern "C" {
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86Target();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86AsmPrinter();
}

namespace kiln::cpu {
namespace {

constexpr llvm::StringLiteral kTriple = "x86_64-unknown-linux-gnu";
constexpr llvm::StringLiteral kLeastCpu = "x86-64-v3";

const llvm::Target *x86Target() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  std::string error;
  return llvm::TargetRegistry::lookupTarget(llvm::Triple(kTriple), error);
}

llvm::StringRef cpuName(const CpuSpec &spec) {
  return spec.cpu.empty() ? llvm::StringRef(kLeastCpu) : llvm::StringRef(spec.cpu);
}

std::unique_ptr<llvm::TargetMachine> createMachine(const CpuSpec &spec) {
  llvm::TargetOptions options; // contraction follows the `contract` flag of each operation
  return std::unique_ptr<llvm::TargetMachine>(x86Target()->createTargetMachine(
      llvm::Triple(kTriple), cpuName(spec), spec.features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

void setFunctionAttributes(llvm::Module &module, const CpuSpec &spec, bool wide) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.setDoesNotThrow();
    function.addFnAttr("target-cpu", cpuName(spec));
    function.addFnAttr("target-features", spec.features);
    function.addFnAttr("no-builtins");
    if (wide) {
      function.addFnAttr("prefer-vector-width", "512");
      function.addFnAttr("min-legal-vector-width", "512");
    }
  }
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());

  llvm::ModulePassManager all;
  all.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  all.run(module, modules);
  for (llvm::Function &function : module)
    splitSingleLaneStores(function);
}

llvm::Expected<llvm::SmallVector<char, 0>> generate(llvm::Module &module,
                                                    llvm::TargetMachine &machine,
                                                    llvm::CodeGenFileType kind,
                                                    const std::string &errors) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  passes.add(new llvm::TargetLibraryInfoWrapperPass(library));
  if (machine.addPassesToEmitFile(passes, stream, nullptr, kind, /*DisableVerify=*/true))
    return llvm::createStringError("the LLVM target cannot emit this kind of file");
  passes.run(module);
  if (!errors.empty())
    return llvm::createStringError(errors);
  return bytes;
}

std::string printed(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

/// Runs the steps in order; each returns an error or nothing, and the caller is asked after each.
class Emitter {
public:
  Emitter(mlir::ModuleOp source, const EmitOptions &options) : source(source), options(options) {}

  llvm::Error run(EmitResult &result, bool &stopped) {
    if (llvm::Error error = checkCpu(options.cpu))
      return error;
    // LLVM's own handler would print and end the process.
    context.setDiagnosticHandlerCallBack(
        [](const llvm::DiagnosticInfo *info, void *errors) {
          if (info->getSeverity() != llvm::DS_Error)
            return;
          llvm::raw_string_ostream stream(*static_cast<std::string *>(errors));
          llvm::DiagnosticPrinterRawOStream printer(stream);
          info->print(printer);
        },
        &errors);
    machine = createMachine(options.cpu);
    module = mlir::translateModuleToLLVMIR(source, context, "kiln");
    if (!module)
      return llvm::createStringError("cannot translate the kernel to LLVM IR");
    module->setTargetTriple(llvm::Triple(kTriple));
    module->setDataLayout(machine->createDataLayout());
    module->setPICLevel(llvm::PICLevel::BigPIC);
    setFunctionAttributes(*module, options.cpu, factsOf(options.cpu).vectorBits == 512);
    std::string broken;
    llvm::raw_string_ostream stream(broken);
    if (llvm::verifyModule(*module, &stream))
      return llvm::createStringError("invalid LLVM IR: " + broken);
    if ((stopped = !step("llvm-translate")))
      return llvm::Error::success();

    optimize(*module, *machine);
    if (options.llvm)
      result.llvm = printed(*module);
    if ((stopped = !step("llvm-opt")))
      return llvm::Error::success();

    if (options.assembly) {
      auto copy = llvm::CloneModule(*module); // code generation changes its input
      auto text = generate(*copy, *machine, llvm::CodeGenFileType::AssemblyFile, errors);
      if (!text)
        return text.takeError();
      result.assembly.assign(text->begin(), text->end());
      if ((stopped = !step("llvm-asm")))
        return llvm::Error::success();
    }
    if (!options.object)
      return llvm::Error::success();

    auto object = generate(*module, *machine, llvm::CodeGenFileType::ObjectFile, errors);
    if (!object)
      return object.takeError();
    if ((stopped = !step("llvm-codegen")))
      return llvm::Error::success();
    auto linked = linkSharedObject({object->data(), object->size()});
    if (!linked)
      return linked.takeError();
    result.object = std::move(*linked);
    stopped = !step("link");
    return llvm::Error::success();
  }

private:
  bool step(llvm::StringRef name) { return !options.afterStep || options.afterStep(name); }

  mlir::ModuleOp source;
  const EmitOptions &options;
  std::string errors;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

} // namespace

void registerEmission(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
}

llvm::Error checkCpu(const CpuSpec &spec) {
  const llvm::Target *target = x86Target();
  std::unique_ptr<llvm::MCSubtargetInfo> known(
      target->createMCSubtargetInfo(llvm::Triple(kTriple), kLeastCpu, ""));
  if (!known->isCPUStringValid(cpuName(spec)))
    return llvm::createStringError("unknown CPU '" + spec.cpu + "'");
  llvm::SubtargetFeatures features(spec.features);
  for (const std::string &feature : features.getFeatures()) {
    llvm::StringRef name = llvm::SubtargetFeatures::StripFlag(feature);
    if (llvm::none_of(known->getAllProcessorFeatures(),
                      [&](const auto &entry) { return name == entry.Key; }))
      return llvm::createStringError("unknown CPU feature '" + name + "'");
  }
  std::unique_ptr<llvm::MCSubtargetInfo> chosen(
      target->createMCSubtargetInfo(llvm::Triple(kTriple), cpuName(spec), spec.features));
  for (const char *needed : {"+avx2", "+fma", "+f16c", "+bmi2"})
    if (!chosen->checkFeatures(needed))
      return llvm::createStringError("found CPU '" + cpuName(spec).str() + "' without " +
                                     (needed + 1) + ", expected x86-64-v3 or later");
  return llvm::Error::success();
}

CpuFacts factsOf(const CpuSpec &spec) {
  std::unique_ptr<llvm::MCSubtargetInfo> chosen(
      x86Target()->createMCSubtargetInfo(llvm::Triple(kTriple), cpuName(spec), spec.features));
  bool wide = chosen->checkFeatures("+avx512f") && chosen->checkFeatures("+avx512vl") &&
              chosen->checkFeatures("+avx512bw");
  return {wide ? 512 : 256, wide};
}

mlir::FailureOr<EmitResult> emitKernel(mlir::ModuleOp module, const EmitOptions &options) {
  EmitResult result;
  bool stopped = false;
  if (llvm::Error error = Emitter(module, options).run(result, stopped)) {
    module.emitError(llvm::toString(std::move(error)));
    return mlir::failure();
  }
  if (stopped)
    return mlir::failure();
  return result;
}

} // namespace kiln::cpu
