//===- ExpertViews.cpp - regions as instructions see them -------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Expert.h"
#include "TileOps.h"

#include "kiln/Dialect/Npu/IR/WindowDims.h"
#include "kiln/Dialect/Tile/IR/Tile.h"

namespace kiln::frontend::tilelang::expert {

using llvm::Twine;
namespace arith = mlir::arith;

static mlir::Value windowAt(CallContext &context, const View &view, mlir::MemRefType type,
                            int64_t bytes);

static int64_t bitsOf(mlir::Type element) { return element.getIntOrFloatBitWidth(); }

static mlir::Type elementOfBuffer(const View &view) {
  return mlir::cast<mlir::MemRefType>(view.buffer.getType()).getElementType();
}

//===----------------------------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------------------------===//

static mlir::MemRefType memrefOf(mlir::MLIRContext *context, ShapeRef shape, mlir::Type element,
                                 ShapeRef strides = {}) {
  mlir::Attribute space = npu::MemoryAttr::get(context, machine::Memory::UB);
  auto plain = mlir::MemRefType::get(shape, element, mlir::MemRefLayoutAttrInterface(), space);
  if (strides.empty())
    return plain;
  // The stride of a dimension of 1 says nothing.
  llvm::SmallVector<int64_t> identity = plain.getStridesAndOffset().first;
  llvm::SmallVector<int64_t> wanted(strides);
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size == 1)
      wanted[dim] = identity[dim];
  if (identity == wanted)
    return plain;
  return mlir::MemRefType::get(shape, element, mlir::StridedLayoutAttr::get(context, 0, wanted),
                               space);
}

/// The memory of a buffer, named once, where the buffer is made.
static mlir::Value memoryOf(CallContext &context, mlir::Value handle) {
  mlir::Value &known = stateOf(context).onChip[handle];
  if (known)
    return known;
  auto type = mlir::cast<tile::LocalType>(handle.getType());
  mlir::OpBuilder::InsertionGuard guard(context.builder());
  context.builder().setInsertionPointAfterValue(handle);
  known = context.create<npu::LocalOp>(
      memrefOf(context.mlirContext(), type.getShape(), type.getElementType()), handle);
  return known;
}

bool shareMemory(CallContext &context, const Arguments &arguments, const BufferData &buffer,
                 const BufferData &owner) {
  auto wrong = [&](size_t index, const Twine &found, const Twine &expected) {
    triton::wrongArgument(context, arguments, nameOf(arguments, index), found, expected);
    return false;
  };
  auto bytesOfBuffer = [](const BufferData &data) {
    auto type = mlir::cast<tile::LocalType>(data.handle.getType());
    return mlir::ShapedType::getNumElements(type.getShape()) * bitsOf(type.getElementType()) / 8;
  };
  auto alloc = buffer.handle.getDefiningOp<tile::LocalAllocOp>();
  if (!alloc || stateOf(context).onChip.contains(buffer.handle) || !buffer.handle.use_empty())
    return wrong(0, "'" + buffer.name + "', which has been used before",
                 "a buffer that gets its memory here");
  if (alloc.getAddress())
    return wrong(0, "'" + buffer.name + "', which has an address of its own", "none");
  if (bytesOfBuffer(buffer) > bytesOfBuffer(owner))
    return wrong(0, Twine(bytesOfBuffer(buffer)) + " bytes",
                 "at most the " + Twine(bytesOfBuffer(owner)) + " of '" + owner.name + "'");
  View view;
  view.buffer = memoryOf(context, owner.handle);
  auto type = mlir::cast<tile::LocalType>(buffer.handle.getType());
  mlir::OpBuilder::InsertionGuard guard(context.builder());
  context.builder().setInsertionPointAfterValue(view.buffer);
  stateOf(context).onChip[buffer.handle] = windowAt(
      context, view, memrefOf(context.mlirContext(), type.getShape(), type.getElementType()), 0);
  return true;
}

View scratch(CallContext &context, ShapeRef shape, DType dtype) {
  Value buffer = allocate(context, shape, dtype, "ub");
  return *viewOf(context, "scratch", wholeOf(buffer.asBuffer()));
}

//===----------------------------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------------------------===//

mlir::Value indexConstant(CallContext &context, int64_t value) {
  return context.create<arith::ConstantIndexOp>(value);
}

