//===- Emitter.cpp - instructions on tiles ---------------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Emitter.h"

#include "Transfers.h"

#include "kiln/Analysis/IntegerFacts.h"
#include "kiln/Dialect/Npu/IR/WindowDims.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu::lower {

using machine::Opcode;

static int64_t bitsOf(Type element) { return element.getIntOrFloatBitWidth(); }

//===-----------------------------------------------------------------------------------------===//
// Views
//===-----------------------------------------------------------------------------------------===//

static View tileView(const LayoutRule &rule, Value buffer, ArrayRef<int64_t> shape, Type element) {
  TileLayout layout = rule.of(shape);
  View view;
  view.buffer = buffer;
  view.element = element;
  view.sizes.assign(shape.begin(), shape.end());
  view.strides.assign(layout.strides.begin(), layout.strides.end());
  view.rowLanes = layout.rowLanes;
  view.lanes = layout.lanes;
  return view;
}

View Emitter::temporary(ArrayRef<int64_t> shape, Type element) {
  OpBuilder entry = OpBuilder::atBlockBegin(&function.front());
  auto tensor = RankedTensorType::get(shape, element);
  return tileView(rule, AllocOp::create(entry, loc, rule.bufferType(tensor)), shape, element);
}

/// A region of a buffer that the author named, which does not have the layout of a tile.
static View regionView(WindowOp window, MemRefType type) {
  View view;
  view.buffer = window.getSource();
  view.element = type.getElementType();
  view.sizes.assign(type.getShape().begin(), type.getShape().end());
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  view.strides.assign(strides.begin(), strides.end());
  // Nothing between its rows, or behind them, may be touched.
  for (auto [size, stride] : llvm::zip(view.sizes, view.strides))
    view.rowLanes = size == 1 ? std::max<int64_t>(view.rowLanes, 1) : size;
  return view;
}

View Emitter::viewOf(Value tile) {
  auto type = cast<MemRefType>(tile.getType());
  auto window = tile.getDefiningOp<WindowOp>();
  auto layout = dyn_cast<StridedLayoutAttr>(type.getLayout());
  if (window && layout && ShapedType::isDynamic(layout.getOffset()))
    return regionView(window, type);
  if (window && window.getOffset() == 0 && !window.getDynamic())
    tile = window.getSource();
  return tileView(rule, tile, type.getShape(), type.getElementType());
}

bool Emitter::hasAlignedRows(const View &view) const {
  int64_t block = rule.blockLanes(view.element);
  if (auto window = view.buffer.getDefiningOp<WindowOp>()) {
    int64_t unit = window.getDynamic() ? IntegerFacts().get(window.getDynamic()).divisibility : 0;
    if (int64_t(window.getOffset()) % block || unit % block)
      return false;
  }
  bool isRow = true;
  for (auto [size, stride] : llvm::reverse(llvm::zip(view.sizes, view.strides))) {
    if (size == 1)
      continue;
    if (isRow ? stride != 1 : stride % block != 0)
      return false;
    isRow = false;
  }
  return true;
}

Value Emitter::window(const View &view, int64_t offset, ArrayRef<int64_t> sizes,
                      ArrayRef<int64_t> strides) {
  Attribute space = ubSpace(builder.getContext());
  auto plain = MemRefType::get(sizes, view.element, MemRefLayoutAttrInterface(), space);
  MemRefType type = plain;
  // The stride of a unit dimension says nothing.
  SmallVector<int64_t> identity = plain.getStridesAndOffset().first;
  SmallVector<int64_t> wanted(strides);
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (size == 1)
      wanted[dim] = identity[dim];
  if (identity != wanted)
    type = MemRefType::get(sizes, view.element,
                           StridedLayoutAttr::get(builder.getContext(), 0, wanted), space);
  if (offset == 0 && view.buffer.getType() == type)
    return view.buffer;
  auto from = cast<MemRefType>(view.buffer.getType());
  if (bitsOf(from.getElementType()) == bitsOf(view.element))
    return WindowOp::create(builder, loc, type, view.buffer, offset);
  // Another width: through bytes.
  auto bytes = MemRefType::get({int64_t(from.getNumElements() * bitsOf(from.getElementType()) / 8)},
                               builder.getI8Type(), MemRefLayoutAttrInterface(), space);
  Value asBytes = WindowOp::create(builder, loc, bytes, view.buffer, 0);
  if (asBytes.getType() == type)
    return asBytes;
  return WindowOp::create(builder, loc, type, asBytes, offset * bitsOf(view.element) / 8);
}

