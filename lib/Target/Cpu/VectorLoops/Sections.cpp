//===- Sections.cpp - the loops of a leaf ----------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   lanes:   0 … start … mainEnd … end
//            edge   main    edge
//
// Main chunks are covered by every bound and need no masks. Lanes before and behind them are edges:
// masked chunks of the same width where the CPU has masks, else one lane at a time. `start` is 0
// unless a bound has a lower end or the stored array has to be brought to a cache line.
//
//===-----------------------------------------------------------------------------------------===//

#include "Emission.h"
#include "Reduction.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::cpu {

/// No chunk has more lanes: counts of lanes fit in a byte.
static constexpr int64_t kMaxLanes = 128;
static constexpr int64_t kCacheLine = 64;
/// Shorter rows are not worth an edge chunk in front.
static constexpr int64_t kAlignedExtent = 256;
static constexpr int64_t kShortExtent = 1024;

static unsigned bitsOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() ? 64 : element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
}

/// Does the view move by one element per lane of the axis?
static bool liesSideBySide(tile::ViewOp view, const Point &point, Axis axis) {
  int64_t stride = 0;
  for (auto [dim, mixed] : llvm::enumerate(view.getMixedStrides())) {
    if (point[dim] != axis)
      continue;
    std::optional<int64_t> constant = getConstantIntValue(mixed);
    if (!constant || llvm::is_contained(view.getWrapDims(), int64_t(dim)))
      return false;
    stride += *constant;
  }
  return stride == 1;
}

static tile::ViewOp viewOf(Operation *op) {
  if (auto load = dyn_cast_if_present<tile::LoadOp>(op))
    return load.getView().getDefiningOp<tile::ViewOp>();
  if (auto store = dyn_cast_if_present<tile::StoreOp>(op))
    return store.getView().getDefiningOp<tile::ViewOp>();
  return {};
}

int64_t LeafEmitter::chooseWidth() {
  unsigned widest = 8;
  auto look = [&](Operation *op) {
    for (Type type : op->getResultTypes())
      widest = std::max(widest, bitsOf(type));
  };
  auto lookAt = [&](Node &node) {
    for (Value result : node.results)
      widest = std::max(widest, bitsOf(result.getType()));
    for (Link &link : node.links)
      if (link.def)
        widest = std::max(widest, bitsOf(link.value.getType()));
    if (node.kind != NodeKind::Map || isKeptElsewhere(node))
      return;
    if (isa<linalg::LinalgOp>(node.op))
      node.op->getRegion(0).walk(look);
    else
      look(node.op);
  };
  for (Node *root : roots)
    lookAt(*root);
  for (auto &[value, point] : wanted)
    lookAt(*graph.definition(Value::getFromOpaquePointer(value)));

  // Partial results are chains of dependent additions: four hide their latency (two where constants
  // need the other registers). Without any, iterations overlap by themselves, and the narrower the
  // chunk, the fewer lanes are left to the edges, which short streamed rows feel most: their edges
  // go through the caches.
  int64_t registers = 2;
  if (context.options.vectorBits >= 512 &&
      llvm::any_of(roots, [&](Node *root) { return foldsLanes(*root); }))
    registers = 4;
  if (streams && extent < kShortExtent)
    registers = 1;
  registerLanes = context.options.vectorBits / widest;
  int64_t lanes = std::min(registerLanes * registers, kMaxLanes);
  int64_t fits = llvm::PowerOf2Ceil(extent);
  if (fits > extent && !context.options.maskedTails)
    fits /= 2;
  return std::max<int64_t>(1, std::min(lanes, fits));
}

/// Why the leaf can only run one lane at a time; empty if it need not.
StringRef LeafEmitter::scalarReason() {
  auto narrow = [](Node &node) {
    if (auto store = dyn_cast<tile::StoreOp>(node.op))
      return bitsOf(store.getValue().getType()) < 32;
    if (auto scatter = dyn_cast<tile::ScatterOp>(node.op))
      return bitsOf(scatter.getValue().getType()) < 32;
    return bitsOf(node.results[0].getType()) < 32;
  };
  auto scattered = [&](Node &node, const Point &point) {
    if (node.kind == NodeKind::Gather || node.kind == NodeKind::Scatter)
      return true;
    tile::ViewOp view = viewOf(node.op);
    return view && !liesSideBySide(view, point, axis);
  };
  auto masked = [](Node &node) {
    if (auto load = dyn_cast_if_present<tile::LoadOp>(node.op))
      return bool(load.getMask());
    if (auto store = dyn_cast_if_present<tile::StoreOp>(node.op))
      return bool(store.getMask());
    return false;
  };
  auto access = [&](Node &node, const Point &point) -> StringRef {
    if (!node.op || !narrow(node))
      return "";
    if (scattered(node, point))
      return "elements of less than 32 bits do not lie side by side";
    if (masked(node) && !context.options.maskedTails)
      return "the CPU has no masks for elements of less than 32 bits";
    return "";
  };
  for (Node *root : roots) {
    if (root->kind == NodeKind::Print)
      return "printing";
    if (root->kind == NodeKind::Reduce &&
        foldKindOf(cast<tile::ReduceOp>(root->op)) == FoldKind::Serial)
      return "the combine function has control flow";
    if (root->kind == NodeKind::Store || root->kind == NodeKind::Scatter)
      if (StringRef reason = access(*root, graph.axesOf(*root)); !reason.empty())
        return reason;
  }
  for (Read &read : reads)
    if (varies(read.node->results[0], read.point))
      if (StringRef reason = access(*read.node, read.point); !reason.empty())
        return reason;
  return "";
}

