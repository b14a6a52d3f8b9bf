//===- NotYet.cpp - public names without a lowering ------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Using one of these is an error that says so. A name leaves this table in the commit that gives it
// a lowering.
//
//===-----------------------------------------------------------------------------------------===//

#include "Tables.h"

namespace kiln::frontend::triton {

static constexpr llvm::StringLiteral kNames =
    "tl.block_type tl.slice tl.tensor_descriptor tl.tensor_descriptor_type tl.void "
    "tl.tuple_type tl.aggregate_replace tl.str_to_ty tl.condition tl.make_block_ptr "
    "tl.advance tensor.advance tl.make_tensor_descriptor tl.load_tensor_descriptor "
    "tl.store_tensor_descriptor tl.flip tl.gather tensor.gather tensor.flip tl.atomic_add "
    "tl.atomic_and tl.atomic_cas tl.atomic_load tl.atomic_max tl.atomic_min tl.atomic_or "
    "tl.atomic_poll tl.atomic_store tl.atomic_xchg tl.atomic_xor tensor.atomic_add "
    "tensor.atomic_and tensor.atomic_cas tensor.atomic_load tensor.atomic_max "
    "tensor.atomic_min tensor.atomic_or tensor.atomic_poll tensor.atomic_store "
    "tensor.atomic_xchg tensor.atomic_xor tl.dot tl.dot_scaled tl.associative_scan tl.cumsum "
    "tl.cumprod tl.sort tl.topk tl.bitonic_merge tl.histogram tl.map_elementwise "
    "tensor.associative_scan tensor.cumsum tensor.cumprod tensor.sort tensor.histogram "
    "tl.philox tl.philox_impl tl.rand tl.randn tl.randint tl.rand4x tl.randn4x tl.randint4x "
    "tl.pair_uniform_to_normal tl.uint_to_uniform_float "
    "tl.target_info tl.target_info.current_target tl.inline_asm_elementwise "
    "tl.extern_elementwise tl.extern tl.builtin tl._aggregate tl.constexpr_type ";

/// Of `tl.extra.libdevice`.
static constexpr llvm::StringLiteral kLibdevice =
    "acos acosh add_rd add_rn add_ru add_rz asin asinh atan atan2 atanh brev byte_perm cbrt "
    "clz cospi cyl_bessel_i0 cyl_bessel_i1 div_rd div_ru div_rz double2float_rd "
    "double2float_rn double2float_ru double2float_rz double2hiint double2int_rd double2int_rn "
    "double2int_ru double2int_rz double2ll_rd double2ll_rn double2ll_ru double2ll_rz "
    "double2loint double2uint_rd double2uint_rn double2uint_ru double2uint_rz double2ull_rd "
    "double2ull_rn double2ull_ru double2ull_rz double_as_longlong erfc erfcinv erfcx erfinv "
    "exp10 fast_exp10f fast_log10f "
    "fast_powf fast_tanf fdim ffs flip float2half_rn float2int_rd "
    "float2int_rn float2int_ru float2int_rz float2ll_rd float2ll_rn float2ll_ru float2ll_rz "
    "float2uint_rd float2uint_rn float2uint_ru float2uint_rz float2ull_rd float2ull_rn "
    "float2ull_ru float2ull_rz float_as_int float_as_uint fma_rd fma_ru fma_rz fmod "
    "hadd half2float hiloint2double hypot ilogb int2double_rn int2float_rd int2float_rn "
    "int2float_ru int2float_rz int_as_float j0 j1 jn ldexp lgamma ll2double_rd ll2double_rn "
    "ll2double_ru ll2double_rz ll2float_rd ll2float_rn ll2float_ru ll2float_rz llabs llmax "
    "llmin llrint llround logb longlong_as_double max min mul24 mul64hi mul_rd mul_rn "
    "mul_ru mul_rz mulhi nextafter norm3d norm4d normcdf normcdfinv popc pow rcbrt "
    "rcp64h rcp_rd rcp_rn rcp_ru rcp_rz reciprocal relu remainder rhadd rhypot rnorm3d "
    "rnorm4d round sad saturatef scalbn signbit signbitd signbitf sinpi sqrt_rd "
    "sqrt_ru sqrt_rz sub_rd sub_rn sub_ru sub_rz tgamma uhadd uint2double_rn "
    "uint2float_rd uint2float_rn uint2float_ru uint2float_rz uint_as_float ull2double_rd "
    "ull2double_rn ull2double_ru ull2double_rz ull2float_rd ull2float_rn ull2float_ru "
    "ull2float_rz ullmax ullmin umax umin umul24 umul64hi urhadd usad y0 y1 yn "
    "";

/// Of `tl.extra.cuda` and `tl.extra.hip`: what only those machines have.
static constexpr llvm::StringLiteral kMachine =
    "cuda.globaltimer cuda.num_threads cuda.num_warps cuda.smid "
    "cuda.convert_custom_float8_sm70 cuda.convert_custom_float8_sm80 "
    "cuda.gdc_launch_dependents cuda.gdc_wait hip.memrealtime hip.num_threads hip.num_warps "
    "hip.smid ";

void addNotYet(Vocabulary &vocabulary) {
  vocabulary.addNotThereYet(kNames);
  vocabulary.addNotThereYet(kLibdevice, "tl.extra.libdevice.");
  vocabulary.addNotThereYet(kMachine, "tl.extra.");
}

} // namespace kiln::frontend::triton
