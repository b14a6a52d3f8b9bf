//===- MapGrid.cpp - programs of the grid to physical cores ----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   …tile.program_id 0…      ->   scf.for %p = core_index to total step core_count · U {
//                                   …the kernel with program %p, and with %p + core_count, …
//                                 } {npu.persistent}
//
// Core c runs programs c, c + cores, c + 2 cores, …, U of them in one iteration. Programs have no
// order among themselves, so the loads of all U come first as far as each program's own memory
// order allows; what is the same for all of them is loaded and computed once. A program beyond the
// last moves nothing: its loads and stores get empty bounds. Kernels with control flow or other
// accesses run one program per iteration (or, if asked for more, each further one in a branch).
//
//===-----------------------------------------------------------------------------------------===//

#include "../ChipOption.h"
#include "../Tiles.h"
#include "Programs.h"

#include "kiln/Analysis/MemoryOrder.h"
#include "kiln/Dialect/Npu/IR/Npu.h"
#include "kiln/Target/Npu/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_MAPGRIDPASS
#include "kiln/Target/Npu/Passes.h.inc"

namespace {

/// Builds the loop around the body of a kernel.
class GridLoop {
public:
  GridLoop(func::FuncOp function, const ProgramShape &shape, int64_t unroll)
      : b(function.getLoc(), function.getContext()), function(function), shape(shape),
        unroll(unroll) {}

  void build() {
    Block &entry = function.getBody().front();
    SmallVector<Operation *> body = shape.ops;
    b.setInsertionPoint(body.empty() ? entry.getTerminator() : body.front());
    cores = CoreCountOp::create(b, b.getIndexType());
    total = Value();
    for (int axis = 0; axis != 3; ++axis) {
      Value count = tile::NumProgramsOp::create(b, axis);
      counts[axis] = arith::IndexCastOp::create(b, b.getIndexType(), count);
      total = total ? Value(arith::MulIOp::create(b, total, counts[axis])) : counts[axis];
    }
    Value step = cores;
    if (unroll > 1)
      step = arith::MulIOp::create(b, cores, arith::ConstantIndexOp::create(b, unroll));
    auto loop = scf::ForOp::create(b, CoreIndexOp::create(b, b.getIndexType()), total, step);
    loop->setAttr(kPersistentAttr, b.getUnitAttr());
    for (Operation *op : body)
      op->moveBefore(loop.getBody()->getTerminator());
    fill(loop, body);
    function->setAttr("npu.programs_per_iteration", b.getI64IntegerAttr(unroll));
  }

private:
  /// A program of the iteration: the values that its copy of the body starts from.
  struct Copy {
    Value number, isActive; ///< not active: the number is beyond the last program's
    IRMapping map;
    Value ids[3];
  };

  void fill(scf::ForOp loop, ArrayRef<Operation *> body) {
    Operation *end = loop.getBody()->getTerminator();
    SmallVector<Copy> copies(unroll);
    b.setInsertionPointToStart(loop.getBody());
    for (auto [k, copy] : llvm::enumerate(copies)) {
      copy.number = loop.getInductionVar();
      if (k == 0)
        continue;
      Value ahead = cores;
      if (k > 1)
        ahead = arith::MulIOp::create(b, cores, arith::ConstantIndexOp::create(b, int64_t(k)));
      copy.number = arith::AddIOp::create(b, copy.number, ahead);
      copy.isActive = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, copy.number, total);
    }
    b.setInsertionPoint(end);
    if (!shape.isStraight)
      return fillBranches(body, copies);
    for (bool early : {true, false})
      for (auto [k, copy] : llvm::enumerate(copies))
        for (Operation *op : body)
          if (shape.early.contains(op) == early)
            place(op, copy, copies[0], int64_t(k));
    for (Operation *op : llvm::reverse(body))
      op->erase();
  }

