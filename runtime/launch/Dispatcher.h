//===- Dispatcher.h - compiled variants of one kernel on one device --------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_LAUNCH_DISPATCHER_H
#define KILN_RUNTIME_LAUNCH_DISPATCHER_H

#include "runtime/base/Result.h"
#include "runtime/launch/KernelLoader.h"

#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kiln::runtime {

/// Key (Specialization::key) to kernel. Two threads that miss the same key make the kernel once;
/// the second waits. A failure is not remembered.
///
/// A thread that waits must not hold a lock that the maker needs: a caller with an interpreter lock
/// looks with `find` first and releases that lock around `findOrMake`.
class Dispatcher {
public:
  using Make = std::function<Result<std::shared_ptr<const Kernel>>()>;

  /// Null on a miss.
  std::shared_ptr<const Kernel> find(std::string_view key) const;

  Result<std::shared_ptr<const Kernel>> findOrMake(std::string_view key, const Make &make);

  size_t size() const;
  void clear();

private:
  struct Entry {
    std::mutex making;
    std::shared_ptr<const Kernel> kernel; ///< guarded by Dispatcher::mutex
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view key) const;
  };

  mutable std::shared_mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<Entry>, Hash, std::equal_to<>> table;
};

} // namespace kiln::runtime

#endif // KILN_RUNTIME_LAUNCH_DISPATCHER_H
