//===- ImageTable.cpp - hand-written images with what is to be found in them -----------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "ImageTable.h"

#include "sim/asm/Assembly.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace kiln::sim::test {

namespace {

void readLine(const std::string &line, CheckedImage &into) {
  std::istringstream words(line.size() > 3 ? line.substr(3) : "");
  std::string word;
  if (line.starts_with("//!")) {
    into.expected.push_back(line.size() > 4 ? line.substr(4) : "");
  } else if (line.starts_with("//=")) {
    for (float value; words >> value;)
      into.values.push_back(value);
  } else if (line.starts_with("//%")) {
    words >> word;
    uint64_t value = 0;
    EXPECT_TRUE(words >> value) << line;
    EXPECT_TRUE(word == "grid" || word == "limit") << line;
    word == "grid" ? into.grid = uint32_t(value) : into.limit = value;
  }
}

void readFile(const std::filesystem::path &path, std::vector<CheckedImage> &images) {
  std::ifstream file(path);
  std::string head, line, text;
  bool first = true;
  CheckedImage image;
  auto finish = [&] {
    if (first)
      return;
    auto assembled = assemble(text, image.name);
    EXPECT_TRUE(assembled.ok()) << assembled.error().message();
    if (assembled)
      image.image = std::move(*assembled);
    images.push_back(std::move(image));
  };
  while (std::getline(file, line)) {
    if (line.starts_with("//--- ")) {
      finish();
      if (first)
        head = text;
      first = false;
      text = head;
      image = {};
      image.name = path.filename().string() + ": " + line.substr(6);
    } else {
      readLine(line, image);
      text += line + "\n";
    }
  }
  finish();
}

} // namespace

std::vector<CheckedImage> imagesOf(const std::string &folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto &entry :
       std::filesystem::directory_iterator(std::string(KILN_CHECK_IMAGES) + "/" + folder))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<CheckedImage> images;
  for (const std::filesystem::path &path : paths)
    readFile(path, images);
  return images;
}

bool matches(const std::string &text, const std::string &pattern) {
  std::istringstream parts(pattern);
  std::string part;
  for (size_t at = 0; std::getline(parts, part, '*');) {
    at = text.find(part, at);
    if (at == std::string::npos)
      return false;
    at += part.size();
  }
  return true;
}

} // namespace kiln::sim::test
