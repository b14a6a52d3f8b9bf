//===- Lowering.cpp - operations in program order --------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Lowering.h"

#include "Elementwise.h"
#include "Reduce.h"
#include "Transfers.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using bufferization::MaterializeInDestinationOp;

namespace kiln::npu::lower {

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

LogicalResult Lowering::run() {
  if (failed(lowerBlock(function.front())))
    return failure();
  for (Operation *op : llvm::reverse(done))
    op->erase();
  function.walk([](tile::ViewOp view) {
    if (view->use_empty())
      view.erase();
  });
  return success();
}

LogicalResult Lowering::lowerBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    Operation *next = op.getNextNode();
    if (failed(lower(&op)))
      return failure();
    if (std::exchange(stopsBehind, false)) {
      emitter.builder.setInsertionPoint(next);
      stop("the scalar unit did what stands before");
    }
  }
  return success();
}

LogicalResult Lowering::lower(Operation *op) {
  emitter.loc = op->getLoc();
  emitter.builder.setInsertionPoint(op);
  if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op)) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(lowerBlock(block)))
          return failure();
    return success();
  }
  if (auto load = dyn_cast<tile::PtrLoadOp>(op))
    return lowerScalarLoad(load);
  if (auto store = dyn_cast<tile::PtrStoreOp>(op))
    return lowerScalarStore(store);
  if (llvm::none_of(op->getOperands(), isTensor) && llvm::none_of(op->getResults(), isTensor) &&
      !isa<tile::LoadOp>(op))
    return success();

  done.push_back(op);
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](bufferization::ToTensorOp named) {
        values[named.getResult()] = readableRegion(named, emitter.viewOf(named.getBuffer()));
        return success();
      })
      .Case([&](MaterializeInDestinationOp copy) {
        if (!bound.contains(copy))
          lowerCopy(copy);
        return success();
      })
      .Case([&](tile::LoadOp load) { return lowerLoad(load); })
      .Case([&](tile::StoreOp store) { return lowerStore(store); })
      .Case<tile::GatherOp, tile::ScatterOp>([&](Operation *indexed) {
        lowerIndexed(indexed);
        return success();
      })
      .Case([&](tile::ReduceOp reduce) { return lowerReduce(reduce); })
      .Case([&](tile::IotaOp iota) {
        lowerIota(iota);
        return success();
      })
      .Case([&](arith::ConstantOp constant) {
        lowerConstant(constant);
        return success();
      })
      .Case([&](tensor::SplatOp splat) {
        values[splat.getResult()] = splat.getInput();
        return success();
      })
      .Case([&](tile::HintOp hint) {
        values[hint.getResult()] = operandOf(hint.getInput());
        return success();
      })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>([&](Operation *reshape) {
        values[reshape->getResult(0)] =
            reshaped(reshape->getOperand(0), tensorOf(reshape->getResult(0)));
        return success();
      })
      .Case([&](linalg::BroadcastOp broadcast) {
        values[broadcast->getResult(0)] = broadcastView(broadcast);
        return success();
      })
      .Case([&](linalg::TransposeOp transpose) {
        lowerTranspose(transpose);
        return success();
      })
      .Case([&](tensor::EmptyOp empty) {
        // Content that nobody has written, unless it only says where an operation writes.
        bool isRead = llvm::any_of(empty->getUses(), [](OpOperand &use) {
          auto writer = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
          return !writer || !writer.isDpsInit(&use);
        });
        if (isRead)
          destination(empty.getResult());
        return success();
      })
      .Case([&](tensor::ExtractOp extract) {
        lowerExtract(extract);
        return success();
      })
      .Case<tile::AssertOp, tile::PrintOp>([&](Operation *debug) {
        lowerDebug(debug);
        return success();
      })
      .Default([&](Operation *other) {
        if (OpTrait::hasElementwiseMappableTraits(other) && other->getNumResults() == 1) {
          lowerElementwise(other);
          return success();
        }
        return LogicalResult(other->emitOpError("has no form on a vector core"));
      });
}

//===-----------------------------------------------------------------------------------------===//
// Operands and destinations
//===-----------------------------------------------------------------------------------------===//