void LeafEmitter::emitChunk() {
  // With writes in the leaf, reads keep their place in program order.
  bool ordered = llvm::any_of(roots, [](Node *node) { return node->writesMemory(); });
  auto read = reads.begin();
  for (Node *root : roots) {
    for (; ordered && read != reads.end() && read->node->order < root->order; ++read)
      emit(read->node->results[0], read->point);
    emitRoot(*root);
  }
}

void LeafEmitter::section(Value from, Value to, const Chunk &form, bool exact) {
  Location loc = roots.front()->loc;
  SmallVector<Value *> states;
  for (auto &reduction : reductions) {
    for (Value &value : reduction->partial)
      states.push_back(&value);
    for (Value &value : reduction->result)
      states.push_back(&value);
    if (reduction->seen)
      states.push_back(&reduction->seen);
  }
  SmallVector<Value> inits;
  for (Value *state : states)
    inits.push_back(*state);
  current = &head;
  Value step = constantIndex(form.width);
  current = &builder;
  auto loop = scf::ForOp::create(builder, loc, from, to, step, inits);
  for (auto [state, argument] : llvm::zip(states, loop.getRegionIterArgs()))
    *state = argument;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    lanes.clear();
    splats.clear();
    chunk = form;
    chunk.first = loop.getInductionVar();
    if (!exact && chunk.width > 1)
      chunk.existing = lanesBelow(to, loc);
    emitChunk();
    SmallVector<Value> yields;
    for (Value *state : states)
      yields.push_back(*state);
    if (!yields.empty())
      scf::YieldOp::create(builder, loc, yields);
  }
  for (auto [state, result] : llvm::zip(states, loop.getResults()))
    *state = result;
}

/// Chooses the store whose chunks begin at cache lines: one that bypasses the caches has to, and
/// for others a store across two lines costs two. Which lanes are edges then depends on the
/// address, so that a leaf that folds floats has none.
void LeafEmitter::chooseAligned() {
  bool foldsFloats = llvm::any_of(roots, [](Node *root) {
    return root->kind == NodeKind::Reduce && llvm::any_of(root->results, [](Value result) {
             return isa<FloatType>(getElementTypeOrSelf(result.getType()));
           });
  });
  if (foldsFloats)
    return;
  bool pays = context.options.maskedTails && extent >= kAlignedExtent;
  for (Node *root : roots) {
    auto store = dyn_cast_if_present<tile::StoreOp>(root->op);
    auto view = store ? store.getView().getDefiningOp<tile::ViewOp>() : tile::ViewOp();
    if (!view || store.getMask() || !liesSideBySide(view, graph.axesOf(*root), axis))
      continue;
    streams = context.options.streaming && !context.readBases.contains(view.getBase());
    if (streams || (pays && !aligned))
      aligned = root;
    if (streams)
      return;
  }
}

/// Lanes to do from `start` on before the store reaches a cache line. If it never does: all of them
/// if it needs to, else none.
Value LeafEmitter::lanesToCacheLine(Value start) {
  Location loc = aligned->loc;
  OpBuilder *outer = current;
  current = &head;
  Type element = getElementTypeOrSelf(cast<tile::StoreOp>(aligned->op).getValue().getType());
  int64_t bytes = storageBytes(element);
  Type i64 = head.getI64Type();
  Value address =
      LLVM::PtrToIntOp::create(head, loc, i64, placeOfView(*aligned, graph.axesOf(*aligned)).first);
  Value offset = arith::IndexCastOp::create(head, loc, i64, start);
  offset = arith::MulIOp::create(head, loc, offset, constantInt(i64, bytes));
  address = arith::AddIOp::create(head, loc, address, offset);
  Value missing = arith::SubIOp::create(head, loc, constantInt(i64, 0), address);
  missing = arith::AndIOp::create(head, loc, missing, constantInt(i64, kCacheLine - 1));
  Value count = arith::DivUIOp::create(head, loc, missing, constantInt(i64, bytes));
  if (bytes > 1) {
    Value rest = arith::AndIOp::create(head, loc, missing, constantInt(i64, bytes - 1));
    Value whole =
        arith::CmpIOp::create(head, loc, arith::CmpIPredicate::eq, rest, constantInt(i64, 0));
    count =
        arith::SelectOp::create(head, loc, whole, count, constantInt(i64, streams ? extent : 0));
  }
  count = arith::IndexCastOp::create(head, loc, head.getIndexType(), count);
  current = outer;
  return count;
}