std::optional<View> viewOf(CallContext &context, llvm::StringRef argument,
                           const RegionData &region) {
  if (!expectTiles(context))
    return std::nullopt;
  const BufferData &buffer = *region.buffer;
  if (!buffer.memory.empty() && buffer.memory != "ub") {
    context.error("argument '" + argument + "' of " + context.callee() + ": found '" + buffer.name +
                  "' in " + buffer.memory + ", expected a buffer in ub");
    return std::nullopt;
  }
  std::optional<Shape> extents = staticExtents(context, region);
  if (!extents)
    return std::nullopt;
  View view;
  view.argument = argument.str();
  view.buffer = memoryOf(context, buffer.handle);
  view.dtype = buffer.dtype;
  view.element = elementOfBuffer(view);
  view.sizes = *extents;
  view.strides.assign(extents->size(), 1);
  int64_t stride = 1;
  for (size_t dim = extents->size(); dim-- > 0;) {
    view.strides[dim] = stride;
    const Value &offset = region.offsets[dim];
    if (std::optional<int64_t> known = knownInt(offset)) {
      view.bytes += *known * stride * view.elementBytes();
    } else {
      auto index = mlir::cast<mlir::Value>(indexOf(context, offset));
      if (stride != 1)
        index = context.fold<arith::MulIOp>(index, indexConstant(context, stride));
      view.moved = view.moved ? context.fold<arith::AddIOp>(view.moved, index) : index;
    }
    stride *= knownInt(buffer.shape[dim]).value_or(1);
  }
  return view;
}

std::optional<View> viewArgument(CallContext &context, const Arguments &arguments,
                                 llvm::StringRef name) {
  std::optional<RegionData> region = localArgument(context, arguments, name);
  return region ? viewOf(context, name, *region) : std::nullopt;
}

bool isDense(const View &view) {
  int64_t stride = 1;
  for (size_t dim = view.sizes.size(); dim-- > 0;) {
    if (view.sizes[dim] == 1)
      continue;
    if (view.strides[dim] != stride)
      return false;
    stride *= view.sizes[dim];
  }
  return true;
}

std::optional<View> reinterpret(const View &view, mlir::Type element) {
  int64_t from = bitsOf(view.element), to = bitsOf(element);
  View result = view;
  result.element = element;
  if (from == to)
    return result;
  auto scaled = [&](int64_t &size) {
    bool fits = size * from % to == 0;
    size = size * from / to;
    return fits;
  };
  if (view.sizes.empty()) {
    result.sizes = {1};
    result.strides = {1};
  }
  if (result.strides.back() != 1 || !scaled(result.sizes.back()))
    return std::nullopt;
  for (int64_t &stride : llvm::MutableArrayRef(result.strides).drop_back())
    if (!scaled(stride))
      return std::nullopt;
  return result;
}

//===----------------------------------------------------------------------------------------===//
// Shapes together
//===----------------------------------------------------------------------------------------===//

static void flatten(View &view) {
  view.sizes = {view.count()};
  view.strides = {1};
}

static void dropUnits(View &view) {
  Shape sizes, strides;
  for (auto [size, stride] : llvm::zip(view.sizes, view.strides)) {
    if (size == 1)
      continue;
    sizes.push_back(size);
    strides.push_back(stride);
  }
  view.sizes = sizes;
  view.strides = strides;
}

static std::string describeView(const View &view) {
  return Type::block(view.dtype, view.sizes).str();
}

bool alike(CallContext &context, const Arguments &arguments, llvm::MutableArrayRef<View *> views) {
  View &first = *views.front();
  bool areDense = llvm::all_of(views, [](const View *view) { return isDense(*view); });
  for (View *view : views) {
    bool fits = areDense ? view->count() == first.count()
                         : squeezedShape(view->sizes) == squeezedShape(first.sizes);
    if (fits)
      continue;
    triton::wrongArgument(context, arguments, view->argument, describeView(*view),
                          describeView(first) + ", as '" + first.argument + "' has");
    return false;
  }
  for (View *view : views)
    areDense ? flatten(*view) : dropUnits(*view);
  return true;
}

bool expectTypeOf(CallContext &context, const Arguments &arguments, const View &view,
                  const View &like) {
  if (view.dtype == like.dtype)
    return true;
  triton::wrongArgument(context, arguments, view.argument,
                        "elements of " + info(view.dtype).languageName,
                        info(like.dtype).languageName + ", as '" + like.argument + "' has");
  return false;
}

std::optional<View> firstLanes(CallContext &context, const Arguments &arguments, const View &view,
                               int64_t count) {
  if (!isDense(view)) {
    triton::wrongArgument(context, arguments, view.argument,
                          describeView(view) + " with gaps between its rows",
                          "a region without gaps, as a count is given");
    return std::nullopt;
  }
  if (count < 1 || count > view.count()) {
    triton::wrongArgument(context, arguments, view.argument,
                          Twine(view.count()) + " elements for a count of " + Twine(count),
                          "from 1 to as many as there are");
    return std::nullopt;
  }
  View result = view;
  result.sizes = {count};
  result.strides = {1};
  return result;
}

