//===- Image.cpp - facts of scalar and control instructions ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "image/Image.h"

#include <cassert>

namespace kiln::image {
namespace {

constexpr ScalarOpInfo scalarOps[] = {
#define KILN_SCALAR_OP(NAME, mnemonic, operands, hasResult) {mnemonic, operands, hasResult},
#include "image/ScalarOp.def"
};
static_assert(std::size(scalarOps) == static_cast<size_t>(Op::Tile));

} // namespace

const ScalarOpInfo &info(Op op) {
  assert(op < Op::Tile && "not a scalar or control op");
  return scalarOps[static_cast<size_t>(op)];
}

} // namespace kiln::image
