//===- MachineFile.h - chip files ------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// A chip is a JSON file. Each number in it is a constant with its origin:
//   {"value": 1.85, "provenance": "published", "source": "pto"}
// `provenance` is published, fitted, assumed or derived; `source` begins with the tags of its
// sources (docs/design/npu-machine.md); `range`, [lowest, highest], is required of numbers that are
// assumed. The reader refuses what it does not know, what is missing and what cannot be true, with
// the place in the file. Nothing here throws.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_MACHINE_MACHINEFILE_H
#define KILN_MACHINE_MACHINEFILE_H

#include "machine/Machine.h"
#include "runtime/base/Result.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace kiln::machine {

/// The version of chip files that this reader reads: their `schema`.
inline constexpr unsigned machineSchema = 1;

using MachineRef = std::shared_ptr<const Machine>;

/// Reads the text of a chip file. `place` names the file in errors.
Result<Machine> parseMachine(std::string_view text, std::string_view place);

/// Reads a chip file of at most 1 MiB.
Result<Machine> loadMachine(const std::string &path);

/// The text of a chip file with another value for the number at `path` (that of a Constant). Its
/// range goes, so any value may be tried: for sweeps and experiments. The provenance of the number
/// becomes "assumed" with the value itself as range.
Result<std::string> editMachineText(std::string_view text, std::string_view path, double value);

/// A chip whose file is built into this library.
struct StockMachine {
  std::string_view name;
  std::string_view text;
};

std::span<const StockMachine> stockMachines();

/// A built-in chip by its name ("ascend910b"), read once per process.
Result<MachineRef> stockMachine(std::string_view name);

/// `name` is that of a built-in chip, or of the file `name`.json in `folder` (which goes first if
/// it has one; empty: built-in chips only), or the path of a chip file ending in ".json".
Result<MachineRef> findMachine(std::string_view name, const std::string &folder = {});

} // namespace kiln::machine

#endif // KILN_MACHINE_MACHINEFILE_H
