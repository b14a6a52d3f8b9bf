//===- Erf.cpp - the error function ----------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Below 1: x + x P(x^2). From 1 on: 1 - exp(-g(|x|)) with g = -log(erfc), a smooth function whose
// error hardly counts where erfc is small. Beyond the last interval the result is 1 in the format.
//
//===-----------------------------------------------------------------------------------------===//

#include "Functions.h"

#include "Coefficients.inc"

namespace kiln::cpu {

Num expandErf(Num x) {
  Num a = abs(x);
  Num core = fma(x, polynomial(x * x, kErfCoreF32, kErfCoreF64), x);
  Num g = polynomial(atMost(a, a.real(3.95, 6.0)), kErfTailF32, kErfTailF64);
  Num tail = copySign(a.real(1) - expInRange(-g), x);
  return select(a < a.real(1), core, tail);
}

} // namespace kiln::cpu
