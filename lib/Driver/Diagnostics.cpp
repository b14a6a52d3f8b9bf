//===- Diagnostics.cpp - MLIR's diagnostics in Kiln's form -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Diagnostics.h"

#include "kiln/Support/Refusal.h"

#include "mlir/IR/Location.h"

using namespace mlir;

namespace kiln::driver {
namespace {

Severity severityOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return Severity::Error;
  case DiagnosticSeverity::Warning:
    return Severity::Warning;
  case DiagnosticSeverity::Remark:
    return Severity::Remark;
  case DiagnosticSeverity::Note:
    return Severity::Note;
  }
  return Severity::Error;
}

void collect(Location loc, std::vector<SourcePlace> &places) {
  if (auto range = dyn_cast<FileLineColRange>(loc)) {
    SourcePlace place{range.getFilename().str(), range.getStartLine(), range.getStartColumn(), 0};
    if (range.getEndLine() == range.getStartLine() && range.getEndColumn() > range.getStartColumn())
      place.endColumn = range.getEndColumn();
    places.push_back(std::move(place));
  } else if (auto name = dyn_cast<NameLoc>(loc)) {
    collect(name.getChildLoc(), places);
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    collect(call.getCallee(), places);
    collect(call.getCaller(), places);
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    // Ops that were merged: the first that has a place stands for all.
    for (Location part : fused.getLocations()) {
      size_t before = places.size();
      collect(part, places);
      if (places.size() != before)
        return;
    }
  } else if (auto opaque = dyn_cast<OpaqueLoc>(loc)) {
    collect(opaque.getFallbackLocation(), places);
  }
}

llvm::json::Object placeToJson(const SourcePlace &place, llvm::StringRef message) {
  // A StringRef would be kept as a reference.
  return llvm::json::Object{{"message", message.str()},
                            {"file", place.file},
                            {"line", static_cast<int64_t>(place.line)},
                            {"column", static_cast<int64_t>(place.column)}};
}

/// A string of any bytes as JSON can hold it.
std::string utf8(llvm::StringRef text) {
  return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
}

} // namespace

std::pair<SourcePlace, std::vector<SourcePlace>> placesOf(Location loc) {
  std::vector<SourcePlace> places;
  collect(loc, places);
  if (places.empty())
    return {SourcePlace(), {}};
  SourcePlace inner = std::move(places.front());
  places.erase(places.begin());
  return {std::move(inner), std::move(places)};
}

/// What MLIR says of operations starts with the operation's name, or names one that is left over.
bool DiagnosticBridge::isInternal(mlir::Diagnostic &diagnostic, StringRef message) const {
  return diagnostic.getSeverity() == DiagnosticSeverity::Error && !step.empty() &&
         !isRefusal(diagnostic) &&
         (checking || message.starts_with("'") ||
          message.starts_with("failed to legalize operation"));
}

DiagnosticBridge::DiagnosticBridge(MLIRContext &context, DiagnosticEngine &engine)
    : handler(&context, [this, &engine](mlir::Diagnostic &source) {
        auto [place, callers] = placesOf(source.getLocation());
        std::string message = source.str();
        bool internal = isInternal(source, message);
        if (internal)
          message =
              ("internal error in " + step + ": " + StringRef(message).split('\n').first).str();
        kiln::Diagnostic &target =
            engine.report(severityOf(source.getSeverity()), std::move(place), message);
        for (SourcePlace &caller : callers)
          target.note("called from here", std::move(caller));
        if (internal)
          return;
        for (mlir::Diagnostic &note : source.getNotes())
          target.note(note.str(), placesOf(note.getLocation()).first);
      }) {}

llvm::json::Array diagnosticsToJson(const DiagnosticEngine &engine, bool remarks) {
  llvm::json::Array list;
  for (const kiln::Diagnostic &diagnostic : engine.all()) {
    if ((diagnostic.severity == Severity::Remark) != remarks)
      continue;
    SourcePlace place = diagnostic.place;
    place.file = utf8(place.file);
    llvm::json::Object entry = placeToJson(place, utf8(diagnostic.message));
    entry["severity"] = severityName(diagnostic.severity);
    entry["end_column"] = static_cast<int64_t>(place.endColumn);
    entry["text"] = utf8(engine.render(diagnostic));
    llvm::json::Array notes;
    for (const DiagnosticNote &note : diagnostic.notes) {
      SourcePlace at = note.place;
      at.file = utf8(at.file);
      llvm::json::Object object = placeToJson(at, utf8(note.message));
      object["text"] = utf8(engine.renderLine(Severity::Note, note.place, note.message));
      notes.push_back(std::move(object));
    }
    entry["notes"] = std::move(notes);
    list.push_back(std::move(entry));
  }
  return list;
}

} // namespace kiln::driver
