//===- File.cpp - images in files -------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "image/File.h"

#include "image/Structure.h"
#include "runtime/base/File.h"

#include <cstdio>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

namespace kiln::image {

Result<Image> load(const std::string &path) {
  Result<std::string> bytes = readFile(path, maxFileBytes);
  if (!bytes)
    return bytes.takeError();
  return parse(*bytes, path);
}

Result<void> save(const Image &image, const std::string &path) {
  if (Result<void> structure = checkStructure(image, path); !structure)
    return structure;
  std::string bytes = serialize(image);
  if (bytes.size() > maxFileBytes)
    return makeError(ErrorKind::Invalid, path,
                     "an image of " + std::to_string(bytes.size()) + " bytes",
                     "at most " + std::to_string(maxFileBytes));
  // A temporary file beside it and a rename: no reader sees half an image.
  std::string temporary = path + ".XXXXXX";
  FileDescriptor file(::mkstemp(temporary.data()));
  if (!file.valid())
    return systemError("file '" + temporary + "'", "create it");
  Result<void> written =
      writeAll(file.get(), temporary, std::as_bytes(std::span(bytes.data(), bytes.size())));
  constexpr mode_t mode = 0644;
  if (written &&
      (::fchmod(file.get(), mode) != 0 || std::rename(temporary.c_str(), path.c_str()) != 0))
    written = systemError("file '" + path + "'", "write it");
  if (!written)
    ::unlink(temporary.c_str());
  return written;
}

} // namespace kiln::image
