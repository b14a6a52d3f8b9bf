//===- Diagnostic.cpp - messages with a place in the user's source -----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Support/Diagnostic.h"

#include "llvm/Support/raw_ostream.h"

using namespace kiln;

llvm::StringRef kiln::severityName(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
    return "remark";
  case Severity::Note:
    return "note";
  }
  return "";
}

void DiagnosticEngine::addSource(llvm::StringRef file, unsigned firstLine,
                                 llvm::ArrayRef<std::string> lines) {
  std::map<unsigned, std::string> &known = sources[file];
  for (const std::string &line : lines)
    known[firstLine++] = line;
}

Diagnostic &DiagnosticEngine::report(Severity severity, SourcePlace place,
                                     const llvm::Twine &message) {
  if (severity == Severity::Error)
    ++errors;
  diagnostics.push_back({severity, message.str(), std::move(place), {}});
  return diagnostics.back();
}

llvm::StringRef DiagnosticEngine::sourceLine(llvm::StringRef file, unsigned line) const {
  auto lines = sources.find(file);
  if (lines == sources.end())
    return {};
  auto found = lines->second.find(line);
  return found == lines->second.end() ? llvm::StringRef() : llvm::StringRef(found->second);
}

/// One column per character: UTF-8 continuation bytes take none, tabs stay tabs.
static void padTo(llvm::raw_ostream &out, llvm::StringRef text, unsigned column) {
  for (unsigned i = 0; i + 1 < column; ++i) {
    unsigned char byte = i < text.size() ? text[i] : ' ';
    if ((byte & 0xC0) != 0x80)
      out << (byte == '\t' ? '\t' : ' ');
  }
}

static void underline(llvm::raw_ostream &out, llvm::StringRef text, unsigned column,
                      unsigned endColumn) {
  out << '^';
  for (unsigned i = column; i + 1 < endColumn && i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80)
      out << '~';
}

std::string DiagnosticEngine::renderLine(Severity severity, const SourcePlace &place,
                                         llvm::StringRef message) const {
  std::string result;
  llvm::raw_string_ostream out(result);
  if (!place.file.empty()) {
    out << place.file << ':';
    if (place.line)
      out << place.line << ':';
    if (place.line && place.column)
      out << place.column << ':';
    out << ' ';
  }
  out << severityName(severity) << ": " << message;
  llvm::StringRef text = sourceLine(place.file, place.line);
  if (text.empty())
    return result;
  std::string number = std::to_string(place.line);
  out << "\n  " << number << " | " << text;
  if (place.column && place.column <= text.size() + 1) {
    out << "\n  " << std::string(number.size(), ' ') << " | ";
    padTo(out, text, place.column);
    underline(out, text, place.column, place.endColumn);
  }
  return result;
}

std::string DiagnosticEngine::render(const Diagnostic &diagnostic) const {
  std::string result = renderLine(diagnostic.severity, diagnostic.place, diagnostic.message);
  for (const DiagnosticNote &note : diagnostic.notes)
    result += "\n" + renderLine(Severity::Note, note.place, note.message);
  return result;
}

std::string DiagnosticEngine::renderAll() const {
  std::string result;
  for (const Diagnostic &diagnostic : diagnostics) {
    if (!result.empty())
      result += "\n";
    result += render(diagnostic);
  }
  return result;
}
