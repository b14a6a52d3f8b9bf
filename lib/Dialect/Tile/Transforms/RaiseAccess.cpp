//===- RaiseAccess.cpp - turn pointer arithmetic and masks into views with bounds ------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Front ends compute a pointer per lane; targets want to know the shape of what is accessed. The
// address of every access, and its mask, is written as an affine function of the lane
// (LaneAffine.h). That gives a view (base, offset, strides, wrap-around) and bounds:
//
//   %offs = pid * 128 + iota                         %v = tile.view %x[%pid128] strides [1]
//   %p = tile.addptr splat(%x), %offs          →     %r = tile.load %v valid [0] to [%n - %pid128]
//   %r = tile.ptr_load %p mask %offs < %n
//
// An address that is not affine becomes tile.gather or tile.scatter on one scalar base. Before
// that, what is the same in all lanes moves to scalars (RaiseAccessUniform.cpp), and loops carry
// scalars instead of pointers (RaiseAccessCarried.cpp). Afterwards no tensor of pointers is left,
// or there is an error.
//
//===-----------------------------------------------------------------------------------------===//

#include "RaiseAccess.h"
#include "AccessExplain.h"
#include "kiln/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

namespace kiln::tile {
#define GEN_PASS_DEF_RAISEACCESSPASS
#include "kiln/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace kiln::tile

static bool isPtrTensor(Type type) { return isPtrLike(type) && isa<RankedTensorType>(type); }

namespace {
/// Rewrites the accesses of one function. New ops only, so that the analysis tables stay valid; the
/// dead pointer arithmetic is erased at the end.
class AccessRaiser {
public:
  AccessRaiser(func::FuncOp function, bool explain)
      : function(function), explain(explain), emitter(scalars), indexed(lanes, emitter) {}

  LogicalResult run();

private:
  LogicalResult raise(PtrLoadOp load);
  LogicalResult raise(PtrStoreOp store);
  LogicalResult raise(PtrToIntOp cast);
  /// Base and offsets of a gather or scatter.
  FailureOr<std::pair<Value, Value>> gatherAddress(OpBuilder &builder, Operation *op,
                                                   Value pointers);
  Value padOf(OpBuilder &builder, PtrLoadOp load, bool masked);

