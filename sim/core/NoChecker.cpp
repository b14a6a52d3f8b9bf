//===- NoChecker.cpp - runs without checks ---------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A checker that finds nothing, where the library is built without sim/check: any definition there
// replaces these.
//
//===-----------------------------------------------------------------------------------------===//

#include "sim/check/Checker.h"

#define KILN_WEAK __attribute__((weak))

namespace kiln::sim {

struct Checker::State {};

KILN_WEAK Checker::Checker(const image::Image &, const machine::Machine &, unsigned, unsigned,
                           std::function<void(Finding)>) {}
KILN_WEAK Checker::~Checker() {}
KILN_WEAK void Checker::issue(CoreId, machine::Pipe) {}
KILN_WEAK void Checker::execute(CoreId, const Place &, std::span<const Touch>) {}
KILN_WEAK void Checker::set(CoreId, const Place &, machine::Pipe, machine::Pipe, int64_t) {}
KILN_WEAK void Checker::wait(CoreId, const Place &, machine::Pipe, machine::Pipe, int64_t) {}
KILN_WEAK void Checker::barrier(CoreId, const Place &, machine::Pipe) {}
KILN_WEAK void Checker::barrierAll(CoreId, const Place &) {}
KILN_WEAK void Checker::crossSet(CoreId, const Place &, machine::Pipe, machine::CrossMode,
                                 int64_t) {}
KILN_WEAK void Checker::crossWait(CoreId, const Place &, machine::Pipe, machine::CrossMode,
                                  int64_t) {}
KILN_WEAK void Checker::syncArrive(CoreId, const Place &) {}
KILN_WEAK void Checker::syncLeave(CoreId, const Place &) {}
KILN_WEAK void Checker::finish(CoreId) {}

} // namespace kiln::sim
