//===- CaptureReader.cpp - JSON to a capture ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "lib/Frontend/Ast/CaptureReader.h"
#include "lib/Frontend/Ast/HostValue.h"
#include "lib/Frontend/Ast/LiveNames.h"
#include "lib/Frontend/Ast/NodeReader.h"

using namespace kiln;
using namespace kiln::frontend;
using namespace kiln::frontend::ast;

namespace {

class CaptureReader {
public:
  CaptureReader(const llvm::json::Value &json, DiagnosticEngine &diagnostics)
      : json(json), diagnostics(diagnostics), capture(std::make_unique<Capture>()) {}

  std::unique_ptr<Capture> read() { return readAll() ? std::move(capture) : nullptr; }

private:
  bool readAll() {
    const llvm::json::Object *root = json.getAsObject();
    if (!root)
      return fail("it is not an object");
    if (root->getInteger("schema").value_or(0) != 1)
      return fail("its schema is not 1");
    const llvm::json::Object *functions = root->getObject("functions");
    if (!functions)
      return fail("it has no functions");
    // All functions first: values may refer to any of them.
    for (const auto &[id, function] : *functions)
      capture->functions[llvm::StringRef(id)] = std::make_unique<Function>();
    for (const auto &[id, function] : *functions)
      if (!readFunction(*capture->functions[llvm::StringRef(id)], function.getAsObject(), id))
        return false;
    if (!readBodies(root->getArray("bodies")))
      return false;
    auto kernel = capture->functions.find(root->getString("kernel").value_or(""));
    if (kernel == capture->functions.end())
      return fail("its kernel is not one of its functions");
    capture->kernel = kernel->second.get();
    return true;
  }

  bool fail(const llvm::Twine &message) {
    diagnostics.error({}, "malformed capture: " + message);
    return false;
  }

  /// A name of a function, or null, for each host callable.
  bool readBodies(const llvm::json::Array *bodies) {
    for (const llvm::json::Value &body : bodies ? *bodies : llvm::json::Array()) {
      auto found = capture->functions.find(body.getAsString().value_or(""));
      if (!body.getAsNull() && found == capture->functions.end())
        return fail("the body of a host function is not one of its functions");
      capture->hostBodies.push_back(body.getAsNull() ? nullptr : found->second.get());
    }
    return true;
  }

  bool readFunction(Function &function, const llvm::json::Object *object, llvm::StringRef id) {
    std::string where = ("function '" + id + "': ").str();
    if (!object)
      return fail(where + "it is not an object");
    std::optional<llvm::StringRef> name = object->getString("name");
    if (!name || name->empty())
      return fail(where + "it has no name");
    function.name = name->str();
    function.file = object->getString("file").value_or("").str();
    int64_t line = object->getInteger("line").value_or(0);
    function.line = line < 0 || line > (1 << 30) ? 0 : line;
    if (const llvm::json::Array *source = object->getArray("source"))
      for (const llvm::json::Value &text : *source)
        function.source.push_back(text.getAsString().value_or("").str());
    diagnostics.addSource(function.file, function.line, function.source);

    if (!readSettings(function, *object, where) ||
        !readParameters(function, object->getArray("params"), where) ||
        !readEnvironment(function, object->getObject("env"), where))
      return false;
    NodeReader reader(*capture, function);
    function.body = reader.block(*object, "body");
    if (reader.failed())
      return fail(where + reader.message());
    analyseFlow(function);
    return true;
  }