bool cutToCount(CallContext &context, const Arguments &arguments,
                llvm::MutableArrayRef<View *> views) {
  const Arguments::Argument *count = arguments.find("count");
  if (!count || count->value.isNone())
    return true;
  std::optional<int64_t> lanes = context.intConst(arguments, "count");
  if (!lanes)
    return false;
  for (View *view : views) {
    std::optional<View> first = firstLanes(context, arguments, *view, *lanes);
    if (!first)
      return false;
    *view = *first;
  }
  return true;
}

//===----------------------------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------------------------===//

/// The buffer as one row of bytes.
static mlir::Value bytesOf(CallContext &context, mlir::Value buffer) {
  auto type = mlir::cast<mlir::MemRefType>(buffer.getType());
  auto bytes =
      memrefOf(context.mlirContext(), {type.getNumElements() * bitsOf(type.getElementType()) / 8},
               context.builder().getI8Type());
  return bytes == type ? buffer
                       : context.create<npu::WindowOp>(bytes, buffer, /*offset=*/0).getResult();
}

static mlir::Value windowAt(CallContext &context, const View &view, mlir::MemRefType type,
                            int64_t bytes) {
  mlir::Type inBuffer = elementOfBuffer(view);
  int64_t unit = bitsOf(inBuffer) / 8;
  mlir::Value source = view.buffer, moved = view.moved;
  if (bitsOf(type.getElementType()) != bitsOf(inBuffer) || bytes % unit != 0) {
    source = bytesOf(context, source);
    if (moved && unit != 1)
      moved = context.fold<arith::MulIOp>(moved, indexConstant(context, unit));
    unit = 1;
  }
  if (bytes == 0 && !moved && source.getType() == type)
    return source;
  return context.create<npu::WindowOp>(type, source,
                                       context.builder().getI64IntegerAttr(bytes / unit), moved);
}

mlir::Value windowOf(CallContext &context, const View &view, ShapeRef sizes, ShapeRef strides,
                     int64_t skippedBytes) {
  return windowAt(context, view, memrefOf(context.mlirContext(), sizes, view.element, strides),
                  view.bytes + skippedBytes);
}

mlir::Value maskWindow(CallContext &context, const View &view, int64_t bits, int64_t skippedBytes) {
  return windowAt(context, view,
                  memrefOf(context.mlirContext(), {bits}, context.builder().getI1Type()),
                  view.bytes + skippedBytes);
}

/// Where a view may not start, or its rows may not lie; None if all is well.
static Value checkPlace(CallContext &context, const Arguments &arguments, const View &view,
                        llvm::ArrayRef<npu::WindowDim> dims, size_t number) {
  if (!view.moved && view.bytes % kBlockBytes != 0)
    return triton::wrongArgument(context, arguments, view.argument,
                                 "a region that starts at byte " + Twine(view.bytes) +
                                     " of its buffer",
                                 "a multiple of " + Twine(kBlockBytes));
  if (int64_t stride = dims.back().strides[number]; stride != 1 && dims.back().size != 1)
    return triton::wrongArgument(context, arguments, view.argument,
                                 "elements that lie " + Twine(stride) + " apart",
                                 "adjacent elements in a row");
  for (const npu::WindowDim &dim : dims.drop_back())
    if (int64_t bytes = dim.strides[number] * view.elementBytes(); bytes % kBlockBytes != 0)
      return triton::wrongArgument(context, arguments, view.argument,
                                   "rows every " + Twine(bytes) + " bytes",
                                   "a multiple of " + Twine(kBlockBytes));
  return Value::none();
}

Value forEachWindow(CallContext &context, const Arguments &arguments, llvm::ArrayRef<View> views,
                    llvm::function_ref<void(Parts)> emit) {
  npu::WindowDims dims = npu::windowDims(
      views.front().sizes,
      llvm::map_to_vector<4>(views, [](const View &view) { return ShapeRef(view.strides); }));
  npu::joinDims(dims);
  if (dims.size() > 3)
    return triton::wrongArgument(context, arguments, views.front().argument,
                                 "a region of " + Twine(dims.size()) + " dimensions with gaps",
                                 "at most three in one instruction");
  Shape sizes;
  for (const npu::WindowDim &dim : dims)
    sizes.push_back(dim.size);
  for (auto [number, view] : llvm::enumerate(views))
    if (checkPlace(context, arguments, view, dims, number).isPoison())
      return Value::poison();
  llvm::SmallVector<mlir::Value> windows;
  for (auto [number, view] : llvm::enumerate(views)) {
    Shape strides;
    for (const npu::WindowDim &dim : dims)
      strides.push_back(dim.strides[number]);
    windows.push_back(windowOf(context, view, sizes, strides));
  }
  emit(windows);
  return Value::none();
}

} // namespace kiln::frontend::tilelang::expert
