//===- TestSupport.h - what the runtime's tests share ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_UNITTESTS_RUNTIME_TESTSUPPORT_H
#define KILN_UNITTESTS_RUNTIME_TESTSUPPORT_H

#include "runtime/base/Result.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

namespace kiln {

/// The value of a result; ends the test program with the error's text if there is none.
template <typename T> T valueOf(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error().message();
    std::abort();
  }
  return std::move(*result);
}

template <typename T> std::string messageOf(const Result<T> &result) {
  return result ? "success" : result.error().message();
}

inline bool contains(const std::string &text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

inline std::string kernelPath(const std::string &name) {
  return std::string(KERNEL_FOLDER) + "/" + name + ".so";
}

inline std::string readAll(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void writeAll(const std::string &path, const std::string &contents) {
  std::ofstream(path, std::ios::binary) << contents;
}

/// A folder that is removed with its owner.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "kiln-test-XXXXXX").string();
    if (!::mkdtemp(name.data()))
      std::abort();
    folder = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;

  const std::string &path() const { return folder; }

private:
  std::string folder;
};

} // namespace kiln

#endif // KILN_UNITTESTS_RUNTIME_TESTSUPPORT_H
