//===- Link.cpp - object file to shared object, in memory ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// lld as a library. It knows files only: the input is an anonymous memory file that it opens by its
// path in /proc; the output, which it insists on creating itself, lies in a private folder that is
// removed at once. lld keeps global state: one link at a time.
//
//===-----------------------------------------------------------------------------------------===//

#include "Link.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace kiln::cpu {
namespace {

/// An anonymous file in memory, closed at the end.
class MemoryFile {
public:
  explicit MemoryFile(const char *name) : descriptor(memfd_create(name, MFD_CLOEXEC)) {}
  MemoryFile(const MemoryFile &) = delete;
  ~MemoryFile() {
    if (descriptor >= 0)
      close(descriptor);
  }

  bool valid() const { return descriptor >= 0; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor); }

  bool write(llvm::StringRef bytes) {
    while (!bytes.empty()) {
      ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return false;
      bytes = bytes.drop_front(count);
    }
    return true;
  }

private:
  int descriptor;
};

/// A folder of our own, removed with the one file in it.
class PrivateFolder {
public:
  PrivateFolder() : code(llvm::sys::fs::createUniqueDirectory("kiln-link", folder)) {}
  PrivateFolder(const PrivateFolder &) = delete;
  ~PrivateFolder() {
    if (code)
      return;
    llvm::sys::fs::remove(file());
    llvm::sys::fs::remove(folder);
  }

  std::error_code error() const { return code; }
  std::string file() const { return (folder + "/kernel.so").str(); }

private:
  llvm::SmallString<128> folder;
  std::error_code code;
};

llvm::Error failure(const llvm::Twine &what) {
  return llvm::createStringError("cannot link the kernel: " + what);
}

} // namespace

llvm::Expected<std::vector<char>> linkSharedObject(llvm::StringRef object) {
  static std::mutex mutex;
  static bool usable = true;
  std::lock_guard<std::mutex> lock(mutex);
  if (!usable)
    return failure("the linker crashed earlier in this process");

  MemoryFile input("kiln-kernel.o");
  if (!input.valid() || !input.write(object))
    return failure("no memory file: " + llvm::StringRef(std::strerror(errno)));
  PrivateFolder output;
  if (output.error())
    return failure("no temporary folder: " + output.error().message());

  std::string inputPath = input.path(), outputPath = output.file(), messages;
  const char *arguments[] = {"ld.lld",
                             "-shared",
                             "-z",
                             "defs",
                             "-z",
                             "noexecstack",
                             "-z",
                             "noseparate-code",
                             "--hash-style=gnu",
                             "--build-id=none",
                             "--threads=1",
                             "--no-mmap-output-file",
                             "-o",
                             outputPath.c_str(),
                             inputPath.c_str()};
  llvm::raw_string_ostream stream(messages);
  lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  if (result.retCode != 0)
    return failure(llvm::StringRef(messages).trim());

  auto bytes = llvm::MemoryBuffer::getFile(outputPath, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!bytes)
    return failure("cannot read the result: " + bytes.getError().message());
  return std::vector<char>((*bytes)->getBufferStart(), (*bytes)->getBufferEnd());
}

} // namespace kiln::cpu
