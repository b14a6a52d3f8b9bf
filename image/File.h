//===- File.h - images as bytes ---------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// The format .npo: docs/design/npo-format.md. A well-formed image has exactly one encoding: what
// `parse` accepts, `serialize` gives back byte by byte.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_IMAGE_FILE_H
#define KILN_IMAGE_FILE_H

#include "image/Image.h"
#include "runtime/base/Result.h"

#include <string>
#include <string_view>

namespace kiln::image {

/// The bytes of a well-formed image (checkStructure).
std::string serialize(const Image &image);

/// Reads an image and trusts nothing: what it returns is well formed. `place` names the bytes in
/// errors, which add the byte's offset or the instruction's number.
Result<Image> parse(std::string_view bytes, std::string_view place);

/// Reads a file.
Result<Image> load(const std::string &path);

/// Writes a file, whole or not at all. Refuses an image that is not well formed.
Result<void> save(const Image &image, const std::string &path);

/// True if the bytes begin as those of an image do.
bool isImage(std::string_view bytes);

} // namespace kiln::image

#endif // KILN_IMAGE_FILE_H
