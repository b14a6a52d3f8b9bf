//===- NotYet.cpp - public names without a lowering -------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Using one of these is an error that says why. A name leaves this table in the commit that gives
// it a lowering. What only instructions have, and is not there yet, stands in ExpertOrder.cpp.
//
//===-----------------------------------------------------------------------------------------===//

#include "State.h"
#include "Tables.h"

#include "llvm/ADT/SmallVector.h"

namespace kiln::frontend::tilelang {

/// Of `T`.
static constexpr llvm::StringLiteral kNames =
    // matrices
    "alloc_L1 alloc_L0A alloc_L0B alloc_L0C gemm gemm_v0 gemm_v1 gemm_sp gemm_blockscaled mma "
    "set_deq_scale make_zn_layout make_nz_layout make_col_major_layout annotate_layout "
    // buffers
    "alloc_global reshape view ptr make_tensor make_tensor_from_addr StridedTensor "
    "annotate_padding annotate_safe_value annotate_restrict_buffers "
    // reductions and scans
    "alloc_reducer reducer_init reducer_update finalize_reducer cumsum cummax any_of all_of "
    // memory shared between programs
    "atomic_add atomic_max atomic_min atomic_or atomic_addx2 atomic_addx4 atomic_load atomic_store "
    "shmem_put_nbi shmem_get_nbi shmem_ub_put_nbi shmem_ub_get_nbi "
    // loops and programs
    "loop_break grid use_swizzle PersistentTileScheduler annotate_pass_configs "
    "annotate_compile_flags inline meta_class Ref "
    // messages and facts
    "print printf dump_tensor device_assert assume "
    // functions
    "dp4a acos acosh asin asinh atan atan2 atanh exp10 hypot ldexp nextafter copysign popcount clz "
    "fmod tile.sort tile.topk ";

/// Of the stock language for GPUs.
static constexpr llvm::StringLiteral kGpu =
    "sync_threads sync_warp sync_grid sync_global shfl_sync shfl_xor shfl_down shfl_up ballot "
    "ballot_sync activemask any_sync all_sync warp_reduce_sum warp_reduce_max warp_reduce_min "
    "warp_reduce_bitand warp_reduce_bitor get_thread_binding get_thread_bindings get_block_binding "
    "get_block_bindings alloc_barrier alloc_cluster_barrier alloc_tmem alloc_descriptor tma_load "
    "tma_store tma_copy create_tma_descriptor create_list_of_mbarrier get_mbarrier mbarrier_wait "
    "mbarrier_wait_parity mbarrier_arrive mbarrier_expect_tx barrier_wait barrier_arrive "
    "fence_proxy_async warpgroup_arrive warpgroup_commit_batch warpgroup_wait wait_wgmma "
    "set_max_nreg inc_max_nreg dec_max_nreg no_set_max_nreg annotate_consumer_reg_alloc ws "
    "shuffle_elect ";

/// Of the stock language for Ascend 950.
static constexpr llvm::StringLiteral kAscend950 =
    "MixedKernel Cube Vector SimtVF SimdVF alloc_l1 alloc_l0a alloc_l0b alloc_l0c alloc_l0a_sf "
    "alloc_l0b_sf dual_copy Stage Task PerCoreTask annotate_buffer_versions "
    "annotate_manual_multi_buffer annotate_unlimit_memory assume_no_conflict assume_conflict "
    "set_atomic set_atomic_none set_hf32_mode set_mmad_direction AscendTileScheduler "
    "ascend_set_copy_pad_value ascend_set_flag ascend_wait_flag ascend_pipe_barrier "
    "ascend_cross_core_set_flag ascend_cross_core_wait_flag ascend_sync_inter_arrive "
    "ascend_sync_inter_wait ascend_get_buf ascend_rls_buf ascend_threadfence "
    "simd.vld simd.vld2 simd.vsts simd.vsstb simd.vadd simd.vsub simd.vmul simd.vdiv simd.vmax "
    "simd.vmin simd.vand simd.vor simd.vxor simd.vshl simd.vshr simd.vabs simd.vneg simd.vrelu "
    "simd.vlrelu simd.vprelu simd.vexp simd.vln simd.vsqrt simd.vexpdif simd.vabsdif simd.vaxpy "
    "simd.vmula simd.vmadd simd.vmull simd.vaddc simd.vadds simd.vmuls simd.vmaxs simd.vmins "
    "simd.vshls simd.vshrs simd.vdup simd.vdupv simd.vci simd.vcadd simd.vcmax simd.vcmin "
    "simd.vcgadd simd.vcgmax simd.vcgmin simd.vcpadd simd.vcmp simd.vcmps simd.vsel simd.vselr "
    "simd.vcvt simd.vpack simd.vunpack simd.vintlv simd.vdintlv simd.vsqz simd.vusqz "
    "simd.vgatherb simd.vgather2 simd.vscatter simd.dhistv2 simd.chistv2 simd.pset simd.pge "
    "simd.pand simd.por simd.pxor simd.pnot simd.psel simd.pld simd.pst simd.mem_bar ";

/// What the host evaluates.
static constexpr llvm::StringLiteral kHost = "prim_func macro Tensor Buffer symbolic dynamic dyn ";

/// Names of which the vocabulary knows the reason why kernels cannot use them.
static void addRefused(Vocabulary &vocabulary, llvm::StringRef names, llvm::StringRef reason) {
  llvm::SmallVector<llvm::StringRef> list;
  names.split(list, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef name : list)
    vocabulary.addConstant(("T." + name).str(), Value::opaque(reason));
}

/// For names that instructions have and tensors do not, yet.
static Value refuseOnTiles(CallContext &context, const Arguments &) {
  return context.error(context.callee() + " is not there yet in a kernel without flags or barriers "
                                          "of its author");
}

void addNotYet(Vocabulary &vocabulary) {
  static constexpr LanguageEntry kOnlyInstructions[] = {
      {"T.async_copy", "src, dst, enable_relu=False, transpose=False, pad_value=None",
       byLevel<refuseOnTiles>},
      {"T.tile.atomic_add", "dst, src", byLevel<refuseOnTiles>},
  };
  vocabulary.add(kOnlyInstructions);
  vocabulary.addNotThereYet(kNames, "T.");
  addRefused(vocabulary, kGpu, "exists on GPUs only: Kiln's targets are 'cpu' and 'npu'");
  addRefused(vocabulary, kAscend950,
             "belongs to the dialect of Ascend 950, which is not there yet");
  addRefused(vocabulary, kHost, "has a meaning outside of the bodies of kernels only");
}

} // namespace kiln::frontend::tilelang
