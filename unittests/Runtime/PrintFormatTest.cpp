//===- PrintFormatTest.cpp - tests of the text of device_print -------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "TestSupport.h"

#include "runtime/drivers/cpu/PrintFormat.h"

#include <bit>

namespace kiln::runtime {
namespace {

constexpr uint32_t grid[3] = {2, 3, 4};

TEST(PrintFormat, NamesProgramsXFastest) {
  EXPECT_EQ(programText(grid, 0), "(0, 0, 0)");
  EXPECT_EQ(programText(grid, 1), "(1, 0, 0)");
  EXPECT_EQ(programText(grid, 23), "(1, 2, 3)");
}

TEST(PrintFormat, Integers) {
  EXPECT_EQ(formatPrintValue({0xff, KILN_PRINT_SIGNED, 8}, false), "-1");
  EXPECT_EQ(formatPrintValue({0xff, KILN_PRINT_UNSIGNED, 8}, false), "255");
  EXPECT_EQ(formatPrintValue({0x7f, KILN_PRINT_SIGNED, 8}, false), "127");
  EXPECT_EQ(formatPrintValue({1, KILN_PRINT_SIGNED, 1}, false), "1");
  EXPECT_EQ(formatPrintValue({UINT64_MAX, KILN_PRINT_SIGNED, 64}, false), "-1");
  EXPECT_EQ(formatPrintValue({UINT64_MAX, KILN_PRINT_UNSIGNED, 64}, false), "18446744073709551615");
  EXPECT_EQ(formatPrintValue({255, KILN_PRINT_SIGNED, 16}, true), "0x00ff");
}

TEST(PrintFormat, Floats) {
  EXPECT_EQ(formatPrintValue({std::bit_cast<uint32_t>(-1.5f), KILN_PRINT_FLOAT, 32}, false),
            "-1.500000");
  EXPECT_EQ(formatPrintValue({std::bit_cast<uint64_t>(0.1), KILN_PRINT_FLOAT, 64}, false),
            "0.100000");
  EXPECT_EQ(formatPrintValue({0x3c00, KILN_PRINT_FLOAT, 16}, false), "1.000000");
  EXPECT_EQ(formatPrintValue({0xfbff, KILN_PRINT_FLOAT, 16}, false), "-65504.000000");
  EXPECT_EQ(formatPrintValue({0x0001, KILN_PRINT_FLOAT, 16}, false), "0.000000");
  EXPECT_EQ(formatPrintValue({0x7c00, KILN_PRINT_FLOAT, 16}, false), "inf");
  EXPECT_EQ(formatPrintValue({0x7e00, KILN_PRINT_FLOAT, 16}, false), "nan");
  EXPECT_EQ(formatPrintValue({0xfff8000000000000, KILN_PRINT_FLOAT, 64}, false), "nan");
  EXPECT_EQ(formatPrintValue({0x8000, KILN_PRINT_FLOAT, 16}, false), "-0.000000");
  EXPECT_EQ(formatPrintValue({0x3fc0, KILN_PRINT_BF16, 16}, false), "1.500000");
  EXPECT_EQ(formatPrintValue({0x3fc00000, KILN_PRINT_FLOAT, 32}, true), "0x3fc00000");
  // The longest text there is.
  std::string longest = formatPrintValue(
      {std::bit_cast<uint64_t>(-1.7976931348623157e308), KILN_PRINT_FLOAT, 64}, false);
  EXPECT_EQ(longest.size(), 317u);
}

TEST(PrintFormat, Lines) {
  const int64_t index[] = {3, 4};
  const KilnPrintValue values[] = {{7, KILN_PRINT_SIGNED, 32}, {8, KILN_PRINT_POINTER, 64}};
  EXPECT_EQ(formatPrintLine(grid, 5, "x", index, values, false),
            "pid (1, 2, 0) idx (3, 4) x: 7, 0x0000000000000008");
  EXPECT_EQ(formatPrintLine(grid, 0, " x: ", {}, {values, 1}, false), "pid (0, 0, 0) idx () x: 7");
  EXPECT_EQ(formatPrintLine(grid, 0, "", {}, {values, 1}, false), "pid (0, 0, 0) idx (): 7");
  EXPECT_EQ(formatPrintLine(grid, 0, "here:", {}, {}, false), "pid (0, 0, 0) idx () here:");
}

} // namespace
} // namespace kiln::runtime