Value Emitter::flat(const View &tile, bool wholeRepeats) {
  assert(tile.isTile() && "only tiles are without gaps that count");
  int64_t lanes = wholeRepeats ? llvm::alignTo(tile.lanes, rule.tailUnit()) : tile.lanes;
  return window(tile, tile.offset, {lanes}, {1});
}

Value Emitter::row(const View &view) {
  auto type = cast<MemRefType>(view.buffer.getType());
  int64_t bits = type.getNumElements() * bitsOf(type.getElementType());
  return window(view, 0, {bits / bitsOf(view.element)}, {1});
}

Value Emitter::flatAs(const View &tile, Type element) {
  View other = tile;
  other.element = element;
  int64_t bits = llvm::alignTo(tile.lanes, rule.tailUnit()) * bitsOf(tile.element);
  int64_t offset = tile.offset * bitsOf(tile.element) / bitsOf(element);
  return window(other, offset, {bits / bitsOf(element)}, {1});
}

View Emitter::reinterpret(View view, Type element) {
  assert(bitsOf(element) == bitsOf(view.element) && "lanes stay lanes");
  view.element = element;
  return view;
}

namespace {
/// Where a buffer begins: in which alloc, how many bits behind its start, and what more at run
/// time.
struct Origin {
  Value root, dynamic;
  int64_t bits = 0;
  bool isPlain = true; ///< nothing but the above

  explicit Origin(Value buffer) : root(buffer) {
    while (Operation *def = root.getDefiningOp()) {
      if (auto slot = dyn_cast<SlotOp>(def)) {
        isPlain = false;
        root = slot.getRing();
      } else if (auto window = dyn_cast<WindowOp>(def)) {
        int64_t width = bitsOf(cast<MemRefType>(window.getSource().getType()).getElementType());
        bits += int64_t(window.getOffset()) * width;
        isPlain &= !window.getDynamic() || !dynamic;
        dynamic = window.getDynamic() ? window.getDynamic() : dynamic;
        root = window.getSource();
      } else {
        break;
      }
    }
  }
  bool sameAs(const Origin &other) const {
    return isPlain && other.isPlain && root == other.root && bits == other.bits &&
           dynamic == other.dynamic;
  }
  /// Both are the same bytes in part: one alloc, or two that the author put on one another.
  bool meets(const Origin &other) const {
    if (root == other.root)
      return true;
    auto a = root.getDefiningOp<AllocOp>(), b = other.root.getDefiningOp<AllocOp>();
    if (!a || !b || !a.getPinned() || !b.getPinned())
      return false;
    auto end = [](AllocOp alloc) {
      auto type = cast<MemRefType>(alloc.getType());
      return int64_t(*alloc.getAddress()) +
             int64_t(llvm::divideCeil(type.getNumElements() * bitsOf(type.getElementType()), 8));
    };
    return int64_t(*a.getAddress()) < end(b) && int64_t(*b.getAddress()) < end(a);
  }
};
} // namespace

bool Emitter::clash(const View &a, const View &b) {
  if (!a || !b)
    return false;
  Origin first(a.buffer), second(b.buffer);
  if (!first.meets(second))
    return false;
  bool sameStart = a.buffer == b.buffer || first.sameAs(second);
  if (!sameStart || a.offset != b.offset || bitsOf(a.element) != bitsOf(b.element) || a.blocked ||
      b.blocked)
    return true;
  return llvm::any_of(llvm::zip(a.sizes, a.strides, b.strides), [](auto dim) {
    auto [size, left, right] = dim;
    return size != 1 && left != right;
  });
}

