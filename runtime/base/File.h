//===- File.h - files by descriptor ----------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_BASE_FILE_H
#define KILN_RUNTIME_BASE_FILE_H

#include "runtime/base/Result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kiln {

/// An open file descriptor, closed by its owner. Negative: none.
class FileDescriptor {
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int descriptor) : number(descriptor) {}
  FileDescriptor(FileDescriptor &&other) noexcept : number(std::exchange(other.number, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~FileDescriptor();

  int get() const { return number; }
  bool valid() const { return number >= 0; }

private:
  int number = -1;
};

/// An Error for the current errno.
Error systemError(std::string place, std::string_view action);

/// Opens a file for reading; never follows a symbolic link if `follow` is false.
Result<FileDescriptor> openForReading(const std::string &path, bool follow = true);

/// Reads a whole file, but refuses one of more than `limit` bytes.
Result<std::string> readFile(int descriptor, const std::string &path, uint64_t limit);

/// Opens a file and reads all of it, but refuses one of more than `limit` bytes.
Result<std::string> readFile(const std::string &path, uint64_t limit);

/// Reads exactly `size` bytes from `offset`.
Result<void> readAt(int descriptor, const std::string &path, uint64_t offset, void *data,
                    size_t size);

Result<void> writeAll(int descriptor, const std::string &path, std::span<const std::byte> data);

/// Makes or replaces a file.
Result<void> writeFile(const std::string &path, std::string_view contents);

/// Makes a folder and those above it; new ones get `mode`.
Result<void> makeDirectories(const std::string &path, unsigned mode);

} // namespace kiln

#endif // KILN_RUNTIME_BASE_FILE_H
