//===- FileLayout.h - numbers that writer and reader of .npo share ---------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// docs/design/npo-format.md says what they are for. Private to this library.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_IMAGE_FILELAYOUT_H
#define KILN_IMAGE_FILELAYOUT_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kiln::image {

inline constexpr std::string_view magic = "kiln.npo";
inline constexpr size_t versionOffset = 8;
inline constexpr size_t checksumOffset = 16;
inline constexpr size_t checksummedOffset = 32; ///< all from here on is under the checksum
inline constexpr size_t headerBytes = 48;       ///< the section table follows
inline constexpr size_t sectionEntryBytes = 24;
inline constexpr size_t wordBytes = 8; ///< sections begin at and have multiples of it

/// Numbers are part of the format: add at the end. A file has its sections in this order, Program
/// once for each program, the others once.
enum class Section : uint32_t { Launch = 1, Lines, Messages, Program, Mlir };

inline constexpr size_t instructionHeaderBytes = 16;
inline constexpr size_t regionHeaderBytes = 8;

} // namespace kiln::image

#endif // KILN_IMAGE_FILELAYOUT_H