  func::FuncOp function;
  bool explain;
  LaneAffines lanes;
  LinearExprEmitter scalars;
  AccessEmitter emitter;
  IndexedPointers indexed;
};
} // namespace

/// The value that masked-off lanes get: a scalar where all lanes agree; null where no lane can be
/// off.
Value AccessRaiser::padOf(OpBuilder &builder, PtrLoadOp load, bool masked) {
  Value other = load.getOther();
  if (!other || !masked)
    return {};
  if (auto splat = other.getDefiningOp<tensor::SplatOp>())
    return splat.getInput();
  DenseElementsAttr constant;
  if (matchPattern(other, m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(builder, other.getLoc(), constant.getSplatValue<TypedAttr>());
  return other;
}

FailureOr<std::pair<Value, Value>> AccessRaiser::gatherAddress(OpBuilder &builder, Operation *op,
                                                               Value pointers) {
  FailureOr<IndexedPointers::Indexed> form = indexed.get(pointers);
  if (failed(form))
    return failure();
  if (!form->offsets)
    form = indexed.getMaterialized(pointers);
  if (failed(form))
    return failure();
  Value base = form->base;
  if (!form->scalar.isConstant(0))
    base = AddPtrOp::create(builder, op->getLoc(), base,
                            scalars.emit(builder, op->getLoc(), form->scalar));
  return std::pair(base, form->offsets);
}

LogicalResult AccessRaiser::raise(PtrLoadOp load) {
  auto type = dyn_cast<RankedTensorType>(load.getResult().getType());
  if (!type)
    return success();
  OpBuilder builder(load);
  Location loc = load.getLoc();
  Value result;
  if (const LaneAffine *address = lanes.get(load.getPtr())) {
    LaneMask mask = simplifyMask(lanes.getMask(load.getMask()), type.getShape(), lanes.getFacts());
    EmittedMask emitted = emitter.emitMask(builder, loc, mask, type.getShape());
    Value pad = padOf(builder, load, !emitted.upper.empty() || emitted.residual);
    auto view = emitter.emitView(builder, loc, *address,
                                 ViewType::get(type.getShape(), type.getElementType()));
    result = LoadOp::create(builder, loc, type, view, emitted.lower, emitted.upper,
                            emitted.residual, pad, load.getIsVolatile());
    if (explain)
      explainAffine(load, type, *address, mask, lanes.getFacts());
  } else {
    auto place = gatherAddress(builder, load, load.getPtr());
    if (failed(place))
      return failure();
    Value pad = padOf(builder, load, bool(load.getMask()));
    result = GatherOp::create(builder, loc, type, place->first, place->second, load.getMask(), pad,
                              load.getIsVolatile());
    explainIndexed(load, type, lanes.whyNot(load.getPtr()));
  }
  load.getResult().replaceAllUsesWith(result);
  load.erase();
  return success();
}

LogicalResult AccessRaiser::raise(PtrStoreOp store) {
  auto type = dyn_cast<RankedTensorType>(store.getValue().getType());
  if (!type)
    return success();
  OpBuilder builder(store);
  Location loc = store.getLoc();
  if (const LaneAffine *address = lanes.get(store.getPtr())) {
    LaneMask mask = simplifyMask(lanes.getMask(store.getMask()), type.getShape(), lanes.getFacts());
    EmittedMask emitted = emitter.emitMask(builder, loc, mask, type.getShape());
    auto view = emitter.emitView(builder, loc, *address,
                                 ViewType::get(type.getShape(), type.getElementType()));
    StoreOp::create(builder, loc, view, store.getValue(), emitted.lower, emitted.upper,
                    emitted.residual);
    if (explain)
      explainAffine(store, type, *address, mask, lanes.getFacts());
  } else {
    auto place = gatherAddress(builder, store, store.getPtr());
    if (failed(place))
      return failure();
    ScatterOp::create(builder, loc, place->first, place->second, store.getValue(), store.getMask());
    explainIndexed(store, type, lanes.whyNot(store.getPtr()));
  }
  store.erase();
  return success();
}

/// Addresses as numbers: computed without the tensor of pointers.
LogicalResult AccessRaiser::raise(PtrToIntOp cast) {
  if (!isPtrTensor(cast.getPtr().getType()))
    return success();
  FailureOr<Value> addresses = indexed.getAddresses(cast.getPtr());
  if (failed(addresses))
    return failure();
  OpBuilder builder(cast);
  Value result = *addresses; // emitted next to the pointers, so before the cast
  if (result.getType() != cast.getType())
    result = arith::TruncIOp::create(builder, cast.getLoc(), cast.getType(), result);
  cast.getResult().replaceAllUsesWith(result);
  cast.erase();
  return success();
}

LogicalResult AccessRaiser::run() {
  SmallVector<Operation *> accesses;
  function.walk([&](Operation *op) {
    if (isa<PtrLoadOp, PtrStoreOp, PtrToIntOp>(op))
      accesses.push_back(op);
  });
  bool failed = false;
  for (Operation *op : accesses) {
    if (auto load = dyn_cast<PtrLoadOp>(op))
      failed |= mlir::failed(raise(load));
    else if (auto store = dyn_cast<PtrStoreOp>(op))
      failed |= mlir::failed(raise(store));
    else
      failed |= mlir::failed(raise(cast<PtrToIntOp>(op)));
  }
  return failure(failed);
}

/// Erases what only computed addresses, users first.
static void eraseDeadOps(func::FuncOp function) {
  function.walk<WalkOrder::PostOrder, mlir::ReverseIterator>([&](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

/// The post-condition, operation by operation.
static LogicalResult checkNoPointerTensors(func::FuncOp function) {
  bool found = false;
  function.walk([&](Operation *op) {
    auto isPointers = [](Value value) { return isPtrTensor(value.getType()); };
    bool here = llvm::any_of(op->getResults(), isPointers) ||
                (op->getNumResults() == 0 && llvm::any_of(op->getOperands(), isPointers));
    if (!here)
      return;
    found = true;
    op->emitError() << "a tensor of pointers is left that no load or store explains ("
                    << op->getName() << "): this use is not there yet";
  });
  return failure(found);
}

namespace {
struct RaiseAccessPass : kiln::tile::impl::RaiseAccessPassBase<RaiseAccessPass> {
  using RaiseAccessPassBase::RaiseAccessPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    hoistUniformValues(function);
    if (failed(splitCarriedPointers(function)) || failed(AccessRaiser(function, explain).run()))
      return signalPassFailure();
    eraseDeadOps(function);
    if (failed(checkNoPointerTensors(function)))
      signalPassFailure();
  }
};
} // namespace
