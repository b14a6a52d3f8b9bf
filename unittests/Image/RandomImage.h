//===- RandomImage.h - well-formed images of all sorts ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_UNITTESTS_IMAGE_RANDOMIMAGE_H
#define KILN_UNITTESTS_IMAGE_RANDOMIMAGE_H

#include "image/Image.h"

#include <random>

namespace kiln::test {

/// A well-formed image that uses any form of any field: what it would do is of no matter.
image::Image randomImage(std::mt19937_64 &random);

/// A small image that makes sense: c = a + b for f32 of any length, on vector cores.
image::Image vectorAdd();

/// A legal image with an instruction of nearly every class; its parameters are those of vectorAdd.
image::Image manyInstructions();

} // namespace kiln::test

#endif // KILN_UNITTESTS_IMAGE_RANDOMIMAGE_H
