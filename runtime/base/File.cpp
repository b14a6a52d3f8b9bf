//===- File.cpp - files by descriptor ----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/base/File.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace kiln {

FileDescriptor::~FileDescriptor() {
  if (number >= 0)
    ::close(number);
}

Error systemError(std::string place, std::string_view action) {
  // Not strerror, which may share its text between threads.
  int number = errno;
  std::string reason = std::generic_category().message(number);
  ErrorKind kind = number == ENOENT ? ErrorKind::NotFound : ErrorKind::System;
  return makeError(kind, std::move(place), "cannot " + std::string(action) + ": " + reason);
}

Result<FileDescriptor> openForReading(const std::string &path, bool follow) {
  // O_NONBLOCK: a pipe that somebody put in the place of a file must not hang the process.
  int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW);
  int descriptor = ::open(path.c_str(), flags);
  if (descriptor < 0)
    return systemError("file '" + path + "'", "open it");
  return FileDescriptor(descriptor);
}

Result<void> readAt(int descriptor, const std::string &path, uint64_t offset, void *data,
                    size_t size) {
  char *at = static_cast<char *>(data);
  while (size) {
    ssize_t count = ::pread(descriptor, at, size, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError("file '" + path + "'", "read it");
    if (count == 0)
      return makeError(ErrorKind::Invalid, "file '" + path + "'",
                       "ends at byte " + std::to_string(offset),
                       std::to_string(size) + " more bytes");
    at += count;
    offset += static_cast<uint64_t>(count);
    size -= static_cast<size_t>(count);
  }
  return {};
}

Result<std::string> readFile(int descriptor, const std::string &path, uint64_t limit) {
  struct stat status;
  if (::fstat(descriptor, &status) != 0)
    return systemError("file '" + path + "'", "examine it");
  if (!S_ISREG(status.st_mode))
    return makeError(ErrorKind::Invalid, "file '" + path + "'", "is not a regular file");
  auto size = static_cast<uint64_t>(status.st_size);
  if (size > limit)
    return makeError(ErrorKind::Invalid, "file '" + path + "'",
                     "has " + std::to_string(size) + " bytes", "at most " + std::to_string(limit));
  std::string data(size, '\0');
  if (Result<void> read = readAt(descriptor, path, 0, data.data(), size); !read)
    return read.takeError();
  return data;
}

Result<void> writeAll(int descriptor, const std::string &path, std::span<const std::byte> data) {
  while (!data.empty()) {
    ssize_t count = ::write(descriptor, data.data(), data.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError("file '" + path + "'", "write it");
    data = data.subspan(static_cast<size_t>(count));
  }
  return {};
}

Result<std::string> readFile(const std::string &path, uint64_t limit) {
  Result<FileDescriptor> file = openForReading(path);
  if (!file)
    return file.takeError();
  return readFile(file->get(), path, limit);
}

Result<void> writeFile(const std::string &path, std::string_view contents) {
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.valid())
    return systemError("file '" + path + "'", "create it");
  return writeAll(file.get(), path, std::as_bytes(std::span(contents)));
}

Result<void> makeDirectories(const std::string &path, unsigned mode) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), mode) != 0 && errno != EEXIST && errno != EROFS && errno != EACCES)
      return systemError("folder '" + part + "'", "make it");
    if (end == std::string::npos)
      break;
  }
  struct stat status;
  if (::stat(path.c_str(), &status) != 0)
    return systemError("folder '" + path + "'", "make it");
  if (!S_ISDIR(status.st_mode))
    return makeError(ErrorKind::Invalid, "'" + path + "'", "is not a folder");
  return {};
}

} // namespace kiln
