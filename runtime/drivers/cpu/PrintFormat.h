//===- PrintFormat.h - the text of device_print ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_DRIVERS_CPU_PRINTFORMAT_H
#define KILN_RUNTIME_DRIVERS_CPU_PRINTFORMAT_H

#include "runtime/base/KernelAbi.h"

#include <span>
#include <string>
#include <string_view>

namespace kiln::runtime {

/// "(x, y, z)" of a linear program number.
std::string programText(const uint32_t (&grid)[3], uint64_t program);

/// One value; floats with six decimals as C's %f, in hexadecimal with all digits of its width.
std::string formatPrintValue(const KilnPrintValue &value, bool hex);

/// "pid (0, 0, 0) idx (3) prefix: 1.000000, 7".
std::string formatPrintLine(const uint32_t (&grid)[3], uint64_t program, std::string_view prefix,
                            std::span<const int64_t> index, std::span<const KilnPrintValue> values,
                            bool hex);

} // namespace kiln::runtime

#endif // KILN_RUNTIME_DRIVERS_CPU_PRINTFORMAT_H
