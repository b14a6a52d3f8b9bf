//===- Pipeline.h - the passes of a compilation, in order ------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_DRIVER_PIPELINE_H
#define KILN_LIB_DRIVER_PIPELINE_H

#include "Request.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace kiln::driver {

enum class Stage { Tile, Linalg, Npu, Llvm };

/// One pass, or the end of a stage (`pass` is null).
struct Step {
  Stage stage;
  std::unique_ptr<mlir::Pass> pass;
};

/// The steps from the front end's module to the LLVM or npu dialect, as the request wants them;
/// steps after the last stage that is asked for are left out.
std::vector<Step> buildPipeline(const Request &request);

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_PIPELINE_H
