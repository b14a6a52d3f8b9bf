//===- BaseTest.cpp - tests of errors, types, hashes, files ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "TestSupport.h"

#include "runtime/base/DType.h"
#include "runtime/base/ElfFile.h"
#include "runtime/base/File.h"
#include "runtime/base/Hash.h"

#include <dlfcn.h>
#include <set>
#include <sys/stat.h>

namespace kiln {
namespace {

TEST(Error, RendersPlaceFoundExpectedNotes) {
  Error error = makeError(ErrorKind::Invalid, "argument 'x'", "has type i32", "a float");
  EXPECT_EQ(error.message(), "argument 'x': has type i32, expected a float");
  EXPECT_EQ(withNote(error, "defined here").message(),
            "argument 'x': has type i32, expected a float\nnote: defined here");
  EXPECT_EQ(makeError(ErrorKind::Invalid, "grid", "is empty").message(), "grid: is empty");
  EXPECT_EQ(makeError(ErrorKind::Invalid, "", "is empty").message(), "is empty");
}

TEST(Result, HoldsValueOrError) {
  Result<std::string> good = std::string("value");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->size(), 5u);
  Result<std::unique_ptr<int>> movable = std::make_unique<int>(3);
  EXPECT_EQ(*std::move(movable).value(), 3);
  Result<void> bad = makeError(ErrorKind::NotFound, "a", "b");
  ASSERT_FALSE(bad);
  Result<std::string> passedOn = bad.takeError();
  EXPECT_EQ(passedOn.error().kind, ErrorKind::NotFound);
}

TEST(DType, TableIsInTheOrderOfTheEnumeration) {
  size_t index = 0;
  std::set<std::string_view> names;
  for (const DTypeInfo &entry : dtypes()) {
    EXPECT_EQ(static_cast<size_t>(entry.type), index++);
    EXPECT_EQ(&info(entry.type), &entry);
    EXPECT_EQ(dtypeByName(entry.name), entry.type);
    EXPECT_EQ(dtypeByDLPack(entry.dlpackCode, entry.dlpackBits), entry.type);
    EXPECT_EQ(entry.bytes, (entry.bits + 7) / 8);
    if (entry.bufferFormat)
      EXPECT_EQ(dtypeByBufferFormat({&entry.bufferFormat, 1}, entry.bytes), entry.type);
    EXPECT_TRUE(names.insert(entry.name).second);
  }
  EXPECT_EQ(index, 13u);
}

TEST(DType, UnknownSpellingsAreNothing) {
  EXPECT_FALSE(dtypeByName("f8"));
  EXPECT_FALSE(dtypeByName(""));
  EXPECT_FALSE(dtypeByDLPack(2, 32, /*lanes=*/4));
  EXPECT_FALSE(dtypeByDLPack(5, 64)); // complex
  EXPECT_FALSE(dtypeByBufferFormat(">f", 4));
  EXPECT_FALSE(dtypeByBufferFormat("Zf", 8));
  EXPECT_FALSE(dtypeByBufferFormat("f", 8));
  EXPECT_EQ(dtypeByBufferFormat("l", 8), DType::I64);
  EXPECT_EQ(dtypeByBufferFormat("<l", 4), DType::I32);
  EXPECT_EQ(dtypeByBufferFormat("L", 8), DType::U64);
}

TEST(Hash, DoesNotDependOnThePieces) {
  Hasher whole, pieces;
  whole.add("kernel");
  pieces.add("ker");
  pieces.add("");
  pieces.add("nel");
  EXPECT_EQ(toHex(whole.digest()), toHex(pieces.digest()));
  EXPECT_EQ(toHex(whole.digest()).size(), 32u);
}

TEST(Hash, FieldsDoNotRunIntoEachOther) {
  Hasher first, second;
  first.addField("ab");
  first.addField("c");
  second.addField("a");
  second.addField("bc");
  EXPECT_NE(first.digest(), second.digest());
}

TEST(File, MakesFoldersAndReads) {
  TemporaryFolder folder;
  std::string deep = folder.path() + "/a/b/c";
  ASSERT_TRUE(makeDirectories(deep, 0700).ok());
  ASSERT_TRUE(makeDirectories(deep, 0700).ok());
  std::string path = deep + "/file";
  writeAll(path, "contents");
  FileDescriptor file = valueOf(openForReading(path));
  EXPECT_EQ(valueOf(readFile(file.get(), path, 100)), "contents");
  EXPECT_TRUE(
      contains(messageOf(readFile(file.get(), path, 7)), "has 8 bytes, expected at most 7"));
  char data[4];
  EXPECT_FALSE(readAt(file.get(), path, 6, data, 4).ok());
  EXPECT_FALSE(makeDirectories(path + "/d", 0700).ok());
  EXPECT_EQ(openForReading(deep + "/none").error().kind, ErrorKind::NotFound);
}

TEST(File, DoesNotHangOnAPipe) {
  TemporaryFolder folder;
  std::string path = folder.path() + "/pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  FileDescriptor file = valueOf(openForReading(path));
  EXPECT_FALSE(readFile(file.get(), path, 100).ok());
}

TEST(ElfFile, ReadsBuildIdsWithoutLoading) {
  std::string id = valueOf(readBuildId(std::string(COMPILER_FOLDER) + "/libkiln_compiler.so"));
  EXPECT_EQ(id.size(), 40u);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(::dlopen((std::string(COMPILER_FOLDER) + "/libkiln_compiler.so").c_str(),
                     RTLD_NOW | RTLD_NOLOAD),
            nullptr);
}

TEST(ElfFile, RefusesEveryCut) {
  TemporaryFolder folder;
  std::string object = readAll(std::string(COMPILER_FOLDER) + "/libkiln_compiler.so");
  std::string path = folder.path() + "/cut.so";
  for (size_t size = 0; size < 1200; ++size) {
    writeAll(path, object.substr(0, size));
    EXPECT_FALSE(readBuildId(path).ok()) << size;
  }
}

TEST(ElfFile, SurvivesFlippedHeaderBytes) {
  TemporaryFolder folder;
  std::string object = readAll(kernelPath("Scale"));
  std::string path = folder.path() + "/flipped.so";
  for (size_t at = 0; at < 600 && at < object.size(); ++at) {
    std::string flipped = object;
    flipped[at] = static_cast<char>(~flipped[at]);
    writeAll(path, flipped);
    (void)readBuildId(path); // any answer but a crash
  }
}

} // namespace
} // namespace kiln
