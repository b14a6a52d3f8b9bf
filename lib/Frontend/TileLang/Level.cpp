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
using llvm::Twine;

/// Order by hand.
static constexpr StringLiteral kOrder[] = {
    "set_flag",       "wait_flag",       "pipe_barrier", "barrier_all",
    "set_cross_flag", "wait_cross_flag", "sync_all",
};

/// Names that have no meaning on tensors.
static constexpr StringLiteral kNpuNames[] = {
    "Scope",
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

namespace {
enum class Kind { Bool, Int, Text };

struct Setting {
  StringLiteral key;
  Kind kind;
  /// What asks for nothing that is not done anyway is accepted; a bool may be one of the others.
  bool isTrueRefused = false;
};
} // namespace

/// What the settings without a use here ask for: code of other targets, expressions that Kiln
/// simplifies by itself, and order between the cores of a group, which vector kernels do not have.
static constexpr Setting kSettings[] = {
    {kAutoSync, Kind::Bool},
    {kMemoryPlanning, Kind::Bool},
    {"tl.ascend_auto_cv_combine", Kind::Bool},
    {"tl.ascend_auto_cross_core_sync", Kind::Bool},
    {"tl.ascend_auto_sync_vs", Kind::Bool},
    {"tl.ascend_pto_use_pipe_in_cv_copy", Kind::Bool},
    {"tl.ascend_tail_mask", Kind::Bool, true},
    {"tl.ascend_exception_dump", Kind::Bool, true},
    {"tl.Simplify", Kind::Bool},
    {"tl.dynamic_alignment", Kind::Int},
    {"tl.disable_dynamic_tail_split", Kind::Bool},
    {"tl.disable_warp_specialized", Kind::Bool},
    {"tl.config_index_bitwidth", Kind::Int},
    {"tl.disable_tma_lower", Kind::Bool},
    {"tl.disable_safe_memory_legalize", Kind::Bool},
    {"tl.disable_data_race_check", Kind::Bool},
    {"tl.enable_auto_schedule", Kind::Bool},
    {"tl.debug_merge_shared_memory_allocations", Kind::Bool},
    {"tl.enable_dump_ir", Kind::Bool, true},
    {"tl.dump_ir_path", Kind::Text},
    {"tir.enable_equiv_terms_in_cse_tir", Kind::Bool},
    {"tir.disable_cse_tir", Kind::Bool},
    {"tir.Simplify", Kind::Bool},
    {"tir.disable_storage_rewrite", Kind::Bool},
    {"tir.disable_vectorize", Kind::Bool},
    {"tir.use_async_copy", Kind::Bool},
    {"tir.enable_debug", Kind::Bool},
    {"tir.merge_static_smem", Kind::Bool},
    {"tir.noalias", Kind::Bool},
    {"cuda.kernels_output_dir", Kind::Text},
};

static bool isOfKind(const Value &value, Kind kind) {
  switch (kind) {
  case Kind::Bool:
    return value.asBool();
  case Kind::Int:
    return value.asInt();
  case Kind::Text:
    return value.asString();
  }
  llvm_unreachable("all kinds are listed");
}

static llvm::StringRef textOf(Kind kind) {
  return kind == Kind::Bool ? "True or False" : kind == Kind::Int ? "an int" : "a string";
}

static void checkSettings(CallContext &context) {
  for (const std::string &key : context.passConfigKeys()) {
    const auto *setting =
        llvm::find_if(kSettings, [&](const Setting &known) { return known.key == key; });
    Value value = context.passConfig(key);
    if (setting == std::end(kSettings)) {
      std::vector<std::string> known;
      for (const Setting &each : kSettings)
        known.push_back(each.key.str());
      std::string nearest;
      for (const std::string &word : nearestWords(key, known))
        nearest += (nearest.empty() ? "'" : ", '") + word + "'";
      context.error("pass_configs has no setting '" + key + "'" +
                    (nearest.empty() ? "" : "; did you mean " + nearest + "?"));
    } else if (!isOfKind(value, setting->kind)) {
      context.error("setting '" + key + "' of pass_configs: found " + describe(value) +
                    ", expected " + textOf(setting->kind));
    } else if (setting->isTrueRefused && *value.asBool()) {
      context.error("setting '" + key + "' of pass_configs: found True, which is not there yet");
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
