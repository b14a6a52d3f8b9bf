//===- Trig.cpp - sin, cos, tan --------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// x = q pi/2 + r with |r| <= pi/4. Up to a limit the product of q and a three-part pi/2 is
// subtracted with fma: the first step is exact, the parts hold far more digits than the limit can
// cancel. If any lane is beyond the limit (or infinite, or NaN), a branch that is otherwise not
// taken redoes such lanes one by one: the bits of 2/pi that matter for the exponent of x are taken
// from a table and multiplied in integers, exactly enough for every double.
//
//===-----------------------------------------------------------------------------------------===//

#include "Functions.h"

#include "Coefficients.inc"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace kiln::cpu {
namespace {

constexpr llvm::StringLiteral kTable = "kiln_two_over_pi";

/// 64 zero bits, then the bits of 2/pi behind the point.
constexpr uint64_t kTwoOverPi[] = {0,
                                   0xa2f9836e4e441529,
                                   0xfc2757d1f534ddc0,
                                   0xdb6295993c439041,
                                   0xfe5163abdebbc561,
                                   0xb7246e3a424dd2e0,
                                   0x06492eea09d1921c,
                                   0xfe1deb1cb129a73e,
                                   0xe88235f52ebb4484,
                                   0xe99c7026b45f7e41,
                                   0x3991d639835339f4,
                                   0x9c845f8bbdf9283b,
                                   0x1ff897ffde05980f,
                                   0xef2f118b5a0a6d1f,
                                   0x6d367ecf27cb09b7,
                                   0x4f463f669e5fea2d,
                                   0x7527bac7ebe5f17b,
                                   0x3d0739f78a5292ea,
                                   0x6bfb5fb11f8d5d08,
                                   0x56033046fc7b6bab,
                                   0xf0cfbc209af4361d};

struct Reduced {
  Num r;
  Num quadrant; // an integer of r's width; the low two bits count
};

Num unsignedToFloat(Num x) { return x.make(arith::UIToFPOp::create(*x.b, x.b->getF64Type(), x.v)); }
Num leadingZeros(Num x) { return x.make(math::CountLeadingZerosOp::create(*x.b, x.v)); }
Num high64(Num x, Num y) {
  return x.make(arith::MulUIExtendedOp::create(*x.b, x.v, y.v).getHigh());
}

/// Any finite scalar f64 of magnitude 2^-8 or more.
Reduced reduceExactly(Num x) {
  ImplicitLocOpBuilder &b = *x.b;
  Num bits = x.bits();
  Num mantissa = (bits & ((int64_t(1) << 52) - 1)) | (int64_t(1) << 52);
  Num exponent = (shr(bits, 52) & 0x7ff) - 1075; // |x| = mantissa * 2^exponent

  // 192 bits of 2/pi from the bit whose product with 2^exponent has weight 2: what lies above
  // counts multiples of 4.
  Num first = exponent + 62;
  Num word = shr(first, 6), shift = first & 63;
  Type i64 = b.getI64Type(), pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value table = LLVM::AddressOfOp::create(b, pointer, kTable);
  auto at = [&](int64_t offset) {
    Value address =
        LLVM::GEPOp::create(b, pointer, i64, table, ArrayRef<LLVM::GEPArg>{(word + offset).v});
    return x.make(LLVM::LoadOp::create(b, i64, address));
  };
  Num words[] = {at(int64_t(0)), at(1), at(2), at(3)};
  auto window = [&](int i) {
    return shl(words[i], shift) | shr(shr(words[i + 1], 1), shift.integer(63) - shift);
  };
  Num w0 = window(0), w1 = window(1), w2 = window(2);

  // (high, low) = the top 128 bits of mantissa * window mod 2^192.
  Num middle = mantissa * w1;
  Num low = middle + high64(mantissa, w2);
  Num carry = compare(arith::CmpIPredicate::ult, low, middle);
  Num high = mantissa * w0 + high64(mantissa, w1) + x.make(arith::ExtUIOp::create(b, i64, carry.v));
  Num quadrant = shr(high, 62);
  Num top = shl(high, 2) | shr(low, 62), rest = shl(low, 2);

  // The fraction as a signed number: from 1/2 on it belongs to the next quadrant, from below.
  Num negative = compare(arith::CmpIPredicate::slt, top, top.integer(0));
  Num mask = sar(top, 63);
  quadrant = quadrant - mask;
  Num borrow = x.make(
      arith::ExtUIOp::create(b, i64, compare(arith::CmpIPredicate::eq, rest, rest.integer(0)).v));
  Num negatedTop = (top ^ top.integer(-1)) + borrow, negatedRest = rest.integer(0) - rest;
  top = select(negative, negatedTop, top);
  rest = select(negative, negatedRest, rest);

  // 64 significant bits, exact in two floats; times pi/2 in two parts.
  Num zeros = leadingZeros(top);
  zeros = select(compare(arith::CmpIPredicate::ugt, zeros, zeros.integer(63)), zeros.integer(63),
                 zeros);
  Num digits = shl(top, zeros) | shr(shr(rest, 1), zeros.integer(63) - zeros);
  Num scale = shl(zeros.integer(1023 - 64) - zeros, 52).asFloat();
  Num a = unsignedToFloat(digits & ~int64_t(0x7ff)), c = unsignedToFloat(digits & 0x7ff);
  Num r =
      fma(a, 0x1.921fb54442d18p+0, fma(a, a.real(0x1.1a62633145c07p-54), c * 0x1.921fb54442d18p+0));
  r = r * scale;
  r = select(negative, -r, r);

  Num below = compare(arith::CmpIPredicate::slt, bits, bits.integer(0));
  return {select(below, -r, r), select(below, quadrant.integer(0) - quadrant, quadrant)};
}

/// As reduceExactly for one lane of either format; infinities and NaN give NaN.
std::pair<Value, Value> reduceLane(ImplicitLocOpBuilder &b, Value lane) {
  Num x{&b, lane};
  Num wide = x.isDouble() ? x : x.make(arith::ExtFOp::create(b, b.getF64Type(), lane));
  Num finite = abs(wide) < std::numeric_limits<double>::infinity();
  Reduced exact = reduceExactly(select(finite, wide, wide.real(0x1p40)));
  Num r = select(finite, exact.r, wide - wide);
  r = select(finite, r, wide.real(std::numeric_limits<double>::quiet_NaN()));
  if (x.isDouble())
    return {r.v, exact.quadrant.v};
  return {arith::TruncFOp::create(b, b.getF32Type(), r.v),
          arith::TruncIOp::create(b, b.getI32Type(), exact.quadrant.v)};
}

/// Redoes the lanes that `large` marks.
std::pair<Value, Value> reduceLargeLanes(ImplicitLocOpBuilder &b, Num x, Value large, Value r,
                                         Value quadrant) {
  auto vector = dyn_cast<VectorType>(x.v.getType());
  if (!vector)
    return reduceLane(b, x.v);
  Value zero = arith::ConstantIndexOp::create(b, 0), one = arith::ConstantIndexOp::create(b, 1);
  Value count = arith::ConstantIndexOp::create(b, vector.getDimSize(0));
  auto loop = scf::ForOp::create(b, zero, count, one, ValueRange{r, quadrant});
  ImplicitLocOpBuilder inner(b.getLoc(), b.getContext());
  inner.setInsertionPointToStart(loop.getBody());
  Value index = loop.getInductionVar();
  Value isLarge = vector::ExtractOp::create(inner, large, index);
  auto branch = scf::IfOp::create(inner, TypeRange{r.getType(), quadrant.getType()}, isLarge, true);
  Value carriedR = loop.getRegionIterArg(0), carriedQ = loop.getRegionIterArg(1);

  ImplicitLocOpBuilder redo(b.getLoc(), b.getContext());
  redo.setInsertionPointToStart(branch.thenBlock());
  auto [laneR, laneQ] = reduceLane(redo, vector::ExtractOp::create(redo, x.v, index));
  scf::YieldOp::create(redo, ValueRange{vector::InsertOp::create(redo, laneR, carriedR, index),
                                        vector::InsertOp::create(redo, laneQ, carriedQ, index)});
  redo.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(redo, ValueRange{carriedR, carriedQ});

  inner.setInsertionPointToEnd(loop.getBody());
  scf::YieldOp::create(inner, branch.getResults());
  return {loop.getResult(0), loop.getResult(1)};
}

Reduced reduce(Num x) {
  ImplicitLocOpBuilder &b = *x.b;
  double magic = std::ldexp(1.5, x.format().mantissa);
  Num t = fma(x, x.real(0x1.45f306p-1, 0x1.45f306dc9c883p-1), magic);
  Num n = t - magic;
  Num r = fma(n, x.real(-0x1.921fb6p+0, -0x1.921fb54442d18p+0), x);
  r = fma(n, x.real(0x1.777a5cp-25, -0x1.1a62633145c07p-54), r);
  r = fma(n, x.real(0x1.ee59dap-50, 0x1.f1976b7ed8fbcp-110), r);

  Num large = compare(arith::CmpFPredicate::UGT, abs(x), x.real(100000, 1e6));
  Value any = large.v;
  if (isa<VectorType>(x.v.getType()))
    any = vector::ReductionOp::create(b, vector::CombiningKind::OR, large.v);
  Num quadrant = t.bits();
  auto branch = scf::IfOp::create(b, TypeRange{r.v.getType(), quadrant.v.getType()}, any, true);
  ImplicitLocOpBuilder slow(b.getLoc(), b.getContext());
  slow.setInsertionPointToStart(branch.thenBlock());
  auto [slowR, slowQ] = reduceLargeLanes(slow, {&slow, x.v}, large.v, r.v, quadrant.v);
  scf::YieldOp::create(slow, ValueRange{slowR, slowQ});
  slow.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(slow, ValueRange{r.v, quadrant.v});
  return {x.make(branch.getResult(0)), x.make(branch.getResult(1))};
}

struct SinCos {
  Num sin, cos;
};

/// Of the reduced argument.
SinCos kernels(Num r) {
  Num square = r * r;
  Num sin = fma(square * r, polynomial(square, kSinF32, kSinF64), r);
  Num cos = fma(square, fma(square, polynomial(square, kCosF32, kCosF64), -0.5), 1.0);
  return {sin, cos};
}

Num isOdd(Num quadrant) {
  return compare(arith::CmpIPredicate::ne, quadrant & 1, quadrant.integer(0));
}

/// sin of x + turns * pi/2.
Num shiftedSin(Num x, int64_t turns) {
  Reduced reduced = reduce(x);
  SinCos values = kernels(reduced.r);
  Num quadrant = turns ? reduced.quadrant + turns : reduced.quadrant;
  Num value = select(isOdd(quadrant), values.cos, values.sin);
  Num sign = shl(quadrant & 2, x.format().width - 2);
  return (value.bits() ^ sign).asFloat();
}

} // namespace

