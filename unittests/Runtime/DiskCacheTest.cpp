//===- DiskCacheTest.cpp - tests of the disk cache -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "TestSupport.h"

#include "runtime/cache/DiskCache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kiln::runtime {
namespace {

namespace fs = std::filesystem;

constexpr const char *key = "0123456789abcdef";

std::span<const std::byte> bytes(const std::string &text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

class DiskCacheTest : public testing::Test {
protected:
  Result<std::string> store(std::string_view name, const std::string &object,
                            std::string_view metadata = "{}") {
    return cache.store(name, bytes(object), metadata);
  }

  /// Why an entry that exists is not used.
  std::string reason(std::string_view name = key) {
    CacheLookup found = cache.find(name);
    EXPECT_FALSE(found.hit);
    EXPECT_FALSE(found.reason.empty());
    return found.reason;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto &entry : fs::directory_iterator(directory))
      result.push_back(entry.path().filename());
    std::sort(result.begin(), result.end());
    return result;
  }

  /// Makes a file look as if it was last used `seconds` after the epoch.
  void age(const std::string &name, time_t seconds = 1000) {
    const struct timespec times[2] = {{0, UTIME_OMIT}, {seconds, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, (directory + "/" + name).c_str(), times, 0), 0);
  }

  /// After whatever was done to the entry, storing it again gives a good one.
  void expectReplaceable() {
    ASSERT_TRUE(store(key, "object").ok());
    EXPECT_TRUE(cache.find(key).hit);
  }

  TemporaryFolder folder;
  std::string directory = folder.path() + "/a/kiln";
  std::string path = directory + "/" + key + ".so";
  DiskCache cache{CacheConfig{directory}};
};

TEST(CacheDirectory, ComesFromTheCallersTexts) {
  EXPECT_EQ(defaultCacheDirectory("/xdg", "/home/me"), "/xdg/kiln");
  EXPECT_EQ(defaultCacheDirectory("", "/home/me"), "/home/me/.cache/kiln");
  EXPECT_EQ(defaultCacheDirectory("relative", "/home/me"), "/home/me/.cache/kiln");
  EXPECT_EQ(defaultCacheDirectory("", ""), "");
}

TEST_F(DiskCacheTest, FindsWhatWasStored) {
  EXPECT_FALSE(fs::exists(directory)) << "making a cache must not touch the disk";
  CacheLookup none = cache.find(key);
  EXPECT_FALSE(none.hit);
  EXPECT_EQ(none.reason, "");
  EXPECT_EQ(valueOf(store(key, "object", R"({"a": 1})")), path);
  CacheLookup found = cache.find(key);
  EXPECT_TRUE(found.hit) << found.reason;
  EXPECT_EQ(found.path, path);
  EXPECT_EQ(found.metadata, R"({"a": 1})");
  EXPECT_EQ(readAll(path).substr(0, 6), "object");
  EXPECT_EQ(names(), std::vector<std::string>{std::string(key) + ".so"});
  struct stat status;
  ASSERT_EQ(::stat(directory.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(DiskCacheTest, EmptyObjectAndMetadataAreFine) {
  ASSERT_TRUE(store(key, "", "").ok());
  EXPECT_TRUE(cache.find(key).hit);
}

TEST_F(DiskCacheTest, RefusesKeysThatAreNoNames) {
  for (std::string_view bad : {"", "..", "../../etc/passwd", "ABC", "a/b", "xyz"}) {
    EXPECT_FALSE(store(bad, "object").ok()) << bad;
    EXPECT_FALSE(cache.find(bad).hit);
    cache.remove(bad);
  }
}

TEST_F(DiskCacheTest, EveryDamagedByteIsNoticed) {
  ASSERT_TRUE(store(key, "the object", "the metadata").ok());
  std::string good = readAll(path);
  for (size_t at = 0; at < good.size(); ++at)
    for (int bit : {0, 7}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 1 << bit);
      writeAll(path, bad);
      EXPECT_FALSE(cache.find(key).hit) << "byte " << at;
    }
  writeAll(path, good);
  EXPECT_TRUE(cache.find(key).hit);
}

TEST_F(DiskCacheTest, EveryCutIsNoticed) {
  ASSERT_TRUE(store(key, "the object", "the metadata").ok());
  std::string good = readAll(path);
  for (size_t size = 0; size < good.size(); ++size) {
    writeAll(path, good.substr(0, size));
    EXPECT_TRUE(contains(reason(), path)) << size;
  }
  writeAll(path, good + "x");
  EXPECT_FALSE(cache.find(key).hit);
  writeAll(path, good.substr(1));
  EXPECT_FALSE(cache.find(key).hit);
  expectReplaceable();
}

TEST_F(DiskCacheTest, DistrustsEntriesThatOthersMayWrite) {
  for (mode_t mode : {0620, 0602, 0666}) {
    ASSERT_TRUE(store(key, "object").ok());
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    EXPECT_TRUE(contains(reason(), "may be written by others"));
    expectReplaceable();
  }
}

TEST_F(DiskCacheTest, DistrustsEntriesOfOthers) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "needs root to give a file away";
  ASSERT_TRUE(store(key, "object").ok());
  ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
  EXPECT_TRUE(contains(reason(), "is owned by user 12345, expected 0"));
  expectReplaceable();
}

TEST_F(DiskCacheTest, DistrustsFoldersOfOthers) {
  ASSERT_TRUE(store(key, "object").ok());
  ASSERT_EQ(::chmod(directory.c_str(), 0770), 0);
  EXPECT_TRUE(contains(reason(), "cache folder"));
  EXPECT_FALSE(store(key, "object").ok());
  ASSERT_EQ(::chmod(directory.c_str(), 0700), 0);
  EXPECT_TRUE(cache.find(key).hit);
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(directory.c_str(), 12345, 12345), 0);
    EXPECT_TRUE(contains(reason(), "is owned by user 12345"));
    EXPECT_FALSE(store(key, "object").ok());
  }
}

