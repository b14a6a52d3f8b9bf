//===- ToolTest.cpp - the parts of kiln-sim -----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Arguments.h"
#include "CommandLine.h"
#include "NpyFile.h"
#include "runtime/base/File.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace kiln;
using machine::Element;
using testing::HasSubstr;

namespace {

Result<CommandLine> parsed(std::vector<std::string> words) {
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  return parseCommandLine(pointers);
}

std::string errorOf(std::vector<std::string> words) {
  Result<CommandLine> line = parsed(std::move(words));
  return line ? "no error" : line.error().message();
}

TEST(KilnSimCommandLine, ReadsEverything) {
  Result<CommandLine> line =
      parsed({"a.npo", "--arg", "x.npy", "--arg=5", "--out", "0=y.npy", "--grid", "4,2", "--chip",
              "c.json", "--order", "random:7", "--cycle-limit=100", "--json", "--no-check"});
  ASSERT_TRUE(line.ok()) << line.error().message();
  EXPECT_EQ(line->input, "a.npo");
  EXPECT_THAT(line->arguments, testing::ElementsAre("x.npy", "5"));
  EXPECT_EQ(line->results[0], std::pair(uint32_t(0), std::string("y.npy")));
  EXPECT_EQ(line->grid.x * 100 + line->grid.y * 10 + line->grid.z, 421u);
  EXPECT_EQ(line->options.order, 7u);
  EXPECT_EQ(line->options.mode, sim::Mode::Functional);
  EXPECT_EQ(line->options.cycleLimit, 100u);
  EXPECT_TRUE(line->json);
  EXPECT_FALSE(line->options.check);
}

TEST(KilnSimCommandLine, SaysWhatIsWrong) {
  EXPECT_THAT(errorOf({}), HasSubstr("no image"));
  EXPECT_THAT(errorOf({"a", "b"}), HasSubstr("'b': a second image"));
  EXPECT_THAT(errorOf({"a", "--warm"}), HasSubstr("'--warm': an unknown flag"));
  EXPECT_THAT(errorOf({"a", "--arg"}), HasSubstr("--arg: no value"));
  EXPECT_THAT(errorOf({"a", "--json=1"}), HasSubstr("--json: a value"));
  EXPECT_THAT(errorOf({"a", "--grid", "0"}), HasSubstr("--grid: '0'"));
  EXPECT_THAT(errorOf({"a", "--grid", "1,1,1,1"}), HasSubstr("more than three"));
  EXPECT_THAT(errorOf({"a", "--order", "7"}), HasSubstr("expected random:SEED"));
  EXPECT_THAT(errorOf({"a", "--out", "x.npy"}), HasSubstr("expected K=file.npy"));
  EXPECT_THAT(errorOf({"a", "--timing-only", "--out", "0=x"}), HasSubstr("computes no values"));
  EXPECT_THAT(errorOf({"a", "--assemble"}), HasSubstr("no output"));
}

TEST(KilnSimScalar, BecomesARegister) {
  auto bits = [](Element element, std::string_view text) {
    Result<uint64_t> value = parseScalar(element, text, "x");
    return value ? std::to_string(int64_t(*value)) : value.error().message();
  };
  EXPECT_EQ(bits(Element::I32, "-5"), "-5");
  EXPECT_EQ(bits(Element::I32, "i32:7"), "7");
  EXPECT_EQ(bits(Element::U8, "255"), "255");
  EXPECT_EQ(bits(Element::I1, "1"), "1");
  EXPECT_EQ(bits(Element::F32, "1"), std::to_string(0x3f800000));
  EXPECT_EQ(bits(Element::F32, "f32:-0.5"), std::to_string(0xbf000000));
  EXPECT_EQ(bits(Element::F16, "0x3c00"), std::to_string(0x3c00));
  EXPECT_EQ(bits(Element::I8, "128"), "x: '128', expected a value that i8 has");
  EXPECT_EQ(bits(Element::U8, "-1"), "x: '-1', expected a value that u8 has");
  EXPECT_EQ(bits(Element::I64, "9223372036854775808"),
            "x: '9223372036854775808', expected a value that i64 has");
  EXPECT_EQ(bits(Element::I1, "2"), "x: '2', expected a value that i1 has");
  EXPECT_EQ(bits(Element::I32, "0.5"), "x: '0.5', expected an integer");
  EXPECT_EQ(bits(Element::I32, "f32:5"), "x: 'f32:5', expected a value of type i32");
}

TEST(KilnSimNpy, ReadsWhatItWrites) {
  for (const std::vector<uint64_t> &shape : {std::vector<uint64_t>{}, {3}, {2, 3}, {0, 4}}) {
    NpyArray array{"f4", shape, {}};
    uint64_t elements = 1;
    for (uint64_t size : shape)
      elements *= size;
    array.data.resize(4 * elements, std::byte(7));
    std::string bytes = serializeNpy(array);
    EXPECT_EQ((bytes.size() - array.data.size()) % 64, 0u);
    Result<NpyArray> back = parseNpy(bytes, "x");
    ASSERT_TRUE(back.ok()) << back.error().message();
    EXPECT_EQ(back->type, "f4");
    EXPECT_EQ(back->shape, shape);
    EXPECT_EQ(back->data, array.data);
  }
}

std::string npy(const std::string &header, size_t bytes) {
  std::string text("\x93NUMPY\1\0", 8);
  text += char(header.size());
  text += '\0';
  return text + header + std::string(bytes, '\0');
}

TEST(KilnSimNpy, RefusesTheRest) {
  auto error = [](const std::string &bytes) {
    Result<NpyArray> array = parseNpy(bytes, "x");
    return array ? "no error" : array.error().message();
  };
  EXPECT_EQ(error(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", 8)),
            "no error");
  EXPECT_THAT(error(""), HasSubstr("no array"));
  EXPECT_THAT(error(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 7)),
              HasSubstr("7 bytes of elements, expected 8"));
  EXPECT_THAT(error(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", 8)),
              HasSubstr("Fortran order"));
  EXPECT_THAT(error(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", 8)),
              HasSubstr("type '>f4'"));
  EXPECT_THAT(error(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", 8)),
              HasSubstr("not one of NumPy's"));
  EXPECT_THAT(error(npy("{'descr': '<f4'", 8)), HasSubstr("not one of NumPy's"));
  EXPECT_THAT(error(npy("{'descr': '<f8', 'fortran_order': False, "
                        "'shape': (4294967296, 4294967296), }",
                        8)),
              HasSubstr("as the shape says"));
  EXPECT_THAT(error(std::string("\x93NUMPY\1\0\xff\xff{}", 12)), HasSubstr("no array"));
}

image::Image scale() {
  image::Image image;
  image.kernel = "scale";
  image.parameters = {{"x", true, Element::BF16, true}, {"a", false, Element::F32, false}};
  return image;
}

TEST(KilnSimArguments, BindsThem) {
  std::string path = testing::TempDir() + "/kiln-sim-arguments.npy";
  NpyArray array{"u2", {3}, std::vector<std::byte>(6)};
  ASSERT_TRUE(writeFile(path, serializeNpy(array)).ok());
  Result<Arguments> arguments =
      Arguments::read(scale(), std::vector<std::string>{"bf16:" + path, "2"});
  ASSERT_TRUE(arguments.ok()) << arguments.error().message();
  EXPECT_EQ(arguments->bindings()[0].bytes, 6u);
  EXPECT_FALSE(arguments->bindings()[0].readOnly);
  EXPECT_EQ(arguments->bindings()[1].scalar, 0x40000000u);
  EXPECT_NE(arguments->array(0), nullptr);
  EXPECT_EQ(arguments->array(1), nullptr);
  EXPECT_EQ(arguments->array(2), nullptr);

  auto error = [&](std::vector<std::string> texts) {
    Result<Arguments> result = Arguments::read(scale(), texts);
    return result ? "no error" : result.error().message();
  };
  EXPECT_EQ(error({"zeros:bf16:4", "2"}), "no error");
  EXPECT_EQ(error({"2"}), "kernel 'scale': 1 arguments, expected 2");
  EXPECT_THAT(error({path, "2"}), HasSubstr("argument 'x' (0): 16-bit integers"));
  EXPECT_THAT(error({"f16:" + path, "2"}), HasSubstr("'u2' as f16, expected bf16"));
  EXPECT_THAT(error({"zeros:f32:4", "2"}), HasSubstr("expected zeros:bf16:COUNT"));
  EXPECT_THAT(error({"nowhere.npy", "2"}), HasSubstr("note: for argument 'x' (0)"));
}

} // namespace