  bool readParameters(Function &function, const llvm::json::Array *list, llvm::StringRef where) {
    if (!list)
      return fail(where + "it has no params");
    for (const llvm::json::Value &element : *list) {
      const llvm::json::Object *object = element.getAsObject();
      std::optional<llvm::StringRef> name = object ? object->getString("name") : std::nullopt;
      if (!name || name->empty())
        return fail(where + "a parameter has no name");
      auto parameter = std::make_unique<Parameter>();
      parameter->name = name->str();
      parameter->isSymbol = object->getBoolean("symbol").value_or(false);
      // A symbol is no name of the function: a blank in its own keeps it apart from all of them.
      parameter->id = function.nameId((parameter->isSymbol ? "symbol " : "") + name->str());
      parameter->line = std::max<int64_t>(0, object->getInteger("l").value_or(0));
      parameter->column = std::max<int64_t>(0, object->getInteger("c").value_or(0)) + 1;
      parameter->endLine = parameter->line;
      parameter->endColumn = parameter->column + name->size();
      llvm::StringRef kind = object->getString("kind").value_or("");
      if (kind == "vararg")
        parameter->passing = Parameter::Variadic;
      else if (kind == "kwonly")
        parameter->passing = Parameter::KeywordOnly;
      else if (kind == "kwarg")
        parameter->passing = Parameter::Keywords;
      else if (kind != "positional")
        return fail(where + "parameter '" + *name + "' is of no known kind");
      parameter->isConstexpr = object->getString("annotation").value_or("") == "constexpr";
      if (const llvm::json::Value *value = object->get("default")) {
        std::string reason;
        parameter->defaultValue = readValue(*value, capture.get(), reason);
        if (!parameter->defaultValue)
          return fail(where + "default of '" + *name + "': " + reason);
      }
      if (const llvm::json::Object *tensor = object->getObject("tensor"))
        if (!readTensor(*parameter, *tensor, (where + "tensor '" + *name + "': ").str()))
          return false;
      function.parameters.push_back(parameter.get());
      capture->nodes.push_back(std::move(parameter));
    }
    return true;
  }

  bool readTensor(Parameter &parameter, const llvm::json::Object &object, llvm::StringRef where) {
    std::string reason = "it has no dtype or no shape";
    const llvm::json::Value *dtype = object.get("dtype");
    const llvm::json::Array *shape = object.getArray("shape");
    std::optional<Value> type = dtype ? readValue(*dtype, capture.get(), reason) : std::nullopt;
    if (!type || !shape)
      return fail(where + reason);
    Parameter::Tensor tensor{*type, {}};
    for (const llvm::json::Value &extent : *shape) {
      std::optional<Value> value = readValue(extent, capture.get(), reason);
      if (!value)
        return fail(where + reason);
      tensor.shape.push_back(*value);
    }
    parameter.tensor = std::move(tensor);
    return true;
  }

  bool readSettings(Function &function, const llvm::json::Object &object, llvm::StringRef where) {
    function.language = object.getString("language").value_or("triton").str();
    if (function.language != "triton" && function.language != "tilelang")
      return fail(where + "unknown language '" + function.language + "'");
    if (const llvm::json::Object *settings = object.getObject("pass_configs"))
      for (const auto &[key, json] : *settings) {
        std::string reason;
        std::optional<Value> value = readValue(json, capture.get(), reason);
        if (!value)
          return fail(where + "pass_configs '" + llvm::StringRef(key) + "': " + reason);
        function.passConfigs[llvm::StringRef(key)] = *value;
      }
    return true;
  }

  bool readEnvironment(Function &function, const llvm::json::Object *environment,
                       llvm::StringRef where) {
    if (!environment)
      return fail(where + "it has no env");
    for (const auto &[name, value] : *environment) {
      Global global;
      std::string reason;
      std::optional<Value> read = readValue(value, capture.get(), reason, &global.isConstexpr);
      if (!read)
        return fail(where + "global '" + llvm::StringRef(name) + "': " + reason);
      global.value = *read;
      function.globals[llvm::StringRef(name)] = std::move(global);
    }
    return true;
  }

  const llvm::json::Value &json;
  DiagnosticEngine &diagnostics;
  std::unique_ptr<Capture> capture;
};

} // namespace

std::unique_ptr<Capture> ast::readCapture(const llvm::json::Value &json,
                                          DiagnosticEngine &diagnostics) {
  return CaptureReader(json, diagnostics).read();
}