Num expandSin(Num x) {
  // Zeros keep their sign, and the smallest numbers are their own sine.
  return select(abs(x) < x.real(0x1p-13, 0x1p-27), x, shiftedSin(x, 0));
}

Num expandCos(Num x) { return shiftedSin(x, 1); }

Num expandTan(Num x) {
  Reduced reduced = reduce(x);
  SinCos values = kernels(reduced.r);
  Num odd = isOdd(reduced.quadrant);
  Num tangent = select(odd, -values.cos, values.sin) / select(odd, values.sin, values.cos);
  return select(abs(x) < x.real(0x1p-13, 0x1p-27), x, tangent);
}

void addTwoOverPi(Operation *module) {
  bool used = false;
  module->walk([&](LLVM::AddressOfOp op) { used |= op.getGlobalName() == kTable; });
  if (!used || SymbolTable::lookupSymbolIn(module, kTable))
    return;
  auto b = ImplicitLocOpBuilder::atBlockBegin(module->getLoc(), cast<ModuleOp>(module).getBody());
  auto type = LLVM::LLVMArrayType::get(b.getI64Type(), std::size(kTwoOverPi));
  auto words = DenseElementsAttr::get(
      RankedTensorType::get({int64_t(std::size(kTwoOverPi))}, b.getI64Type()),
      ArrayRef(kTwoOverPi));
  LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::Internal, kTable, words);
}

} // namespace kiln::cpu
