//===- Kernel.cpp - the kernel function, its arguments, and the way in -------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Ast/CaptureReader.h"
#include "lib/Frontend/Ast/HostValue.h"
#include "lib/Frontend/Sema/Sema.h"

#include "kiln/Dialect/Npu/IR/Npu.h"
#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace kiln;
using namespace kiln::frontend;

void kiln::frontend::loadFrontendDialects(mlir::MLIRContext &context) {
  context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                      mlir::linalg::LinalgDialect, mlir::math::MathDialect, mlir::scf::SCFDialect,
                      mlir::tensor::TensorDialect, npu::NpuDialect, tile::TileDialect>();
}

namespace {

/// What the signature says about one parameter.
struct ParameterValue {
  std::optional<Type> argument; ///< takes a slot of the argument block
  Value constant;               ///< where it is not a runtime value
  int64_t divisibility = 0;
  std::optional<int64_t> aliasSet;
};

} // namespace

static std::optional<ParameterValue> readEntry(const llvm::json::Value &json,
                                               const ast::Capture &capture, std::string &reason) {
  const llvm::json::Object *object = json.getAsObject();
  llvm::StringRef kind = object ? object->getString("kind").value_or("") : "";
  ParameterValue result;
  if (kind == "none") {
    result.constant = Value::none();
    return result;
  }
  if (kind == "constexpr") {
    const llvm::json::Value *value = object->get("value");
    std::optional<Value> read;
    if (value)
      read = ast::readValue(*value, &capture, reason);
    else
      reason = "a constexpr argument without a value";
    if (!read)
      return std::nullopt;
    result.constant = *read;
    return result;
  }
  if (kind != "arg" && kind != "one") {
    reason = "an argument of no known kind";
    return std::nullopt;
  }
  llvm::StringRef text = object->getString("type").value_or("");
  result.argument = Type::parse(text);
  if (!result.argument) {
    reason = ("unknown argument type '" + text + "'").str();
    return std::nullopt;
  }
  if (!info(result.argument->dtype()).isSupported) {
    reason =
        ("the type " + info(result.argument->dtype()).languageName + " is not there yet").str();
    return std::nullopt;
  }
  if (kind == "one") {
    if (!result.argument->isIntegerLike()) {
      reason = "found " + result.argument->str() +
               " as the type of an argument that is 1, expected an integer";
      return std::nullopt;
    }
    result.constant = Value::integer(1);
  }
  result.divisibility = object->getInteger("divisibility").value_or(0);
  if (result.divisibility < 0 || (result.divisibility & (result.divisibility - 1))) {
    reason = "divisibility is not a power of two";
    return std::nullopt;
  }
  if (result.argument->isPointer())
    result.aliasSet = object->getInteger("alias_set");
  return result;
}

Value Sema::tensorOf(const ast::Parameter &parameter, const Value &pointer) {
  const RuntimeValue *runtime = pointer.asRuntime();
  if (!runtime || !runtime->type.isPointer())
    return error(parameter, "argument '" + parameter.name + "': found " + describe(pointer) +
                                ", expected a tensor");
  auto buffer = std::make_shared<BufferData>();
  buffer->name = parameter.name;
  buffer->handle = runtime->ir;
  buffer->dtype = runtime->type.dtype();
  buffer->isGlobal = true;
  const Type *declared = parameter.tensor->dtype.asType();
  if (!declared || declared->dtype() != buffer->dtype)
    return error(parameter, "argument '" + parameter.name + "': found elements of " +
                                info(buffer->dtype).languageName + ", expected " +
                                (declared ? declared->str() : describe(parameter.tensor->dtype)));
  for (const Value &extent : parameter.tensor->shape) {
    buffer->shape.push_back(resolveCaptured(parameter, extent));
    const Value &known = buffer->shape.back();
    bool isInteger = known.asInt() || (known.isRuntime() && known.type().isIntegerLike());
    if (!isInteger)
      return known.isPoison()
                 ? known
                 : error(parameter, "argument '" + parameter.name + "': found " + describe(known) +
                                        " as an extent, expected an integer");
  }
  return Value::buffer(buffer);
}

bool Sema::mentions(llvm::StringRef name) const {
  return llvm::any_of(capture.functions, [&](const auto &function) {
    return function.second->mentions.contains(name);
  });
}

Value Sema::passConfig(llvm::StringRef key) const {
  auto found = capture.kernel->passConfigs.find(key);
  return found == capture.kernel->passConfigs.end() ? Value::none() : found->second;
}

std::vector<std::string> Sema::passConfigKeys() const {
  std::vector<std::string> keys;
  for (const auto &entry : capture.kernel->passConfigs)
    keys.push_back(entry.first().str());
  llvm::sort(keys);
  return keys;
}

