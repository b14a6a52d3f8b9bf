//===- Link.cpp - object file to shared object, in memory ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// lld as a library. It knows files only, so input and output are anonymous memory files that it
// opens by their path in /proc: nothing is left behind, and no temporary folder has to be found.
// lld keeps global state: one link at a time.
//
//===-----------------------------------------------------------------------------------------===//

#include "Link.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
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

  bool read(std::vector<char> &bytes) {
    struct stat status;
    if (fstat(descriptor, &status) != 0)
      return false;
    bytes.resize(status.st_size);
    for (size_t done = 0; done != bytes.size();) {
      ssize_t count = pread(descriptor, bytes.data() + done, bytes.size() - done, done);
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return false;
      done += count;
    }
    return true;
  }

private:
  int descriptor;
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

  MemoryFile input("kiln-kernel.o"), output("kiln-kernel.so");
  if (!input.valid() || !output.valid() || !input.write(object))
    return failure("no memory file: " + llvm::StringRef(std::strerror(errno)));

  std::string inputPath = input.path(), outputPath = output.path(), messages;
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

  std::vector<char> bytes;
  if (!output.read(bytes) || bytes.empty())
    return failure("the linker wrote nothing");
  return bytes;
}

} // namespace kiln::cpu
