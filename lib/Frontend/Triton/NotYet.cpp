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

static constexpr llvm::StringLiteral kNames[] = {
    // Types and values
    "tl.block_type",
    "tl.slice",
    "tl.tensor_descriptor",
    "tl.tensor_descriptor_type",
    "tl.void",
    "tl.tuple_type",
    "tl.aggregate_replace",
    "tl.str_to_ty",
    // Iteration
    "tl.condition",
    // Block pointers and descriptors
    "tl.make_block_ptr",
    "tl.advance",
    "tensor.advance",
    "tl.make_tensor_descriptor",
    "tl.load_tensor_descriptor",
    "tl.store_tensor_descriptor",
    // Lanes moved by index
    "tl.flip",
    "tl.gather",
    "tensor.gather",
    "tensor.flip",
    // Atomics
    "tl.atomic_add",
    "tl.atomic_and",
    "tl.atomic_cas",
    "tl.atomic_load",
    "tl.atomic_max",
    "tl.atomic_min",
    "tl.atomic_or",
    "tl.atomic_poll",
    "tl.atomic_store",
    "tl.atomic_xchg",
    "tl.atomic_xor",
    "tensor.atomic_add",
    "tensor.atomic_and",
    "tensor.atomic_cas",
    "tensor.atomic_load",
    "tensor.atomic_max",
    "tensor.atomic_min",
    "tensor.atomic_or",
    "tensor.atomic_poll",
    "tensor.atomic_store",
    "tensor.atomic_xchg",
    "tensor.atomic_xor",
    // Linear algebra
    "tl.dot",
    "tl.dot_scaled",
    // Scans, sorting, counting
    "tl.associative_scan",
    "tl.cumsum",
    "tl.cumprod",
    "tl.sort",
    "tl.topk",
    "tl.bitonic_merge",
    "tl.histogram",
    "tl.map_elementwise",
    "tensor.associative_scan",
    "tensor.cumsum",
    "tensor.cumprod",
    "tensor.sort",
    "tensor.histogram",
    // Random numbers
    "tl.philox",
    "tl.philox_impl",
    "tl.rand",
    "tl.randn",
    "tl.randint",
    "tl.rand4x",
    "tl.randn4x",
    "tl.randint4x",
    "tl.pair_uniform_to_normal",
    "tl.uint_to_uniform_float",
    "tl.random.uint_to_uniform_float",
    // Target
    "tl.target_info",
    "tl.target_info.current_target",
    "tl.inline_asm_elementwise",
    "tl.core.extern_elementwise",
};

/// Of libdevice, what has no lowering yet; float functions unless the name says otherwise.
static constexpr llvm::StringLiteral kLibdevice[] = {
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "brev",
    "byte_perm",
    "cbrt",
    "clz",
    "cosh",
    "cospi",
    "cyl_bessel_i0",
    "cyl_bessel_i1",
    "div_rd",
    "div_ru",
    "div_rz",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "exp10",
    "fast_cosf",
    "fast_dividef",
    "fast_expf",
    "fast_exp10f",
    "fast_log10f",
    "fast_log2f",
    "fast_logf",
    "fast_powf",
    "fast_sinf",
    "fast_tanf",
    "fdim",
    "ffs",
    "float_as_int",
    "fmod",
    "hypot",
    "ilogb",
    "int_as_float",
    "j0",
    "j1",
    "jn",
    "ldexp",
    "lgamma",
    "llrint",
    "llround",
    "log10",
    "logb",
    "mul24",
    "mulhi",
    "nearbyint",
    "nextafter",
    "norm3d",
    "norm4d",
    "normcdf",
    "normcdfinv",
    "popc",
    "pow",
    "rcbrt",
    "remainder",
    "rhypot",
    "rnorm3d",
    "rnorm4d",
    "round",
    "saturatef",
    "scalbn",
    "signbit",
    "sinh",
    "sinpi",
    "tan",
    "tgamma",
    "y0",
    "y1",
    "yn",
};

void addNotYet(Vocabulary &vocabulary) {
  vocabulary.addNotThereYet(kNames);
  vocabulary.addNotThereYet(kLibdevice, "tl.extra.libdevice.");
}

} // namespace kiln::frontend::triton
