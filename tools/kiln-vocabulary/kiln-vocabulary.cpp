//===- kiln-vocabulary.cpp - the kernel language as a table ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Prints every name of the vocabulary with its signature, as Markdown: docs/generated/Language.md.
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Frontend/Vocabulary.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

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

int main() {
  const Vocabulary &vocabulary = tritonVocabulary();
  llvm::outs() << "| name | signature |\n| --- | --- |\n";
  for (const std::string &name : vocabulary.names()) {
    llvm::outs() << "| `" << name << "` | ";
    if (const Vocabulary::Entry *entry = vocabulary.find(name))
      llvm::interleave(
          entry->signature.forms(), llvm::outs(),
          [](const Signature::Form &form) { llvm::outs() << "`" << text(form) << "`"; }, " or ");
    else
      llvm::outs() << (vocabulary.findConstant(name) ? "constant" : "attribute");
    llvm::outs() << " |\n";
  }
  llvm::outs() << "\n## Not there yet\n\nUsing one of these is an error that says so: "
               << "`" << llvm::join(vocabulary.notThereYetNames(), "`, `") << "`.\n";
  return 0;
}
