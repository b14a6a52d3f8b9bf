//===- FormatTest.cpp - images as bytes -------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "image/File.h"

#include "RandomImage.h"
#include "image/Structure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

using namespace kiln;
using namespace kiln::image;
using testing::HasSubstr;

namespace {

/// Puts the checksum right after a change.
void seal(std::string &bytes) {
  Hasher hasher;
  hasher.add(std::string_view(bytes).substr(32));
  Digest digest = hasher.digest();
  std::memcpy(bytes.data() + 16, digest.data(), digest.size());
}

std::string messageOf(std::string_view bytes) {
  Result<Image> image = parse(bytes, "x.npo");
  return image ? "no error" : image.error().message();
}

TEST(ImageFile, ReadsWhatItWrote) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 500; ++i) {
    Image image = test::randomImage(random);
    Result<void> structure = checkStructure(image, "random");
    ASSERT_TRUE(structure.ok()) << structure.error().message();
    std::string bytes = serialize(image);
    Result<Image> back = parse(bytes, "random");
    ASSERT_TRUE(back.ok()) << back.error().message();
    EXPECT_EQ(*back, image);
    EXPECT_EQ(serialize(*back), bytes);
  }
}

TEST(ImageFile, SavesAndLoads) {
  auto folder = std::filesystem::path(testing::TempDir()) / "kiln-image-file-test";
  std::filesystem::create_directories(folder);
  std::string path = folder / "vadd.npo";
  Image image = test::vectorAdd();
  ASSERT_TRUE(save(image, path).ok());
  Result<Image> back = load(path);
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(*back, image);
  // Nothing is left beside it.
  size_t files = std::distance(std::filesystem::directory_iterator(folder), {});
  EXPECT_EQ(files, 1u);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(load(path).error().kind, ErrorKind::NotFound);
  EXPECT_FALSE(save(image, path).ok());
}

TEST(ImageFile, RefusesToSaveWhatIsNotWellFormed) {
  Image image = test::vectorAdd();
  image.programs[0].body.pop_back();
  Result<void> saved = save(image, testing::TempDir() + "/bad.npo");
  ASSERT_FALSE(saved.ok());
  EXPECT_THAT(saved.error().message(), HasSubstr("open blocks"));
}

TEST(ImageFile, SaysWhatIsNoImage) {
  EXPECT_THAT(messageOf(""), HasSubstr("x.npo: byte 0: no image"));
  EXPECT_THAT(messageOf("\x7f"
                        "ELF and more"),
              HasSubstr("no image"));
  EXPECT_THAT(messageOf("kiln.npo"), HasSubstr("byte 8: the end of the file"));
}

TEST(ImageFile, RefusesOtherVersions) {
  std::string bytes = serialize(test::vectorAdd());
  bytes[8] = 2;
  EXPECT_EQ(messageOf(bytes), "x.npo: byte 8: format version 2.0, expected 1.0");
  EXPECT_EQ(parse(bytes, "x").error().kind, ErrorKind::Unsupported);
  bytes[8] = 1;
  bytes[12] = 1;
  EXPECT_EQ(messageOf(bytes), "x.npo: byte 8: format version 1.1, expected 1.0");
}

TEST(ImageFile, NoticesEveryChangedBit) {
  std::string bytes = serialize(test::vectorAdd());
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string changed = bytes;
    changed[bit / 8] ^= char(1 << bit % 8);
    EXPECT_FALSE(parse(changed, "x").ok()) << "bit " << bit;
  }
}

TEST(ImageFile, NoticesEveryCut) {
  std::string bytes = serialize(test::vectorAdd());
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string cut = bytes.substr(0, size);
    EXPECT_FALSE(parse(cut, "x").ok()) << size;
    if (size < 48)
      continue;
    seal(cut);
    EXPECT_FALSE(parse(cut, "x").ok()) << size;
  }
}

TEST(ImageFile, NamesTheByte) {
  std::string bytes = serialize(test::vectorAdd());
  bytes[48] = 9; // the kind of the first section
  seal(bytes);
  EXPECT_EQ(messageOf(bytes), "x.npo: byte 48: section kind 9, expected launch");
  bytes = serialize(test::vectorAdd()) + std::string(8, '\0');
  seal(bytes);
  EXPECT_THAT(messageOf(bytes), HasSubstr("byte 32: another size than the file's"));
}

TEST(ImageFile, BelievesNoCount) {
  std::string bytes = serialize(test::vectorAdd());
  // The length of the kernel's name, the first number of the first section.
  uint64_t start = 0;
  std::memcpy(&start, bytes.data() + 48 + 8, 8);
  bytes[start + 3] = 0x7f;
  seal(bytes);
  EXPECT_THAT(messageOf(bytes), HasSubstr("bytes of text, expected at most"));
}

} // namespace
