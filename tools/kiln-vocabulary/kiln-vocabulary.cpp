//===- kiln-vocabulary.cpp - the kernel language as a table ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Prints every name of a language with its signature, as Markdown: docs/generated/Language.md, or
// with the argument `tilelang` docs/generated/TileLang.md. A name that is there and not there yet
// is an error.
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Frontend/Vocabulary.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace kiln::frontend;

static std::string text(const Signature::Form &form) {
  std::vector<std::string> parts;
  bool isKeywordOnly = false;
  for (const Signature::Parameter &parameter : form) {
    if (parameter.isKeywordOnly && !isKeywordOnly)
      parts.push_back("*");
    isKeywordOnly |= parameter.isKeywordOnly || parameter.isVariadic;
    std::string part = (parameter.isVariadic ? "*" : "") + parameter.name;
    if (parameter.defaultValue)
      part += "=" + pythonRepr(*parameter.defaultValue);
    parts.push_back(part);
  }
  return "(" + llvm::join(parts, ", ") + ")";
}

/// Names that the vocabulary refuses, by reason.
static void printRefused(const Vocabulary &vocabulary, llvm::ArrayRef<std::string> names) {
  std::map<std::string, std::vector<std::string>> byReason;
  for (const std::string &name : names)
    if (const Value *constant = vocabulary.findConstant(name); constant && constant->asOpaque())
      byReason[constant->asOpaque()->typeName].push_back(name);
  for (const auto &[reason, refused] : byReason)
    llvm::outs() << "\nRefused, as each of them " << reason << ": `" << llvm::join(refused, "`, `")
                 << "`.\n";
}

static void printRow(const Vocabulary &vocabulary, const std::string &name) {
  const Value *constant = vocabulary.findConstant(name);
  if (constant && constant->asOpaque())
    return;
  llvm::outs() << "| `" << name << "` | ";
  if (const Vocabulary::Entry *entry = vocabulary.find(name))
    llvm::interleave(
        entry->signature.forms(), llvm::outs(),
        [](const Signature::Form &form) { llvm::outs() << "`" << text(form) << "`"; }, " or ");
  else
    llvm::outs() << (constant ? "constant" : "attribute");
  llvm::outs() << " |\n";
}

int main(int argc, char **argv) {
  bool isTileLang = argc == 2 && llvm::StringRef(argv[1]) == "tilelang";
  const Vocabulary &vocabulary = isTileLang ? tileLangVocabulary() : tritonVocabulary();
  // TileLang's vocabulary has Triton's names for its lowerings' sake only.
  auto isOfLanguage = [&](llvm::StringRef name) {
    return !isTileLang || name.starts_with("T.") || name.starts_with("buffer.");
  };
  std::vector<std::string> names = vocabulary.names(), later = vocabulary.notThereYetNames();
  llvm::erase_if(names, [&](const std::string &name) { return !isOfLanguage(name); });
  llvm::erase_if(later, [&](const std::string &name) { return !isOfLanguage(name); });
  for (const std::string &name : later)
    if (vocabulary.find(name) || vocabulary.findConstant(name)) {
      llvm::errs() << "kiln-vocabulary: '" << name << "' is there, and not there yet\n";
      return 1;
    }
  llvm::outs() << "| name | signature |\n| --- | --- |\n";
  for (const std::string &name : names)
    printRow(vocabulary, name);
  llvm::outs() << "\n## Not there yet\n\nUsing one of these is an error that says so: "
               << "`" << llvm::join(later, "`, `") << "`.\n";
  printRefused(vocabulary, names);
  return 0;
}
