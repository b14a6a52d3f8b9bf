//===- ProgramParser.h - the text of one program ----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_SIM_ASM_PROGRAMPARSER_H
#define KILN_SIM_ASM_PROGRAMPARSER_H

#include "sim/asm/Cursor.h"
#include "sim/asm/Names.h"

namespace kiln::sim {

/// Reads "program …" after its first word and adds it to the image, whose head is complete.
/// Locations and messages that a program names go into the image's tables. What fails is in the
/// cursor.
void parseProgram(TokenCursor &cursor, image::Image &image, TextTables &tables);

} // namespace kiln::sim

#endif // KILN_SIM_ASM_PROGRAMPARSER_H