  /// Every copy is a clone; program ids become numbers.
  void place(Operation *op, Copy &copy, Copy &first, int64_t k) {
    bool isFirst = k == 0;
    if (!isFirst && shape.shared.contains(op)) {
      for (Value result : op->getResults())
        copy.map.map(result, first.map.lookup(result));
      return;
    }
    if (auto id = dyn_cast<tile::ProgramIdOp>(op)) {
      copy.map.map(id.getResult(), programId(copy, id.getAxis()));
      return;
    }
    Operation *made = b.clone(*op, copy.map);
    if (unroll > 1 && MemoryOrder::isAccess(made))
      made->setAttr(kProgramAttr, b.getI64IntegerAttr(k));
    if (isFirst)
      return;
    if (auto load = dyn_cast<tile::LoadOp>(made))
      touchOnlyIf(b, load, copy.isActive);
    if (auto store = dyn_cast<tile::StoreOp>(made))
      touchOnlyIf(b, store, copy.isActive);
  }

  void fillBranches(ArrayRef<Operation *> body, MutableArrayRef<Copy> copies) {
    Operation *end = b.getInsertionBlock()->getTerminator();
    for (Copy &copy : copies.drop_front()) {
      auto branch = scf::IfOp::create(b, copy.isActive, /*withElseRegion=*/false);
      b.setInsertionPoint(branch.thenBlock()->getTerminator());
      for (Operation *op : body)
        b.clone(*op, copy.map);
      branch.walk([&](tile::ProgramIdOp id) { replaceId(id, copy); });
      b.setInsertionPoint(end);
    }
    for (Operation *op : body)
      if (auto id = dyn_cast<tile::ProgramIdOp>(op))
        replaceId(id, copies[0]);
      else
        op->walk([&](tile::ProgramIdOp inner) { replaceId(inner, copies[0]); });
  }

  void replaceId(tile::ProgramIdOp id, Copy &copy) {
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPoint(id);
    Copy here{copy.number, {}, {}, {}};
    id.replaceAllUsesWith(programId(here, id.getAxis()));
    id.erase();
  }

  /// The axis' part of a linear number: the first axis counts fastest.
  Value programId(Copy &copy, int axis) {
    if (copy.ids[axis])
      return copy.ids[axis];
    Value rest = copy.number;
    for (int before = 0; before != axis; ++before)
      rest = arith::DivUIOp::create(b, rest, counts[before]);
    if (axis != 2)
      rest = arith::RemUIOp::create(b, rest, counts[axis]);
    return copy.ids[axis] = arith::IndexCastOp::create(b, b.getI32Type(), rest);
  }

  ImplicitLocOpBuilder b;
  func::FuncOp function;
  const ProgramShape &shape;
  int64_t unroll;
  Value cores, total, counts[3];
};

struct MapGridPass : impl::MapGridPassBase<MapGridPass> {
  using MapGridPassBase::MapGridPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto machine = machineOf(chip, function);
    if (!machine)
      return signalPassFailure();
    if (!function.getBody().hasOneBlock()) {
      function.emitError("found a kernel of several blocks, expected structured control flow");
      return signalPassFailure();
    }
    if (perIteration < 0) {
      function.emitError("option 'per-iteration' is ") << perIteration << ", expected 0 or more";
      return signalPassFailure();
    }
    // The author's flags say what a program needs; what the one before left under way is not their
    // business, and no flag orders them behind those of the same id there.
    bool hasFlags = function->hasAttr(kAuthorSyncAttr);
    function.walk([&](Operation *op) { hasFlags |= isa<SetOp, WaitOp>(op); });
    if (hasFlags) {
      OpBuilder builder(function.front().getTerminator());
      BarrierOp::create(builder, function.getLoc(), PipeAttr(),
                        builder.getStringAttr("the next program of this core begins"));
    }
    ProgramShape shape = shapeOf(function);
    GridLoop(function, shape, perIteration ? int64_t(perIteration) : chooseUnroll(shape, *machine))
        .build();
  }
};

} // namespace
} // namespace kiln::npu