//===-----------------------------------------------------------------------------------------===//
// Pieces
//===-----------------------------------------------------------------------------------------===//

void Emitter::forEachPiece(ArrayRef<View> views, Windows emit) {
  const View &dst = views.front();
  auto emitAt = [&](ArrayRef<WindowDim> dims, ArrayRef<int64_t> offsets) {
    SmallVector<Value> windows;
    for (auto [number, view] : llvm::enumerate(views)) {
      Sizes sizes, strides;
      for (const WindowDim &dim : dims) {
        sizes.push_back(dim.size);
        strides.push_back(dim.strides[number]);
      }
      windows.push_back(window(view, offsets[number], sizes, strides));
    }
    emit(windows);
  };
  Sizes offsets = llvm::map_to_vector<4>(views, [](const View &view) { return view.offset; });

  WindowDims dims = windowDims(dst.sizes, llvm::map_to_vector<4>(views, [](const View &view) {
                                 return ArrayRef<int64_t>(view.strides);
                               }));

  // A row may be run over with its gap, where that joins it to the next or fills its blocks.
  WindowDim &row = dims.back();
  int64_t room = std::numeric_limits<int64_t>::max(), block = room;
  for (const View &view : views) {
    room = std::min(room, view.blocked ? room : view.rowLanes);
    if (view.blocked)
      block = std::min<int64_t>(block, machine.limits.blockBytes * 8 / bitsOf(view.element));
  }
  WindowDim rest{0, {}};
  if (block != std::numeric_limits<int64_t>::max()) {
    int64_t size = row.size;
    if (room >= int64_t(llvm::alignTo(size, block)))
      size = llvm::alignTo(size, block);
    rest = {size % block, Sizes(views.size(), 1)};
    WindowDim blocks{size / block, {}};
    for (const View &view : views)
      blocks.strides.push_back(view.blocked ? 0 : block);
    row = {block, Sizes(views.size(), 1)};
    if (blocks.size > 0)
      dims.insert(dims.end() - 1, blocks);
    else
      row.size = std::exchange(rest.size, 0);
  } else if (dims.size() > 1 && row.size < room) {
    const WindowDim &next = dims[dims.size() - 2];
    int64_t pitch = next.strides.front();
    if (pitch <= room && llvm::all_equal(next.strides))
      row.size = pitch;
  }
  if (rest.size) {
    // The lanes behind the last whole block.
    Sizes behind = offsets;
    for (auto [number, view] : llvm::enumerate(views))
      if (!view.blocked)
        behind[number] += dims[dims.size() - 2].size * block;
    WindowDims outer(dims.begin(), dims.end() - 2);
    outer.push_back(rest);
    joinDims(outer);
    emitAt(outer, behind);
  }
  joinDims(dims);

  // Instructions have three dimensions.
  WindowDims outer;
  while (dims.size() > 3) {
    outer.push_back(dims.front());
    dims.erase(dims.begin());
  }
  auto walk = [&](auto &self, size_t level, Sizes at) -> void {
    if (level == outer.size())
      return emitAt(dims, at);
    for (int64_t step = 0; step < outer[level].size; ++step) {
      self(self, level + 1, at);
      for (auto [offset, stride] : llvm::zip(at, outer[level].strides))
        offset += stride;
    }
  };
  walk(walk, 0, offsets);
}

//===-----------------------------------------------------------------------------------------===//
// Instructions
//===-----------------------------------------------------------------------------------------===//

void Emitter::binary(Opcode op, const View &lhs, const View &rhs, const View &dst) {
  forEachPiece({dst, readable(lhs), readable(rhs)}, [&](ValueRange part) {
    VBinaryOp::create(builder, loc, op, part[1], part[2], part[0]);
  });
}

void Emitter::unary(Opcode op, const View &src, const View &dst) {
  forEachPiece({dst, readable(src)},
               [&](ValueRange part) { VUnaryOp::create(builder, loc, op, part[1], part[0]); });
}

