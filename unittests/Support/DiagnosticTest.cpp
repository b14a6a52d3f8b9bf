//===- DiagnosticTest.cpp - rendering of messages ----------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "kiln/Support/Diagnostic.h"

#include <gtest/gtest.h>

using namespace kiln;

TEST(Diagnostic, QuotesTheLineWithACaret) {
  DiagnosticEngine engine;
  engine.addSource("add.py", 13, {"def add(p):", "    x = tl_load(p)"});
  Diagnostic &diagnostic = engine.error({"add.py", 14, 9, 16}, "undefined name 'tl_load'");
  EXPECT_EQ(engine.render(diagnostic), "add.py:14:9: error: undefined name 'tl_load'\n"
                                       "  14 |     x = tl_load(p)\n"
                                       "     |         ^~~~~~~");
  EXPECT_EQ(engine.errorCount(), 1u);
}

TEST(Diagnostic, NotesFollow) {
  DiagnosticEngine engine;
  engine.addSource("a.py", 1, {"x = 1", "x = 2.5"});
  engine.error({"a.py", 2, 1, 0}, "changes its type").note("first value", {"a.py", 1, 1, 2});
  EXPECT_EQ(engine.renderAll(), "a.py:2:1: error: changes its type\n"
                                "  2 | x = 2.5\n"
                                "    | ^\n"
                                "a.py:1:1: note: first value\n"
                                "  1 | x = 1\n"
                                "    | ^");
}

TEST(Diagnostic, CaretsCountCharactersAndKeepTabs) {
  DiagnosticEngine engine;
  // Two bytes for the letter: the caret still stands under `y`.
  engine.addSource("u.py", 1, {"\t'\xC3\xA4' + y"});
  EXPECT_EQ(engine.renderLine(Severity::Error, {"u.py", 1, 9, 10}, "m"),
            "u.py:1:9: error: m\n  1 | \t'\xC3\xA4' + y\n    | \t      ^");
}

TEST(Diagnostic, UnknownPlacesAreLeftOut) {
  DiagnosticEngine engine;
  EXPECT_EQ(engine.renderLine(Severity::Warning, {}, "m"), "warning: m");
  EXPECT_EQ(engine.renderLine(Severity::Remark, {"f.py", 3, 0, 0}, "m"), "f.py:3: remark: m");
  // A column past the line's end quotes the line without a caret.
  engine.addSource("f.py", 3, {"ab"});
  EXPECT_EQ(engine.renderLine(Severity::Error, {"f.py", 3, 90, 99}, "m"),
            "f.py:3:90: error: m\n  3 | ab");
}
