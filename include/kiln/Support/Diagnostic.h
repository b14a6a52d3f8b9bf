//===- Diagnostic.h - messages with a place in the user's source -------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// One form for everything the compiler tells its user: a severity, a message (what was found, what
// was expected), a place and notes with places of their own. The engine collects them and renders
// each one with the quoted source line:
//
//   add.py:14:9: error: undefined name 'tl_load'
//      14 |     x = tl_load(p)
//         |         ^~~~~~~
//
// It knows source text only from `addSource`; it reads no file and prints nothing.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SUPPORT_DIAGNOSTIC_H
#define KILN_SUPPORT_DIAGNOSTIC_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

#include <map>
#include <string>
#include <vector>

namespace kiln {

enum class Severity { Error, Warning, Remark, Note };

llvm::StringRef severityName(Severity severity);

/// A place in a source file. Lines and columns count from 1, columns in bytes; 0 means unknown.
/// `endColumn` is one past the last byte, on the same line; 0 where only the start is known.
struct SourcePlace {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  unsigned endColumn = 0;
};

struct DiagnosticNote {
  std::string message;
  SourcePlace place;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string message;
  SourcePlace place;
  std::vector<DiagnosticNote> notes;

  Diagnostic &note(const llvm::Twine &text, SourcePlace at) {
    notes.push_back({text.str(), std::move(at)});
    return *this;
  }
};

class DiagnosticEngine {
public:
  /// Makes the text of `lines` known, the first of them being line `firstLine` of `file`.
  void addSource(llvm::StringRef file, unsigned firstLine, llvm::ArrayRef<std::string> lines);

  /// Adds a diagnostic; the reference is valid until the next one is added.
  Diagnostic &report(Severity severity, SourcePlace place, const llvm::Twine &message);
  Diagnostic &error(SourcePlace place, const llvm::Twine &message) {
    return report(Severity::Error, std::move(place), message);
  }

  llvm::ArrayRef<Diagnostic> all() const { return diagnostics; }
  unsigned errorCount() const { return errors; }
  bool hasErrors() const { return errors != 0; }

  /// The line's text, or nothing where it is not known.
  llvm::StringRef sourceLine(llvm::StringRef file, unsigned line) const;

  /// `file:line:column: severity: message`, then the quoted line with a caret where it is known.
  std::string renderLine(Severity severity, const SourcePlace &place,
                         llvm::StringRef message) const;
  /// The diagnostic and its notes, without a final newline.
  std::string render(const Diagnostic &diagnostic) const;
  /// All of them, one after the other.
  std::string renderAll() const;

private:
  std::vector<Diagnostic> diagnostics;
  llvm::StringMap<std::map<unsigned, std::string>> sources;
  unsigned errors = 0;
};

} // namespace kiln

#endif // KILN_SUPPORT_DIAGNOSTIC_H
