//===- TileOpsMasks.h - buffers that hold masks -----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_TILELANG_TILEOPSMASKS_H
#define KILN_LIB_FRONTEND_TILELANG_TILEOPSMASKS_H

#include "State.h"

namespace kiln::frontend::tilelang {

/// False, after an error, for a buffer that T.tile.compare has written: it has no bytes.
bool expectNoMask(CallContext &context, const BufferData &buffer);

} // namespace kiln::frontend::tilelang

#endif // KILN_LIB_FRONTEND_TILELANG_TILEOPSMASKS_H