void LeafEmitter::runScalar(StringRef reason) {
  if (roots.front()->kind != NodeKind::Print)
    emitRemark(roots.front()->loc) << "runs one lane at a time: " << reason;
  startReductions(/*vectorCode=*/false, /*scalarCode=*/true, 1);
  current = &head;
  Value from = constantIndex(0), to = constantIndex(extent);
  Chunk form;
  form.edge = true;
  section(from, to, form, /*exact=*/true);
}

void LeafEmitter::runSections() {
  chooseAligned();
  int64_t width = chooseWidth();
  Location loc = roots.front()->loc;
  current = &head;
  Value none = constantIndex(0), all = constantIndex(extent), start = none, end = all;
  Value mainLimit, storeLimit;
  bool onlyStores = true, bounded = false;
  auto least = [&](Value a, Value b) -> Value {
    return a && a != b ? arith::MinSIOp::create(head, loc, a, b).getResult() : b;
  };
  auto most = [&](Value a, Value b) -> Value {
    return a && a != b ? arith::MaxSIOp::create(head, loc, a, b).getResult() : b;
  };
  auto narrow = [&](const Bounds &bounds) {
    bounded |= bounds.lower || bounds.upper;
    if (bounds.lower)
      start = most(start == none ? Value() : start, bounds.lower);
    if (bounds.upper)
      mainLimit = least(mainLimit, bounds.upper);
  };
  auto include = [&](Node &node, const Point &point) -> Bounds {
    if (!node.op || !llvm::is_contained(point, axis))
      return {};
    Bounds bounds = boundsOf(node, point);
    narrow(bounds);
    return bounds;
  };
  for (Read &read : reads)
    include(*read.node, read.point);
  if (width > 1)
    for (auto &[value, point] : wanted) {
      Node &node = *graph.definition(Value::getFromOpaquePointer(value));
      if (node.kind == NodeKind::Map && !isKeptElsewhere(node))
        narrow(rangeOf(node, point));
    }
  for (Node *root : roots) {
    onlyStores &= root->kind == NodeKind::Store;
    if (root->kind != NodeKind::Store)
      continue;
    Bounds bounds = include(*root, graph.axesOf(*root));
    storeLimit = most(storeLimit, bounds.upper ? bounds.upper : all);
  }
  if (aligned) {
    Value aligned = arith::AddIOp::create(head, loc, start, lanesToCacheLine(start));
    start = arith::MinSIOp::create(head, loc, aligned, all);
  }
  bool startsAtZero = start == none;
  bool exact = startsAtZero && extent % width == 0;
  // Behind the last lane that is stored nothing is left to do, unless lanes are folded.
  if (onlyStores && bounded)
    end = storeLimit;
  Value mainEnd;
  if (!mainLimit && startsAtZero) {
    mainEnd = constantIndex(extent / width * width);
  } else {
    Value room = arith::SubIOp::create(head, loc, mainLimit ? mainLimit : all, start);
    room = arith::MaxSIOp::create(head, loc, room, none);
    Value rest = arith::RemUIOp::create(head, loc, room, constantIndex(width));
    room = arith::SubIOp::create(head, loc, room, rest);
    mainEnd = arith::AddIOp::create(head, loc, start, room);
  }
  bool hasEdges = !startsAtZero || bounded || extent % width;
  bool masked = context.options.maskedTails || width == 1;
  startReductions(/*vectorCode=*/width > 1, /*scalarCode=*/width == 1 || (hasEdges && !masked),
                  width);
  current = &builder;

  Chunk main;
  main.width = width;
  Chunk edge;
  // Partial results have as many lanes in edges as in main chunks; without any, less is masked off
  // in edges of one register.
  edge.width = !masked ? 1 : reductions.empty() ? std::min(width, registerLanes) : width;
  edge.edge = true;
  // One lane wide, even main chunks check the bounds: there is only one form of the loop.
  if (width == 1)
    return section(none, end, edge, /*exact=*/true);
  if (!startsAtZero)
    section(none, start, edge, /*exact=*/false);
  main.streams = streams;
  if (extent >= width)
    section(start, mainEnd, main, /*exact=*/true);
  if (hasEdges)
    section(mainEnd, end, edge, exact && end == all);
}

void LeafEmitter::run() {
  collect();
  if (roots.empty())
    return;
  // The head grows in front of this mark, the sections behind it.
  auto mark = arith::ConstantIndexOp::create(builder, roots.front()->loc, 0);
  head.setInsertionPoint(mark);
  if (axis == kUnit) {
    current = &head;
    emitChunk();
  } else if (StringRef reason = scalarReason(); !reason.empty()) {
    runScalar(reason);
  } else {
    runSections();
  }
  current = &builder;
  finishReductions();
  mark->erase();
}

} // namespace kiln::cpu
