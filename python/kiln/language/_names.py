# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ruff: noqa: SIM905
"""The one list of language names. A name here is a marker; C++ gives it its meaning."""

FUNCTIONS = """
program_id num_programs range static_range condition arange full zeros zeros_like cast cat
to_tensor broadcast broadcast_to expand_dims permute ravel reshape view trans join split
interleave flip squeeze unsqueeze swizzle2d gather load store make_block_ptr advance
make_tensor_descriptor load_tensor_descriptor store_tensor_descriptor atomic_add atomic_and
atomic_cas atomic_load atomic_max atomic_min atomic_or atomic_poll atomic_store atomic_xchg
atomic_xor add sub mul fdiv div_rn fma cdiv umulhi minimum maximum clamp where abs ceil floor exp
exp2 log log2 sin cos sqrt sqrt_rn rsqrt erf sigmoid softmax dot dot_scaled reduce sum max min
argmax argmin xor_sum reduce_or associative_scan cumsum cumprod sort topk bitonic_merge histogram
map_elementwise philox philox_impl rand randn randint rand4x randn4x randint4x
pair_uniform_to_normal uint_to_uniform_float multiple_of max_contiguous max_constancy assume
debug_barrier expect_zero static_assert static_print device_assert device_print
inline_asm_elementwise aggregate_replace tuple slice
""".split()

VALUES = """
dtype pointer_type block_type constexpr constexpr_type const tensor tensor_descriptor void pi32_t
int1 int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 float8e5
float8e5b16 float8e4nv float8e4b8 float8e4b15 PropagateNan TRITON_MAX_TENSOR_NUMEL math extra
target_info
""".split()

# `tl.math`
MATH = """
abs ceil cos div_rn erf exp exp2 fdiv floor fma log log2 rsqrt sin sqrt sqrt_rn umulhi
""".split()

# `tl.core` beyond the names of `tl`.
CORE = """
builtin extern extern_elementwise _aggregate
""".split()

# `tl.extra.libdevice`
LIBDEVICE = """
abs acos acosh add_rd add_rn add_ru add_rz asin asinh atan atan2 atanh brev byte_perm cbrt ceil
clz copysign cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 div_rd div_rn div_ru div_rz
double2float_rd double2float_rn double2float_ru double2float_rz double2hiint double2int_rd
double2int_rn double2int_ru double2int_rz double2ll_rd double2ll_rn double2ll_ru double2ll_rz
double2loint double2uint_rd double2uint_rn double2uint_ru double2uint_rz double2ull_rd
double2ull_rn double2ull_ru double2ull_rz double_as_longlong erf erfc erfcinv erfcx erfinv exp
exp10 exp2 expm1 fast_cosf fast_dividef fast_exp10f fast_expf fast_log10f fast_log2f fast_logf
fast_powf fast_sinf fast_tanf fast_tanhf fdim ffs finitef flip float2half_rn float2int_rd
float2int_rn float2int_ru float2int_rz float2ll_rd float2ll_rn float2ll_ru float2ll_rz
float2uint_rd float2uint_rn float2uint_ru float2uint_rz float2ull_rd float2ull_rn float2ull_ru
float2ull_rz float_as_int float_as_uint floor fma fma_rd fma_rn fma_ru fma_rz fmod hadd half2float
hiloint2double hypot ilogb int2double_rn int2float_rd int2float_rn int2float_ru int2float_rz
int_as_float isfinited isinf isnan j0 j1 jn ldexp lgamma ll2double_rd ll2double_rn ll2double_ru
ll2double_rz ll2float_rd ll2float_rn ll2float_ru ll2float_rz llabs llmax llmin llrint llround log
log10 log1p log2 logb longlong_as_double max min mul24 mul64hi mul_rd mul_rn mul_ru mul_rz mulhi
nearbyint nextafter norm3d norm4d normcdf normcdfinv popc pow rcbrt rcp64h rcp_rd rcp_rn rcp_ru
rcp_rz reciprocal relu remainder rhadd rhypot rint rnorm3d rnorm4d round rsqrt rsqrt_rn sad
saturatef scalbn signbit signbitd signbitf sin sinh sinpi sqrt sqrt_rd sqrt_rn sqrt_ru sqrt_rz
sub_rd sub_rn sub_ru sub_rz tan tanh tgamma trunc uhadd uint2double_rn uint2float_rd uint2float_rn
uint2float_ru uint2float_rz uint_as_float ull2double_rd ull2double_rn ull2double_ru ull2double_rz
ull2float_rd ull2float_rn ull2float_ru ull2float_rz ullmax ullmin umax umin umul24 umul64hi umulhi
urhadd usad y0 y1 yn isfinite div_full_range
""".split()

# `tl.extra.cuda`
CUDA = """
globaltimer num_threads num_warps smid convert_custom_float8_sm70 convert_custom_float8_sm80
gdc_launch_dependents gdc_wait
""".split()

# `tl.extra.hip`
HIP = """
memrealtime num_threads num_warps smid
""".split()

# Triton's names in signatures and annotations: "i32" for tl.int32, "fp32" for tl.float32.
SIGNATURE_NAMES = {
    **{f"i{n}": f"int{n}" for n in (1, 8, 16, 32, 64)},
    **{f"u{n}": f"uint{n}" for n in (8, 16, 32, 64)},
    **{f"f{n}": f"fp{n}" for n in (16, 32, 64)},
    "u1": "int1", "float16": "fp16", "float32": "fp32", "float64": "fp64", "bfloat16": "bf16",
    "float8e5": "fp8e5", "float8e4nv": "fp8e4nv",
}  # fmt: skip
