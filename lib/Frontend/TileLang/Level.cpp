//===- Level.cpp - on which level a kernel is -------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Two questions, each answered by a setting of the decorator or else by what the kernel mentions:
// who orders the instructions (`tl.ascend_auto_sync`, flags and barriers), and who places the
// buffers (`tl.ascend_memory_planning`, T.annotate_address).
//
//===-----------------------------------------------------------------------------------------===//

#include "Hooks.h"

#include "kiln/Dialect/Npu/IR/Npu.h"

namespace kiln::frontend::tilelang {

using llvm::StringLiteral;

/// Order by hand.
static constexpr StringLiteral kOrder[] = {
    "set_flag",       "wait_flag",       "pipe_barrier", "barrier_all",
    "set_cross_flag", "wait_cross_flag", "sync_all",
};

/// Names that have no meaning on tensors.
static constexpr StringLiteral kNpuNames[] = {
    "Scope",
    "reinterpretcast",
    "gather",
    "gatherb",
    "gather_mask",
    "brcb",
    "wholereducemax",
    "wholereducemin",
    "wholereducesum",
    "block_reduce_max",
    "block_reduce_min",
    "block_reduce_sum",
};

static bool mentionsOneOf(CallContext &context, llvm::ArrayRef<StringLiteral> names) {
  return llvm::any_of(names, [&](llvm::StringRef name) { return context.mentions(name); });
}

//===----------------------------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------------------------===//

static constexpr StringLiteral kAutoSync = "tl.ascend_auto_sync";
static constexpr StringLiteral kMemoryPlanning = "tl.ascend_memory_planning";

/// All settings are switches. The last two are about order between the cores of a group, which
/// vector kernels do not have. Settings of passes that Kiln has not stay in Python.
static constexpr StringLiteral kSettings[] = {
    kAutoSync,
    kMemoryPlanning,
    "tl.ascend_auto_cv_combine",
    "tl.ascend_auto_cross_core_sync",
};

static void checkSettings(CallContext &context) {
  for (const std::string &key : context.passConfigKeys()) {
    Value value = context.passConfig(key);
    if (!llvm::is_contained(kSettings, llvm::StringRef(key))) {
      std::vector<std::string> known(std::begin(kSettings), std::end(kSettings));
      std::string nearest;
      for (const std::string &word : nearestWords(key, known))
        nearest += (nearest.empty() ? "; did you mean '" : "', '") + word;
      context.error("pass_configs has no setting '" + key + "'" +
                    (nearest.empty() ? "" : nearest + "'?"));
    } else if (!value.asBool()) {
      context.error("setting '" + key + "' of pass_configs: found " + describe(value) +
                    ", expected True or False");
    }
  }
}

/// A setting that is given wins over what the kernel mentions.
static bool isByHand(CallContext &context, llvm::StringRef key, bool mentioned) {
  Value setting = context.passConfig(key);
  return setting.asBool() ? !*setting.asBool() : mentioned;
}

void decideLevel(CallContext &context) {
  checkSettings(context);
  bool hasOrder = mentionsOneOf(context, kOrder);
  bool isOrderByHand = isByHand(context, kAutoSync, hasOrder);
  bool isPlaceByHand = isByHand(context, kMemoryPlanning, context.mentions("annotate_address"));
  // Who orders by hand needs to see the instructions that there are.
  stateOf(context).isNpuLevel = isOrderByHand || hasOrder || mentionsOneOf(context, kNpuNames);
  mlir::Operation *kernel = context.kernel();
  mlir::Attribute unit = context.builder().getUnitAttr();
  if (stateOf(context).isNpuLevel)
    kernel->setAttr(tile::kAsynchronousAttr, unit);
  if (isOrderByHand)
    kernel->setAttr(npu::kAuthorSyncAttr, unit);
  if (isPlaceByHand)
    kernel->setAttr(npu::kAuthorMemoryAttr, unit);
}

} // namespace kiln::frontend::tilelang
