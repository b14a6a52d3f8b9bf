//===- Programs.cpp - which program of the grid this is --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Semantics.h"
#include "Tables.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

namespace kiln::frontend::triton {

template <typename Op> static Value lowerProgram(CallContext &context, const Arguments &arguments) {
  std::optional<int64_t> axis = context.intConst(arguments, "axis");
  if (!axis)
    return Value::poison();
  if (*axis < 0 || *axis > 2)
    return wrongArgument(context, arguments, "axis", llvm::Twine(*axis), "0, 1 or 2");
  auto op = context.create<Op>(context.builder().getI32Type(),
                               context.builder().getI32IntegerAttr(*axis));
  return Value::runtime(op.getResult(), DType::I32);
}

void addPrograms(Vocabulary &vocabulary) {
  static constexpr LanguageEntry kEntries[] = {
      {"tl.program_id", "axis", lowerProgram<tile::ProgramIdOp>},
      {"tl.num_programs", "axis", lowerProgram<tile::NumProgramsOp>},
  };
  vocabulary.add(kEntries);
}

} // namespace kiln::frontend::triton
