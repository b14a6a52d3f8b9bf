//===- Run.cpp - what kiln-sim does -------------------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Run.h"

#include "Arguments.h"
#include "image/File.h"
#include "image/Structure.h"
#include "image/Verify.h"
#include "machine/MachineFile.h"
#include "runtime/base/File.h"
#include "sim/asm/Assembly.h"

namespace kiln {
namespace {

/// An image from a file of either form.
Result<image::Image> readImage(const std::string &path) {
  Result<std::string> bytes = readFile(path, image::maxFileBytes);
  if (!bytes)
    return bytes.takeError();
  constexpr std::string_view binaryEnding = ".npo";
  bool isBinary = image::isImage(*bytes) || path.ends_with(binaryEnding);
  return isBinary ? image::parse(*bytes, path) : sim::assemble(*bytes, path);
}

Result<machine::MachineRef> findChip(const CommandLine &line, const image::Image &image) {
  if (!line.chip.empty())
    return machine::findMachine(line.chip);
  if (image.chip.empty())
    return makeError(ErrorKind::Invalid, line.input, "an image for no chip", "--chip NAME");
  return machine::findMachine(image.chip);
}

Result<void> writeResults(const CommandLine &line, const Arguments &arguments) {
  for (const auto &[parameter, path] : line.results)
    if (Result<void> written = writeFile(path, serializeNpy(*arguments.array(parameter))); !written)
      return written;
  return {};
}

Result<Output> run(const CommandLine &line, const image::Image &image) {
  Result<machine::MachineRef> chip = findChip(line, image);
  if (!chip)
    return chip.takeError();
  if (Result<void> legal = image::checkAgainst(image, **chip); !legal)
    return legal.takeError();
  Result<Arguments> arguments = Arguments::read(image, line.arguments);
  if (!arguments)
    return arguments.takeError();
  for (const auto &[parameter, path] : line.results)
    if (!arguments->array(parameter))
      return makeError(ErrorKind::Invalid, "--out", "parameter " + std::to_string(parameter),
                       "the number of a pointer, from 0");
  Result<sim::Report> report =
      sim::simulate(image, **chip, arguments->bindings(), line.grid, line.options);
  if (!report)
    return report.takeError();
  if (Result<void> written = writeResults(line, *arguments); !written)
    return written.takeError();
  if (!line.tracePath.empty())
    if (Result<void> written = writeFile(line.tracePath, sim::perfettoTrace(*report, image));
        !written)
      return written.takeError();

  Output output;
  output.text = line.json ? sim::reportJson(*report, image) : sim::reportText(*report, image);
  if (!output.text.ends_with("\n"))
    output.text += "\n";
  for (const sim::Finding &finding : report->findings)
    output.complaints += sim::render(finding, image) + "\n";
  if (report->moreFindings)
    output.complaints += std::to_string(report->moreFindings) + " more findings\n";
  output.hasFindings = !report->findings.empty();
  return output;
}

} // namespace

Result<Output> perform(const CommandLine &line) {
  if (line.action == Action::Help)
    return Output{std::string(usage()), {}, false};
  Result<image::Image> image = readImage(line.input);
  if (!image)
    return image.takeError();
  if (line.action == Action::Run)
    return run(line, *image);
  Result<void> done;
  if (line.action == Action::Assemble)
    done = image::save(*image, line.output);
  else if (line.output.empty())
    return Output{sim::disassemble(*image), {}, false};
  else
    done = writeFile(line.output, sim::disassemble(*image));
  if (!done)
    return done.takeError();
  return Output{};
}

} // namespace kiln