Operand Lowering::operandOf(Value value) const {
  if (!isTensor(value))
    return value;
  auto found = values.find(value);
  assert(found != values.end() && "operands are visited before their users");
  return found->second;
}

View Lowering::destination(Value result) {
  View view;
  for (Operation *next = result.getDefiningOp()->getNextNode();
       auto bind = dyn_cast_or_null<MaterializeInDestinationOp>(next); next = next->getNextNode())
    if (bind.getSource() == result && !view) {
      bound.insert(bind);
      view = emitter.viewOf(bind.getDest());
    }
  RankedTensorType type = tensorOf(result);
  if (!view)
    view = emitter.temporary(type.getShape(), type.getElementType());
  values[result] = view;
  return view;
}

View Lowering::apart(const View &dst, ArrayRef<Operand> operands) {
  bool isFree = llvm::none_of(
      operands, [&](const Operand &operand) { return Emitter::clash(operand.view, dst); });
  return isFree ? dst : emitter.temporary(dst.sizes, dst.element);
}

//===-----------------------------------------------------------------------------------------===//
// Values
//===-----------------------------------------------------------------------------------------===//

void Lowering::lowerIota(tile::IotaOp iota) {
  View dst = destination(iota.getResult());
  std::optional<machine::Element> element = elementOf(dst.element);
  if (element && emitter.machine.supports(machine::Opcode::VIota, *element)) {
    Value start = emitter.constant(dst.element, double(iota.getStart()));
    emitter.forEachPiece({dst}, [&](ValueRange part) {
      VIotaOp::create(emitter.builder, emitter.loc, start, part[0]);
    });
    return;
  }
  slowPath(iota, "the vector unit does not count in this type");
  forEachLane(emitter, dst.sizes, {}, {}, [&](ValueRange, Value place) {
    OpBuilder &builder = emitter.builder;
    Value value =
        arith::AddIOp::create(builder, emitter.loc, place, emitter.index(iota.getStart()));
    if (!dst.element.isIndex())
      value = arith::IndexCastOp::create(builder, emitter.loc, dst.element, value);
    SStoreOp::create(builder, emitter.loc, value, emitter.row(dst), place);
  });
}

void Lowering::lowerConstant(arith::ConstantOp constant) {
  auto values = cast<DenseElementsAttr>(constant.getValue());
  Type element = values.getElementType();
  if (auto splat = dyn_cast<SplatElementsAttr>(values)) {
    TypedAttr value = splat.getSplatValue<TypedAttr>();
    this->values[constant.getResult()] =
        Value(arith::ConstantOp::create(emitter.builder, emitter.loc, value));
    return;
  }
  View dst = destination(constant.getResult());
  slowPath(constant, "the elements of a constant are written one by one");
  Value row = emitter.row(dst);
  TileLayout layout = emitter.rule.of(dst.sizes);
  for (auto [number, value] : llvm::enumerate(values.getValues<TypedAttr>())) {
    int64_t place = 0, rest = number;
    for (int64_t dim = int64_t(dst.sizes.size()) - 1; dim >= 0; --dim) {
      place += rest % dst.sizes[dim] * layout.strides[dim];
      rest /= dst.sizes[dim];
    }
    Value scalar = arith::ConstantOp::create(emitter.builder, emitter.loc, element, value);
    SStoreOp::create(emitter.builder, emitter.loc, scalar, row, emitter.index(place));
  }
}

void Lowering::lowerElementwise(Operation *op) {
  View dst = destination(op->getResult(0));
  SmallVector<Operand> operands =
      llvm::map_to_vector(op->getOperands(), [&](Value value) { return operandOf(value); });
  View target = apart(dst, operands);
  if (!emitElementwise(emitter, op, operands, target)) {
    slowPath(op, "the vector unit has no such operation on these types");
    lowerByElement(op, operands, target);
  }
  if (target.buffer != dst.buffer)
    emitter.copy(target, dst);
}

//===-----------------------------------------------------------------------------------------===//
// Regions of buffers that the author named
//===-----------------------------------------------------------------------------------------===//

