//===- Dispatcher.cpp - compiled variants of one kernel on one device --------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/launch/Dispatcher.h"

#include "runtime/base/Hash.h"

namespace kiln::runtime {

size_t Dispatcher::Hash::operator()(std::string_view key) const { return hash64(key); }

std::shared_ptr<const Kernel> Dispatcher::find(std::string_view key) const {
  std::shared_lock lock(mutex);
  auto found = table.find(key);
  return found == table.end() ? nullptr : found->second->kernel;
}

Result<std::shared_ptr<const Kernel>> Dispatcher::findOrMake(std::string_view key,
                                                             const Make &make) {
  std::shared_ptr<Entry> entry;
  {
    std::unique_lock lock(mutex);
    auto [position, inserted] = table.try_emplace(std::string(key));
    if (inserted)
      position->second = std::make_shared<Entry>();
    entry = position->second;
    if (entry->kernel)
      return entry->kernel;
  }
  std::lock_guard making(entry->making);
  {
    std::shared_lock lock(mutex);
    if (entry->kernel) // made while this thread waited
      return entry->kernel;
  }
  Result<std::shared_ptr<const Kernel>> made = make();
  if (made) {
    std::unique_lock lock(mutex);
    entry->kernel = *made;
  }
  return made;
}

size_t Dispatcher::size() const {
  std::shared_lock lock(mutex);
  size_t count = 0;
  for (const auto &[key, entry] : table)
    count += entry->kernel != nullptr;
  return count;
}

void Dispatcher::clear() {
  std::unique_lock lock(mutex);
  table.clear();
}

} // namespace kiln::runtime