void Emitter::scalar(Opcode op, const View &src, Value scalar, const View &dst) {
  forEachPiece({dst, readable(src)}, [&](ValueRange part) {
    VScalarOp::create(builder, loc, op, part[1], scalar, part[0]);
  });
}

void Emitter::copy(const View &src, const View &dst) {
  // Eight-byte elements move as pairs of lanes; masks, which are tiles, as bytes.
  bool isWide = bitsOf(src.element) == 64;
  if (isWide && !(src.isTile() && dst.isTile()))
    return copyByElement(*this, src, dst);
  if (src.isMask() || isWide) {
    assert(src.isTile() && dst.isTile() && "masks move as whole tiles");
    Type part = src.isMask() ? Type(builder.getI8Type()) : Type(builder.getI32Type());
    CopyOp::create(builder, loc, flatAs(src, part), flatAs(dst, part));
    return;
  }
  forEachPiece({dst, readable(src)},
               [&](ValueRange part) { CopyOp::create(builder, loc, part[1], part[0]); });
}

void Emitter::fill(Value scalar, const View &dst) {
  if (dst.isMask()) {
    Value bytes = arith::ExtSIOp::create(builder, loc, builder.getI8Type(), scalar);
    VDupOp::create(builder, loc, bytes, flatAs(dst, builder.getI8Type()));
    return;
  }
  if (bitsOf(dst.element) == 64)
    return copyByElement(*this, scalar, dst);
  forEachPiece({dst}, [&](ValueRange part) { VDupOp::create(builder, loc, scalar, part[0]); });
}

void Emitter::put(const Operand &from, const View &dst) {
  from.isScalar() ? fill(from.scalar, dst) : copy(from.view, dst);
}

View Emitter::dense(const Operand &operand, ArrayRef<int64_t> shape) {
  if (!operand.isScalar() && operand.view.isTile())
    return operand.view;
  View tile = temporary(shape, operand.element());
  put(operand, tile);
  return tile;
}

View Emitter::readable(const View &view) {
  if (view.blocked || view.isTile())
    return view;
  for (auto [size, stride] : llvm::reverse(llvm::zip(view.sizes, view.strides))) {
    if (size == 1)
      continue;
    return stride == 0 ? spread(view) : view;
  }
  return view;
}

/// Each element fills a block of its own, which rows then repeat.
View Emitter::spread(const View &view) {
  if (bitsOf(view.element) != 16 && bitsOf(view.element) != 32) {
    View tile = temporary(view.sizes, view.element);
    copyByElement(*this, view, tile);
    return tile;
  }
  int64_t span = 1;
  for (auto [size, stride] : llvm::zip(view.sizes, view.strides))
    span += (size - 1) * stride;
  Type element = view.element;
  // The instruction moves patterns, but knows floats only.
  Type moved = bitsOf(element) == 16 ? Type(builder.getF16Type()) : Type(builder.getF32Type());
  int64_t block = machine.limits.blockBytes * 8 / bitsOf(element);
  View blocks = temporary({span * block}, moved);
  View source = reinterpret(view, moved);
  VBroadcastOp::create(builder, loc, window(source, view.offset, {span}, {1}),
                       window(blocks, 0, {span, block}, {block, 1}));
  View result = view;
  result.buffer = blocks.buffer;
  result.offset = 0;
  for (int64_t &stride : result.strides)
    stride *= block;
  result.rowLanes = block;
  result.lanes = 0;
  result.blocked = true;
  return result;
}

//===-----------------------------------------------------------------------------------------===//
// Scalars
//===-----------------------------------------------------------------------------------------===//

Value Emitter::index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

Value Emitter::constant(Type type, double value) {
  if (auto real = dyn_cast<FloatType>(type))
    return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(real, value));
  return integer(type, int64_t(value));
}

Value Emitter::integer(Type type, int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
}

} // namespace kiln::npu::lower
