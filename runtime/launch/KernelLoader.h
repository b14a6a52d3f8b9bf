//===- KernelLoader.h - from a request to a loaded kernel ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The slow path of a launch: disk cache, else compiler. A kernel that is found on disk costs no
// LLVM.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_LAUNCH_KERNELLOADER_H
#define KILN_RUNTIME_LAUNCH_KERNELLOADER_H

#include "runtime/cache/DiskCache.h"
#include "runtime/device/Device.h"
#include "runtime/launch/CompilerLibrary.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::runtime {

/// A kernel variant, ready to launch.
struct Kernel {
  std::shared_ptr<Executable> executable;
  std::string report;       ///< the compiler's report (JSON), also where it comes from the cache
  std::string cacheKey;     ///< hexadecimal
  std::string path;         ///< the cache's file; empty if it lives in memory only
  std::vector<bool> writes; ///< per slot: the kernel may write through it
  bool fromCache = false;
  std::vector<std::string> cacheNotes; ///< why an entry was not used or not written
};

/// The parts of a request that are texts already (JSON).
struct RequestParts {
  std::string_view capture;   ///< an object
  std::string_view signature; ///< a list: Specialization::signatureJson()
  std::string_view options;   ///< an object, without "streaming"
  bool streaming = false;     ///< Specialization::streaming()
  std::string_view device = "cpu";
  std::string_view cpu, features; ///< HostCpu
  std::vector<std::string> emit = {"object"};
  std::string_view dumpDir = {};
  bool explainAccess = false;
  std::optional<bool> verifyEach = {}; ///< nothing: the compiler's default
};

/// The text of a request.
std::string composeRequest(const RequestParts &parts);

class KernelLoader {
public:
  /// `cache` may be null: everything is compiled and kept in memory.
  KernelLoader(std::shared_ptr<CompilerLibrary> compiler, std::shared_ptr<DiskCache> cache);

  /// Finds or compiles the kernel of a request and loads it on `device`. A rejected kernel is an
  /// Error of ErrorKind::Compile with the compiler's report. A request with `dump_dir` or
  /// `explain_access` is always compiled; one that emits stages is taken from the cache only if the
  /// entry has them.
  Result<std::shared_ptr<const Kernel>> load(std::string_view request, Device &device,
                                             const KilnCompileHost *host);

  /// The key of a request: everything in it that affects code, the version of the kernel ABI and
  /// the compiler's build id.
  Result<std::string> cacheKey(std::string_view request);

private:
  std::shared_ptr<CompilerLibrary> compiler;
  std::shared_ptr<DiskCache> cache;
};

} // namespace kiln::runtime

#endif // KILN_RUNTIME_LAUNCH_KERNELLOADER_H
