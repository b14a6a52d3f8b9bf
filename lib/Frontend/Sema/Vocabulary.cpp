//===- Vocabulary.cpp - the table of language names --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Frontend/Vocabulary.h"

#include "llvm/ADT/STLExtras.h"

using namespace kiln::frontend;

void Vocabulary::addNamespacesOf(llvm::StringRef name) {
  for (llvm::StringRef prefix = name.rsplit('.').first; prefix != name;) {
    namespaces.insert(prefix);
    name = prefix;
    prefix = name.rsplit('.').first;
  }
}

void Vocabulary::add(llvm::ArrayRef<LanguageEntry> list) {
  for (const LanguageEntry &entry : list) {
    entries[entry.name] = {entry.name.str(), Signature::parse(entry.signature), entry.lower};
    addNamespacesOf(entry.name);
  }
}

void Vocabulary::addAttributes(llvm::ArrayRef<AttributeEntry> list) {
  for (const AttributeEntry &entry : list)
    attributes[entry.name] = entry.get;
}

void Vocabulary::addConstant(llvm::StringRef name, Value value) {
  constants[name] = std::move(value);
  addNamespacesOf(name);
}

void Vocabulary::addAlias(llvm::StringRef alias, llvm::StringRef canonical) {
  aliases[alias] = canonical.str();
  addNamespacesOf(alias);
}

void Vocabulary::addNotThereYet(llvm::StringRef names, llvm::StringRef space) {
  llvm::SmallVector<llvm::StringRef> list;
  names.split(list, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef name : list) {
    std::string full = (space + name).str();
    notThereYet.insert(full);
    addNamespacesOf(full);
  }
}

std::string Vocabulary::canonical(llvm::StringRef name) const {
  std::string result = name.str();
  // Aliases may lead to aliases; a cycle would be a mistake in the tables, so the number of steps
  // is bounded.
  for (unsigned step = 0; step < 8; ++step) {
    llvm::StringRef prefix = result;
    auto alias = aliases.find(prefix);
    while (alias == aliases.end() && prefix.contains('.')) {
      prefix = prefix.rsplit('.').first;
      alias = aliases.find(prefix);
    }
    if (alias == aliases.end())
      break;
    result = alias->second + result.substr(prefix.size());
  }
  return result;
}

const Vocabulary::Entry *Vocabulary::find(llvm::StringRef name) const {
  auto found = entries.find(name);
  return found == entries.end() ? nullptr : &found->second;
}

const Value *Vocabulary::findConstant(llvm::StringRef name) const {
  auto found = constants.find(name);
  return found == constants.end() ? nullptr : &found->second;
}

AttributeLowering Vocabulary::findAttribute(llvm::StringRef name) const {
  auto found = attributes.find(name);
  return found == attributes.end() ? nullptr : found->second;
}

bool Vocabulary::isNamespace(llvm::StringRef name) const { return namespaces.contains(name); }

bool Vocabulary::isNotThereYet(llvm::StringRef name) const { return notThereYet.contains(name); }

std::vector<std::string> Vocabulary::names() const {
  std::vector<std::string> result;
  for (llvm::StringRef name : entries.keys())
    result.push_back(name.str());
  for (llvm::StringRef name : constants.keys())
    result.push_back(name.str());
  for (llvm::StringRef name : attributes.keys())
    result.push_back(name.str());
  llvm::sort(result);
  return result;
}

std::vector<std::string> Vocabulary::aliasNames() const {
  std::vector<std::string> result;
  for (llvm::StringRef name : aliases.keys())
    result.push_back(name.str());
  llvm::sort(result);
  return result;
}

std::vector<std::string> Vocabulary::notThereYetNames() const {
  std::vector<std::string> result;
  for (llvm::StringRef name : notThereYet.keys())
    result.push_back(name.str());
  llvm::sort(result);
  return result;
}

std::vector<std::string> Vocabulary::nearest(llvm::StringRef name) const {
  auto [prefix, word] = name.rsplit('.');
  std::vector<std::string> candidates;
  auto collect = [&, prefix = prefix](llvm::StringRef known) {
    if (known.size() > prefix.size() && known.starts_with(prefix) && known[prefix.size()] == '.')
      candidates.push_back(known.drop_front(prefix.size() + 1).str());
  };
  for (const std::string &known : names())
    collect(known);
  for (llvm::StringRef alias : aliases.keys())
    collect(alias);
  std::vector<std::string> result = nearestWords(word, candidates);
  for (std::string &text : result)
    text = (prefix + "." + text).str();
  return result;
}

/// Changes of one letter, and one of two letters swapped.
static unsigned distanceOf(llvm::StringRef word, llvm::StringRef candidate, unsigned limit) {
  unsigned distance = word.edit_distance(candidate, /*AllowReplacements=*/true, limit + 1);
  if (distance != 2 || word.size() != candidate.size())
    return distance;
  std::string letters[] = {word.str(), candidate.str()};
  for (std::string &list : letters)
    llvm::sort(list);
  return letters[0] == letters[1] ? 1 : distance;
}

std::vector<std::string> kiln::frontend::nearestWords(llvm::StringRef word,
                                                      llvm::ArrayRef<std::string> candidates) {
  unsigned limit = std::max<size_t>(1, word.size() / 3);
  std::vector<std::pair<unsigned, std::string>> found;
  for (const std::string &candidate : candidates) {
    unsigned distance = distanceOf(word, candidate, limit);
    // A word of one letter is near to every other: that helps nobody.
    if (distance <= limit && distance < word.size() && word != candidate)
      found.push_back({distance, candidate});
  }
  llvm::sort(found);
  found.erase(llvm::unique(found), found.end());
  if (found.size() > 3)
    found.resize(3);
  std::vector<std::string> result;
  for (auto &[distance, text] : found)
    result.push_back(text);
  return result;
}

const Vocabulary &kiln::frontend::tritonVocabulary() {
  static const Vocabulary vocabulary = [] {
    Vocabulary filled;
    addTritonVocabulary(filled);
    return filled;
  }();
  return vocabulary;
}
