//===- State.h - what the lowerings of one TileLang kernel share ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A kernel is at one of two levels, which is known before its body is visited (Level.cpp):
//
//   tile  what to compute: buffers are read and written as tensors, passes do the rest
//   npu   how: the author places flags or barriers by hand, or uses names that only the NPU has;
//         copies and `T.tile` calls become instructions one by one, in the order written
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_TILELANG_STATE_H
#define KILN_LIB_FRONTEND_TILELANG_STATE_H

#include "kiln/Frontend/Vocabulary.h"

#include "llvm/ADT/DenseMap.h"

namespace kiln::frontend::tilelang {

/// The lanes of a `T.Parallel` nest while its body is visited.
struct Lanes;

struct State : LanguageState {
  bool isNpuLevel = false;
  /// `T.Kernel` has been entered.
  bool isInKernel = false;
  /// One error for what stands outside is enough.
  bool isOutsideReported = false;
  /// … and perhaps left again.
  bool hasKernel = false;
  /// Scalars that are below a bound, an int or a runtime scalar: indices of blocks.
  llvm::DenseMap<mlir::Value, Value> below;
  /// The bools behind buffers of packed bits, by handle (TileOpsMasks.cpp).
  llvm::DenseMap<mlir::Value, Value> maskTwins;
  /// At the npu level: buffers as instructions see them.
  llvm::DenseMap<mlir::Value, mlir::Value> onChip;
  /// … those that lie in the memory of another buffer (T.reinterpretcast).
  llvm::SmallVector<std::shared_ptr<const BufferData>> shared;
  /// … a copy fills what is outside its tensor; the author uses the flag for that (Expert.h).
  bool fills = false, usesFillFlag = false;
  /// The innermost `T.Parallel`; null outside (Parallel.h).
  std::shared_ptr<Lanes> lanes;
};

inline State &stateOf(CallContext &context) { return static_cast<State &>(context.state()); }

/// The instruction-level lowering of a language name, or null where it has none: the call is then
/// lowered at tile level, between instructions (ExpertOperands.cpp).
Lowering npuLoweringOf(llvm::StringRef name);

/// A table row's lowering for names that have a meaning at both levels.
template <Lowering Tile> Value byLevel(CallContext &context, const Arguments &arguments) {
  if (stateOf(context).isNpuLevel)
    if (Lowering lower = npuLoweringOf(context.callee()))
      return lower(context, arguments);
  return Tile(context, arguments);
}

/// For names that only the npu level has: `Level.cpp` has put a kernel that mentions one there.
inline Value npuOnly(CallContext &context, const Arguments &arguments) {
  return npuLoweringOf(context.callee())(context, arguments);
}

} // namespace kiln::frontend::tilelang

#endif // KILN_LIB_FRONTEND_TILELANG_STATE_H