TEST_F(DiskCacheTest, DistrustsWhatIsNoRegularFile) {
  ASSERT_TRUE(store(key, "object").ok());
  std::string elsewhere = folder.path() + "/elsewhere";
  fs::rename(path, elsewhere);
  fs::create_symlink(elsewhere, path);
  reason();
  expectReplaceable();
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path)));
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_TRUE(contains(reason(), "is not a regular file"));
  expectReplaceable();
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_TRUE(contains(reason(), "is not a regular file"));
  EXPECT_FALSE(store(key, "object").ok());
  EXPECT_EQ(names().size(), 1u) << "a failed store must leave no temporary file";
}

TEST_F(DiskCacheTest, UnusableFoldersAreErrors) {
  DiskCache nowhere{CacheConfig{""}};
  EXPECT_FALSE(nowhere.store(key, bytes("object"), "").ok());
  EXPECT_FALSE(nowhere.find(key).hit);
  writeAll(folder.path() + "/file", "x");
  DiskCache inFile{CacheConfig{folder.path() + "/file/kiln"}};
  EXPECT_FALSE(inFile.store(key, bytes("object"), "").ok());
  EXPECT_FALSE(inFile.find(key).hit);
}

TEST_F(DiskCacheTest, RemovesTheLeastRecentlyUsed) {
  std::string object(1000, 'x');
  cache = DiskCache{CacheConfig{directory, 3500}};
  for (const char *name : {"a1", "a2", "a3"})
    ASSERT_TRUE(store(name, object).ok());
  age("a1.so", 1000);
  age("a2.so", 2000);
  age("a3.so", 3000);
  EXPECT_TRUE(cache.find("a1").hit); // used just now
  ASSERT_TRUE(store("a4", object).ok());
  EXPECT_EQ(names(), (std::vector<std::string>{"a1.so", "a3.so", "a4.so"}));
  // One that is larger than the cap alone is kept until the next.
  ASSERT_TRUE(store("a5", std::string(5000, 'x')).ok());
  EXPECT_EQ(names(), std::vector<std::string>{"a5.so"});
  ASSERT_TRUE(store("a6", object).ok());
  EXPECT_EQ(names(), std::vector<std::string>{"a6.so"});
}

TEST_F(DiskCacheTest, LeavesFilesOfOthersAlone) {
  ASSERT_TRUE(store(key, "object").ok());
  writeAll(directory + "/notes.tmp", "x");
  writeAll(directory + "/README.so", std::string(10000, 'x'));
  cache = DiskCache{CacheConfig{directory, 10}};
  ASSERT_TRUE(store("ab", "object").ok());
  EXPECT_EQ(names(), (std::vector<std::string>{"README.so", "ab.so", "notes.tmp"}));
}

TEST_F(DiskCacheTest, RemovesWhatAnInterruptedWriteLeft) {
  ASSERT_TRUE(store("ab", "object").ok());
  std::string left = std::string(key) + ".0123.tmp", busy = std::string(key) + ".4567.tmp",
              young = std::string(key) + ".89ab.tmp";
  writeAll(directory + "/" + left, "half an obj");
  writeAll(directory + "/" + young, "half an obj");
  int writer = ::open((directory + "/" + busy).c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::flock(writer, LOCK_EX), 0);
  age(left);
  age(busy);
  EXPECT_FALSE(cache.find(key).hit);
  ASSERT_TRUE(store("ab", "object").ok());
  EXPECT_EQ(names(), (std::vector<std::string>{busy, young, "ab.so"}));
  ::close(writer);
  age(young);
  ASSERT_TRUE(store("ab", "object").ok());
  EXPECT_EQ(names(), std::vector<std::string>{"ab.so"});
}

TEST_F(DiskCacheTest, AKilledWriterLeavesNoHalfEntry) {
  std::string object(1 << 20, 'x');
  for (int round = 0; round < 20; ++round) {
    pid_t child = ::fork();
    if (child == 0) {
      for (;;)
        (void)cache.store(key, bytes(object), "{}");
    }
    ::usleep(static_cast<useconds_t>(500 + 700 * round));
    ::kill(child, SIGKILL);
    int status;
    ::waitpid(child, &status, 0);
    CacheLookup found = cache.find(key);
    EXPECT_EQ(found.reason, "");
  }
  for (const std::string &name : names())
    age(name);
  ASSERT_TRUE(store("ab", "object").ok());
  for (const std::string &name : names())
    EXPECT_TRUE(name.ends_with(".so")) << name;
}

TEST_F(DiskCacheTest, ProcessesShareACache) {
  std::vector<pid_t> children;
  for (int process = 0; process < 4; ++process) {
    pid_t child = ::fork();
    if (child == 0) {
      std::string object(50'000, static_cast<char>('a' + process));
      for (int round = 0; round < 50; ++round) {
        if (!cache.store(key, bytes(object), "{}").ok())
          ::_exit(1);
        CacheLookup found = cache.find(key);
        if (!found.hit)
          ::_exit(2);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_TRUE(cache.find(key).hit);
  EXPECT_EQ(names().size(), 1u);
}

} // namespace
} // namespace kiln::runtime
