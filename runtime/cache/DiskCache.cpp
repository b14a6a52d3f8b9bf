//===- DiskCache.cpp - loadable objects on disk ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "runtime/cache/DiskCache.h"

#include "runtime/base/File.h"
#include "runtime/base/Hash.h"
#include "runtime/cache/EntryFormat.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace kiln::runtime {
namespace {

constexpr std::string_view entrySuffix = ".so";
constexpr std::string_view temporarySuffix = ".tmp";

/// Larger than any kernel; a file beyond it is not ours.
constexpr uint64_t largestEntry = uint64_t(1) << 30;

constexpr time_t youngSeconds = 10;

bool isKey(std::string_view key) {
  return !key.empty() && key.size() <= 128 &&
         key.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Why a file or folder is not to be trusted; empty if it is.
std::string distrust(const struct stat &status) {
  if (status.st_uid != ::geteuid())
    return "is owned by user " + std::to_string(status.st_uid) + ", expected " +
           std::to_string(::geteuid());
  if (status.st_mode & (S_IWGRP | S_IWOTH)) {
    char mode[8];
    std::snprintf(mode, sizeof mode, "%03o", status.st_mode & 0777u);
    return std::string("may be written by others (mode ") + mode + ")";
  }
  return {};
}

std::string distrustFolder(const std::string &path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0)
    return systemError("cache folder '" + path + "'", "examine it").message();
  if (!S_ISDIR(status.st_mode))
    return "cache folder '" + path + "': is not a folder";
  std::string reason = distrust(status);
  return reason.empty() ? reason : "cache folder '" + path + "': " + reason;
}

/// A name in the cache's folder with what `trim` has to know.
struct Entry {
  std::string name;
  uint64_t bytes;
  struct timespec used;
};

/// A temporary file that nobody is writing any more: its writer holds a lock on it. Between making
/// a file and locking it there is a moment without, so a young file is never taken for abandoned.
bool isAbandoned(int folder, const char *name) {
  FileDescriptor file(::openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status;
  return file.valid() && ::fstat(file.get(), &status) == 0 &&
         ::time(nullptr) - status.st_mtim.tv_sec > youngSeconds &&
         ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

} // namespace

std::string defaultCacheDirectory(std::string_view xdgCacheHome, std::string_view home) {
  // A relative XDG_CACHE_HOME is to be ignored, says the specification.
  if (!xdgCacheHome.empty() && xdgCacheHome.front() == '/')
    return std::string(xdgCacheHome) + "/kiln";
  return home.empty() ? std::string() : std::string(home) + "/.cache/kiln";
}

DiskCache::DiskCache(CacheConfig config) : settings(std::move(config)) {}

std::string DiskCache::pathOf(std::string_view key) const {
  return settings.directory + "/" + std::string(key) + std::string(entrySuffix);
}

CacheLookup DiskCache::find(std::string_view key) const {
  CacheLookup result;
  auto miss = [&](std::string reason) {
    result.reason = std::move(reason);
    return result;
  };
  if (!isKey(key))
    return miss("cache key '" + std::string(key) + "': is not hexadecimal");
  std::string path = pathOf(key);
  Result<FileDescriptor> file = openForReading(path, /*follow=*/false);
  if (!file) // most often there is none, which needs no reason
    return miss(file.error().kind == ErrorKind::NotFound ? "" : file.error().message());
  if (std::string reason = distrustFolder(settings.directory); !reason.empty())
    return miss(std::move(reason));
  struct stat status;
  if (::fstat(file->get(), &status) != 0)
    return miss(systemError("cache file '" + path + "'", "examine it").message());
  if (!S_ISREG(status.st_mode))
    return miss("cache file '" + path + "': is not a regular file");
  if (std::string reason = distrust(status); !reason.empty())
    return miss("cache file '" + path + "': " + reason);
  Result<std::string> contents = readFile(file->get(), path, largestEntry);
  if (!contents)
    return miss(contents.error().message());
  Result<EntryParts> parts = parseEntry(*contents, path);
  if (!parts)
    return miss(parts.error().message());

  // The time of modification is the time of the last use.
  const struct timespec now[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
  (void)::futimens(file->get(), now);
  result.hit = true;
  result.path = std::move(path);
  result.metadata = std::string(parts->metadata);
  return result;
}

Result<void> DiskCache::prepareDirectory() const {
  if (settings.directory.empty())
    return makeError(ErrorKind::Invalid, "cache folder", "is not set");
  if (Result<void> made = makeDirectories(settings.directory, 0700); !made)
    return made;
  if (std::string reason = distrustFolder(settings.directory); !reason.empty())
    return makeError(ErrorKind::Invalid, {}, std::move(reason));
  return {};
}

Result<std::string> DiskCache::store(std::string_view key, std::span<const std::byte> object,
                                     std::string_view metadata) {
  if (!isKey(key))
    return makeError(ErrorKind::Invalid, "cache key '" + std::string(key) + "'",
                     "is not hexadecimal");
  if (Result<void> prepared = prepareDirectory(); !prepared)
    return prepared.takeError();

  // Random, since processes that share a folder need not share process numbers.
  uint64_t unique[2];
  if (::getentropy(unique, sizeof unique) != 0)
    return systemError("cache file for '" + std::string(key) + "'", "name it");
  std::string path = pathOf(key);
  std::string temporary = settings.directory + "/" + std::string(key) + "." +
                          toHex({reinterpret_cast<const uint8_t *>(unique), sizeof unique}) +
                          std::string(temporarySuffix);
  FileDescriptor file(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid())
    return systemError("cache file '" + temporary + "'", "make it");
  (void)::flock(file.get(), LOCK_EX); // says that somebody is writing; see isAbandoned
  auto fail = [&](Error error) {
    ::unlink(temporary.c_str());
    return error;
  };
  if (Result<void> written = writeAll(file.get(), temporary, object); !written)
    return fail(written.takeError());
  std::string rest = makeTrailer(object, metadata);
  if (Result<void> written =
          writeAll(file.get(), temporary, std::as_bytes(std::span(rest.data(), rest.size())));
      !written)
    return fail(written.takeError());
  if (::rename(temporary.c_str(), path.c_str()) != 0)
    return fail(systemError("cache file '" + path + "'", "rename it into its place"));
  trim(key);
  return path;
}

void DiskCache::remove(std::string_view key) {
  if (isKey(key))
    ::unlink(pathOf(key).c_str());
}

/// Removes what interrupted writers left and, beyond the size cap, the least recently used entries;
/// never the one that was just written.
void DiskCache::trim(std::string_view keep) const {
  std::unique_ptr<DIR, int (*)(DIR *)> folder(::opendir(settings.directory.c_str()), ::closedir);
  if (!folder)
    return;
  int number = ::dirfd(folder.get());
  std::vector<Entry> entries;
  uint64_t total = 0;
  while (const dirent *item = ::readdir(folder.get())) {
    std::string_view name = item->d_name;
    if (name.ends_with(temporarySuffix)) {
      if (isKey(name.substr(0, name.find('.'))) && isAbandoned(number, item->d_name))
        ::unlinkat(number, item->d_name, 0);
      continue;
    }
    struct stat status;
    if (!name.ends_with(entrySuffix) || !isKey(name.substr(0, name.size() - entrySuffix.size())) ||
        ::fstatat(number, item->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    auto bytes = static_cast<uint64_t>(status.st_size);
    total += bytes;
    if (name.substr(0, name.size() - entrySuffix.size()) != keep)
      entries.push_back({std::string(name), bytes, status.st_mtim});
  }
  if (total <= settings.maxBytes)
    return;
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  for (const Entry &entry : entries) {
    if (total <= settings.maxBytes)
      break;
    if (::unlinkat(number, entry.name.c_str(), 0) == 0 || errno == ENOENT)
      total -= entry.bytes;
  }
}

} // namespace kiln::runtime