/// Why instructions cannot work on a region.
static StringRef obstacle(const View &view) {
  for (auto [size, stride] : llvm::reverse(llvm::zip(view.sizes, view.strides)))
    if (size != 1)
      return stride != 1 ? "neighbouring lanes are not neighbours in the buffer"
                         : "rows of the buffer do not begin at 32-byte blocks";
  return "the element does not begin a 32-byte block";
}

/// What a buffer holds, as instructions can read it: rows that begin anywhere go to a tile.
View Lowering::readableRegion(bufferization::ToTensorOp named, View view) {
  if (view.isTile() || emitter.hasAlignedRows(view))
    return view;
  slowPath(named, obstacle(view));
  View tile = emitter.temporary(view.sizes, view.element);
  copyByElement(emitter, view, tile);
  return tile;
}

void Lowering::lowerCopy(MaterializeInDestinationOp copy) {
  Operand from = operandOf(copy.getSource());
  View to = emitter.viewOf(copy.getDest());
  if (to.isTile() || emitter.hasAlignedRows(to)) {
    // Where the two share bytes, and not lane by lane, all is read before any is written.
    if (!from.isScalar() && Emitter::clash(from.view, to)) {
      View apart = emitter.temporary(to.sizes, to.element);
      emitter.copy(from.view, apart);
      from = apart;
    }
    return emitter.put(from, to);
  }
  slowPath(copy, obstacle(to));
  if (!from.isScalar() && Emitter::clash(from.view, to)) {
    View apart = emitter.temporary(to.sizes, to.element);
    copyByElement(emitter, from, apart);
    from = apart;
  }
  copyByElement(emitter, from, to);
}

//===-----------------------------------------------------------------------------------------===//
// Shapes
//===-----------------------------------------------------------------------------------------===//

Operand Lowering::broadcastView(linalg::BroadcastOp broadcast) {
  Operand source = operandOf(broadcast.getInput());
  if (source.isScalar())
    return source;
  RankedTensorType type = tensorOf(broadcast->getResult(0));
  View view = source.view;
  view.sizes.assign(type.getShape().begin(), type.getShape().end());
  view.strides.assign(type.getRank(), 0);
  ArrayRef<int64_t> added = broadcast.getDimensions();
  size_t from = 0;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(added, dim))
      view.strides[dim] = source.view.strides[from++];
  return settled(source.view, view);
}

/// A view of the same lanes in another shape: a tile if it lies like one; spread over blocks if its
/// rows repeat a value.
View Lowering::settled(const View &source, View view) {
  TileLayout layout = emitter.rule.of(view.sizes);
  bool isTile = source.isTile() && layout.lanes == source.lanes;
  for (auto [dim, size] : llvm::enumerate(view.sizes))
    isTile &= size == 1 || view.strides[dim] == layout.strides[dim];
  view.lanes = isTile ? layout.lanes : 0;
  if (isTile)
    view.strides.assign(layout.strides.begin(), layout.strides.end());
  if (!isTile && !view.isMask())
    return emitter.readable(view);
  return view;
}

Operand Lowering::reshaped(Value from, RankedTensorType to) {
  Operand source = operandOf(from);
  if (source.isScalar())
    return source;
  View view = source.view;
  auto isReal = [](int64_t size) { return size != 1; };
  view.sizes.assign(to.getShape().begin(), to.getShape().end());
  view.strides.assign(to.getRank(), 1);
  if (llvm::equal(llvm::make_filter_range(source.view.sizes, isReal),
                  llvm::make_filter_range(to.getShape(), isReal))) {
    // Unit dimensions come and go.
    size_t next = 0;
    for (auto [dim, size] : llvm::enumerate(view.sizes)) {
      if (size == 1)
        continue;
      while (source.view.sizes[next] == 1)
        ++next;
      view.strides[dim] = source.view.strides[next++];
    }
    return settled(source.view, view);
  }
  // Without gaps the lanes of both shapes follow one another.
  TileLayout layout = emitter.rule.of(to.getShape());
  if (source.view.isTile() && source.view.lanes == source.view.count() &&
      layout.lanes == source.view.lanes) {
    view.strides.assign(layout.strides.begin(), layout.strides.end());
    view.rowLanes = layout.rowLanes;
    return view;
  }
  return reshapedByElement(source.view, to);
}

} // namespace kiln::npu::lower
