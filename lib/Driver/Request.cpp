//===- Request.cpp - reading a request -------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Members are read by type: a member that is there with another type, or a word that is not known,
// is an error that names it. What the front end alone understands (capture, signature) is checked
// there.
//
//===-----------------------------------------------------------------------------------------===//

#include "Request.h"

#include "machine/MachineFile.h"

#include "llvm/Support/FormatVariadic.h"

#ifndef KILN_VERIFY_EACH
#define KILN_VERIFY_EACH 0
#endif

using namespace llvm;

namespace kiln::driver {
namespace {

StringRef kindName(const json::Value &value) {
  switch (value.kind()) {
  case json::Value::Null:
    return "null";
  case json::Value::Boolean:
    return "a boolean";
  case json::Value::Number:
    return "a number";
  case json::Value::String:
    return "a string";
  case json::Value::Array:
    return "an array";
  case json::Value::Object:
    return "an object";
  }
  return "an unknown value";
}

/// Reads members of one object and keeps the first error.
class Members {
public:
  Members(const json::Object &object, StringRef path, std::string &error)
      : object(object), path(path), error(error) {}

  void read(StringRef name, bool &into) {
    if (const json::Value *value = find(name)) {
      if (auto found = value->getAsBoolean())
        into = *found;
      else
        mismatch(name, *value, "a boolean");
    }
  }
  void read(StringRef name, int64_t &into) {
    if (const json::Value *value = find(name)) {
      if (auto found = value->getAsInteger())
        into = *found;
      else
        mismatch(name, *value, "an integer");
    }
  }
  void read(StringRef name, std::string &into) {
    if (const json::Value *value = find(name)) {
      if (auto found = value->getAsString())
        into = found->str();
      else
        mismatch(name, *value, "a string");
    }
  }
  const json::Object *readObject(StringRef name) {
    const json::Value *value = find(name);
    if (!value)
      return nullptr;
    if (!value->getAsObject())
      mismatch(name, *value, "an object");
    return value->getAsObject();
  }
  const json::Array *readArray(StringRef name) {
    const json::Value *value = find(name);
    if (!value)
      return nullptr;
    if (!value->getAsArray())
      mismatch(name, *value, "an array");
    return value->getAsArray();
  }
  const json::Value *find(StringRef name) const { return object.get(name); }

  void fail(const Twine &message) {
    if (error.empty())
      error = ("malformed request: " + message).str();
  }

private:
  void mismatch(StringRef name, const json::Value &value, StringRef expected) {
    fail("found " + kindName(value) + " in '" + path + name + "', expected " + expected);
  }

  const json::Object &object;
  std::string path;
  std::string &error;
};

/// A stage that `emit` may name, and on which targets it is made.
struct StageName {
  StringRef name;
  bool Request::*wanted;
  bool onCpu, onNpu;
};
constexpr StageName stageNames[] = {
    {"tile", &Request::emitTile, true, true},     {"linalg", &Request::emitLinalg, true, false},
    {"npu", &Request::emitNpu, false, true},      {"llvm", &Request::emitLLVM, true, false},
    {"asm", &Request::emitAssembly, true, false}, {"object", &Request::emitObject, true, true}};

void readEmit(Members &members, Request &request) {
  const json::Array *list = members.readArray("emit");
  if (!list)
    return;
  std::string known;
  for (const StageName &stage : stageNames)
    if (request.isNpu() ? stage.onNpu : stage.onCpu)
      known += (known.empty() ? "" : ", ") + stage.name.str();
  for (const json::Value &entry : *list) {
    std::optional<StringRef> name = entry.getAsString();
    if (!name)
      return members.fail("found " + kindName(entry) + " in 'emit', expected a string");
    auto stage = find_if(stageNames, [&](const StageName &known) {
      return known.name == *name && (request.isNpu() ? known.onNpu : known.onCpu);
    });
    if (stage == std::end(stageNames))
      return members.fail("found '" + *name + "' in 'emit', expected one of " + known);
    request.*(stage->wanted) = true;
  }
}

void readOptions(const json::Object &object, Request &request, std::string &error) {
  Members members(object, "options.", error);
  members.read("enable_fp_fusion", request.options.enableFpFusion);
  members.read("debug", request.options.debug);
  members.read("num_warps", request.options.numWarps);
  members.read("num_stages", request.options.numStages);
  members.read("streaming", request.streaming);
}

void readTarget(const json::Object &object, Request &request, std::string &error) {
  Members members(object, "target.", error);
  std::string device = "cpu";
  members.read("device", device);
  if (device != "cpu") {
    if (Result<machine::MachineRef> found = machine::findMachine(device); !found)
      members.fail("device '" + device + "': " + found.error().message());
    request.chip = device;
  }
  members.read("cpu", request.cpu.cpu);
  members.read("features", request.cpu.features);
}

} // namespace

Expected<Request> parseRequest(StringRef text) {
  Request request;
  Expected<json::Value> document = json::parse(text);
  if (!document)
    return createStringError("malformed request: " + toString(document.takeError()));
  request.document = std::move(*document);
  const json::Object *object = request.document.getAsObject();
  if (!object)
    return createStringError("malformed request: found " + kindName(request.document) +
                             ", expected an object");

  std::string error;
  Members members(*object, "", error);
  int64_t schema = 0;
  members.read("schema", schema);
  if (schema != 1)
    members.fail("found schema " + Twine(schema) + ", expected 1");
  members.read("mlir", request.mlir);
  if (request.mlir.empty()) {
    for (StringRef needed : {"capture", "signature"})
      if (!members.find(needed))
        members.fail("found no '" + needed + "'");
  } else if (members.find("capture")) {
    members.fail("found both 'capture' and 'mlir', expected one");
  }
  if (const json::Object *options = members.readObject("options"))
    readOptions(*options, request, error);
  if (const json::Object *target = members.readObject("target"))
    readTarget(*target, request, error);
  readEmit(members, request);
  members.read("dump_dir", request.dumpDirectory);
  members.read("explain_access", request.explainAccess);
  request.verifyEach = KILN_VERIFY_EACH;
  members.read("verify_each", request.verifyEach);
  if (!error.empty())
    return createStringError(error);
  return request;
}

} // namespace kiln::driver
