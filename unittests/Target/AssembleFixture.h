//===- AssembleFixture.h - assembles npu functions and runs them ------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_UNITTESTS_TARGET_ASSEMBLEFIXTURE_H
#define KILN_UNITTESTS_TARGET_ASSEMBLEFIXTURE_H

#include "kiln/Dialect/Npu/IR/Npu.h"
#include "kiln/Target/Npu/Assemble.h"
#include "machine/MachineFile.h"
#include "sim/Simulator.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace kiln {

class AssembleTest : public testing::Test {
protected:
  AssembleTest() {
    context.loadDialect<mlir::func::FuncDialect, npu::NpuDialect, mlir::scf::SCFDialect>();
    machine = machine::stockMachine("ascend910b").value();
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text) {
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    return module;
  }

  /// Runs the first function on one core; the report has no findings.
  void run(mlir::ModuleOp module, std::span<const sim::Binding> bindings, sim::Grid grid = {}) {
    auto function = *module.getOps<mlir::func::FuncOp>().begin();
    mlir::FailureOr<image::Image> image = npu::assemble(function, *machine);
    ASSERT_TRUE(mlir::succeeded(image));
    sim::Options options;
    options.mode = sim::Mode::Functional;
    auto report = sim::simulate(*image, *machine, bindings, grid, options);
    ASSERT_TRUE(report.ok()) << report.error().message();
    for (const sim::Finding &finding : report->findings)
      ADD_FAILURE() << sim::render(finding, *image);
  }

  static sim::Binding memory(std::vector<uint64_t> &words) {
    return {.data = reinterpret_cast<std::byte *>(words.data()), .bytes = words.size() * 8};
  }
  static sim::Binding scalar(uint64_t value) { return {.scalar = value}; }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  machine::MachineRef machine;
};

} // namespace kiln

#endif // KILN_UNITTESTS_TARGET_ASSEMBLEFIXTURE_H