mlir::OwningOpRef<mlir::ModuleOp> Sema::kernel(const llvm::json::Array &signature) {
  const ast::Function &function = *capture.kernel;
  Frame top = newFrame(function, nullptr);
  top.isKernel = true;
  llvm::SaveAndRestore<Frame *> current(frame, &top);
  ast::PassStmt definition;
  definition.line = function.line;
  // The `def`, past the decorators.
  for (auto [index, line] : llvm::enumerate(function.source))
    if (llvm::StringRef(line).ltrim().starts_with("def ")) {
      definition.line = definition.endLine = function.line + index;
      definition.column = line.find("def ") + 1;
      break;
    }
  if (signature.size() != function.parameters.size())
    return error(definition, "the signature has " + llvm::Twine(signature.size()) +
                                 " arguments, expected " + llvm::Twine(function.parameters.size())),
           nullptr;

  std::vector<ParameterValue> values;
  llvm::SmallVector<mlir::Type> types;
  for (auto [parameter, json] : llvm::zip(function.parameters, signature)) {
    std::string reason;
    std::optional<ParameterValue> value = readEntry(json, capture, reason);
    if (!value && parameter->passing != ast::Parameter::Keywords)
      error(*parameter, "argument '" + parameter->name + "': " + reason);
    else if (parameter->passing == ast::Parameter::Keywords)
      error(*parameter, "unsupported construct: found a '**' parameter");
    else if (parameter->isConstexpr && value->argument)
      error(*parameter, "parameter '" + parameter->name + "' is constexpr, found an argument of " +
                            value->argument->str());
    values.push_back(value.value_or(ParameterValue()));
    if (values.back().argument)
      types.push_back(values.back().argument->mlir(builder.getContext()));
  }
  if (diagnostics.hasErrors())
    return nullptr;

  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc(definition));
  builder.setInsertionPointToEnd(module->getBody());
  auto op = mlir::func::FuncOp::create(builder, loc(definition), function.name,
                                       builder.getFunctionType(types, {}));
  op->setAttr(tile::kKernelAttr, builder.getUnitAttr());
  builder.setInsertionPointToEnd(op.addEntryBlock());
  unsigned slot = 0;
  for (auto [parameter, value] : llvm::zip(function.parameters, values)) {
    Value bound = value.constant;
    if (value.argument) {
      // Remarks and images name arguments as the source does.
      op.getArgument(slot).setLoc(
          mlir::NameLoc::get(builder.getStringAttr(parameter->name), loc(*parameter)));
      if (bound.isPoison())
        bound = Value::runtime(op.getArgument(slot), *value.argument);
      if (value.divisibility > 1)
        op.setArgAttr(slot, tile::kDivisibilityAttr, builder.getI64IntegerAttr(value.divisibility));
      if (value.aliasSet)
        op.setArgAttr(slot, tile::kAliasSetAttr, builder.getI64IntegerAttr(*value.aliasSet));
      ++slot;
    }
    if (parameter->isSymbol) {
      symbols[parameter->name] = bound;
      if (value.argument)
        op.setArgAttr(slot - 1, tile::kExtentAttr, builder.getUnitAttr());
    }
    top.names[parameter->id] = {Binding::Bound, resolveCaptured(*parameter, bound), parameter};
  }
  kernelFunction = op;
  if (hasBuffers())
    state = vocabulary.hooks().makeState();
  // Shapes may name extents that come after them.
  for (const ast::Parameter *parameter : function.parameters)
    if (Binding &binding = top.names[parameter->id]; parameter->tensor)
      binding.value = tensorOf(*parameter, binding.value);
  CallContext context(*this, definition, function.name);
  if (vocabulary.hooks().beginKernel)
    vocabulary.hooks().beginKernel(context);
  ast::NameSet nothing(function.names.size());
  run(function.body, nothing);
  if (vocabulary.hooks().endKernel && !diagnostics.hasErrors())
    vocabulary.hooks().endKernel(context);
  mlir::func::ReturnOp::create(builder, loc(definition));
  if (isCancelled || diagnostics.hasErrors())
    return nullptr;
  return module;
}

/// A failure here is a mistake of the compiler, not of the kernel: it is still told, with the
/// place.
static bool verifyModule(mlir::ModuleOp module, DiagnosticEngine &diagnostics) {
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    SourcePlace place;
    if (auto at = diagnostic.getLocation()->findInstanceOf<mlir::FileLineColLoc>())
      place = {at.getFilename().str(), at.getLine(), at.getColumn(), 0};
    diagnostics.error(place, "internal error: the front end wrote invalid IR: " + diagnostic.str());
    return mlir::success();
  });
  return mlir::succeeded(mlir::verify(module));
}

mlir::OwningOpRef<mlir::ModuleOp> kiln::frontend::buildKernel(mlir::MLIRContext &context,
                                                              const FrontendInput &input,
                                                              DiagnosticEngine &diagnostics,
                                                              bool *cancelled) {
  if (cancelled)
    *cancelled = false;
  loadFrontendDialects(context);
  const llvm::json::Array *signature = input.signature ? input.signature->getAsArray() : nullptr;
  if (!input.capture || !signature) {
    diagnostics.error({}, "malformed request: found no capture with a signature");
    return nullptr;
  }
  std::unique_ptr<ast::Capture> capture = ast::readCapture(*input.capture, diagnostics);
  if (!capture)
    return nullptr;
  const Vocabulary &vocabulary =
      capture->kernel->language == "tilelang" ? tileLangVocabulary() : tritonVocabulary();
  Sema sema(context, input, *capture, diagnostics, vocabulary);
  mlir::OwningOpRef<mlir::ModuleOp> module = sema.kernel(*signature);
  if (cancelled)
    *cancelled = sema.wasCancelled();
  if (!module || !verifyModule(*module, diagnostics))
    return nullptr;
  return module;
}
