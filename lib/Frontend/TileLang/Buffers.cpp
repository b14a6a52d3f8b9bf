//===- Buffers.cpp - regions of buffers on chip -----------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//

#include "Buffers.h"
#include "Copies.h"
#include "Parallel.h"
#include "TileOpsMasks.h"

#include "kiln/Analysis/LaneAffine.h"
#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kiln::frontend::tilelang {

using llvm::Twine;
using namespace triton;
namespace scf = mlir::scf;

//===----------------------------------------------------------------------------------------===//
// Finding them
//===----------------------------------------------------------------------------------------===//

bool expectInKernel(CallContext &context) {
  State &state = stateOf(context);
  if (state.isInKernel || state.isOutsideReported)
    return state.isInKernel;
  state.isOutsideReported = true;
  context.error("found " + context.callee() + " outside of T.Kernel, expected it inside");
  return false;
}

RegionData wholeOf(const std::shared_ptr<const BufferData> &buffer) {
  size_t rank = buffer->shape.size();
  return {buffer, std::vector<Value>(rank, Value::integer(0)), buffer->shape,
          std::vector<bool>(rank, false)};
}

std::optional<RegionData> regionArgument(CallContext &context, const Arguments &arguments,
                                         llvm::StringRef name) {
  const Value &value = arguments[name];
  if (!expectOutsideLanes(context) || !expectInKernel(context))
    return std::nullopt;
  if (std::shared_ptr<const BufferData> buffer = value.asBuffer())
    return wholeOf(buffer);
  if (const RegionData *region = value.asRegion())
    return *region;
  wrongArgument(context, arguments, name, value, "a buffer or a part of one");
  return std::nullopt;
}

std::optional<RegionData> localArgument(CallContext &context, const Arguments &arguments,
                                        llvm::StringRef name) {
  std::optional<RegionData> region = regionArgument(context, arguments, name);
  if (!region || !region->buffer->isGlobal)
    return region;
  wrongArgument(context, arguments, name, arguments[name], "a buffer on chip");
  return std::nullopt;
}

std::optional<Shape> staticExtents(CallContext &context, const RegionData &region) {
  Shape shape;
  for (const Value &extent : region.extents) {
    std::optional<int64_t> known = knownInt(extent);
    if (!known) {
      context.error("found " + describe(Value::region(region)) +
                    ", expected extents that are known at compile time");
      return std::nullopt;
    }
    shape.push_back(*known);
  }
  return shape;
}

Value productOf(CallContext &context, llvm::ArrayRef<Value> extents) {
  Value result = extents.front();
  for (const Value &extent : extents.drop_front())
    result = context.binary(BinaryOperator::Mul, result, extent);
  return result;
}

Shape squeezedShape(ShapeRef shape) {
  Shape result;
  for (int64_t size : shape)
    if (size != 1)
      result.push_back(size);
  if (result.empty())
    result.push_back(1);
  return result;
}

//===----------------------------------------------------------------------------------------===//
// Subscripts
//===----------------------------------------------------------------------------------------===//

static bool isIndex(const Value &value) {
  return value.asInt() || (value.isRuntime() && value.type().isIntegerLike());
}

/// The same value, or made by equal operations of equal operands: an expression that is written
/// twice is made twice.
static bool isEqual(mlir::Value a, mlir::Value b, unsigned depth = 0) {
  mlir::Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (a == b || !x || !y || depth > 8)
    return a == b;
  auto areEqual = [&](mlir::Value first, mlir::Value second) {
    return mlir::success(isEqual(first, second, depth + 1));
  };
  return mlir::isPure(x) && x->getNumResults() == 1 &&
         mlir::OperationEquivalence::isEquivalentTo(x, y, areEqual, /*markEquivalent=*/nullptr,
                                                    mlir::OperationEquivalence::IgnoreLocations);
}

/// `expr` with its terms written as the equal ones of `other`.
static LinearExpr inTermsOf(LinearExpr expr, const LinearExpr &other) {
  for (const LinearTerm &term : llvm::SmallVector<LinearTerm>(expr.getTerms()))
    for (const LinearTerm &known : other.getTerms()) {
      bool isOne = term.factors.size() == 1 && known.factors.size() == 1;
      mlir::Value from = term.factors.front(), to = known.factors.front();
      if (!isOne || from == to || !isEqual(from, to))
        continue;
      expr = expr - LinearExpr::leaf(from) * term.coefficient +
             LinearExpr::leaf(to) * term.coefficient;
      break;
    }
  return expr;
}

/// `b - a`, if that is known although neither has to be.
static std::optional<int64_t> knownDifference(CallContext &context, const Value &a,
                                              const Value &b) {
  auto form = [&](const Value &value, LinearExprs &exprs) -> std::optional<LinearExpr> {
    if (std::optional<int64_t> known = knownInt(value))
      return LinearExpr(*known);
    if (value.isRuntime() && value.type().isScalar())
      return exprs.get(value.ir());
    return std::nullopt;
  };
  LinearExprs exprs;
  std::optional<LinearExpr> first = form(a, exprs), second = form(b, exprs);
  return first && second ? (inTermsOf(*second, *first) - *first).asConstant() : std::nullopt;
}

namespace {
/// One dimension of a subscript.
struct Part {
  Value offset, extent;
  bool isIndex = false;
};
} // namespace

static Value outside(CallContext &context, const BufferData &buffer, size_t dim, int64_t index,
                     int64_t size) {
  return context.error("index " + Twine(index) + " is outside dimension " + Twine(dim) + " of '" +
                       buffer.name + "', which has " + Twine(size) + " elements");
}

/// A constant position, negative ones counted from the end. On chip it has to lie inside; outside
/// a tensor argument copies are cut.
static std::optional<Value> position(CallContext &context, const BufferData &buffer, size_t dim,
                                     const Value &index, const Value &size, int64_t last) {
  std::optional<int64_t> known = knownInt(index), extent = knownInt(size);
  if (index.asInt() && !known) {
    context.error("index " + index.asInt()->str() + " is outside dimension " + Twine(dim) +
                  " of '" + buffer.name + "'");
    return std::nullopt;
  }
  if (!known || !extent)
    return index;
  int64_t at = *known < 0 ? *known + *extent : *known;
  if (at < 0 || (at > *extent - last && !(buffer.isGlobal && last == 0))) {
    outside(context, buffer, dim, *known, *extent);
    return std::nullopt;
  }
  return Value::integer(at);
}

static std::optional<Part> slicePart(CallContext &context, const BufferData &buffer, size_t dim,
                                     const SliceData &slice, const Value &size) {
  if (!slice.step.isNone() && knownInt(slice.step) != 1) {
    context.error("a slice of a buffer has no step: found " + describe(slice.step));
    return std::nullopt;
  }
  for (const Value *bound : {&slice.lower, &slice.upper})
    if (!bound->isNone() && (!isIndex(*bound) || (bound->isRuntime() && bound->type().isBlock()))) {
      context.error("found " + describe(*bound) + " as a bound of a slice, expected an integer");
      return std::nullopt;
    }
  Value lower = slice.lower.isNone() ? Value::integer(0) : slice.lower;
  Value upper = slice.upper.isNone() ? size : slice.upper;
  std::optional<Value> begin = position(context, buffer, dim, lower, size, 0);
  std::optional<Value> end = position(context, buffer, dim, upper, size, 0);
  if (!begin || !end)
    return std::nullopt;
  std::optional<int64_t> known = knownDifference(context, *begin, *end);
  if (known && *known < 1) {
    context.error("a slice of dimension " + Twine(dim) + " of '" + buffer.name + "' has " +
                  Twine(*known) + " elements, expected at least 1");
    return std::nullopt;
  }
  if (known)
    return Part{*begin, Value::integer(*known), false};
  Value extent = context.binary(BinaryOperator::Sub, *end, *begin);
  return extent.isPoison() ? std::nullopt : std::optional(Part{*begin, extent, false});
}

Value subscriptBuffer(CallContext &context, const Value &object, llvm::ArrayRef<Value> indices) {
  std::shared_ptr<const BufferData> buffer = object.asBuffer();
  RegionData region = buffer ? wholeOf(buffer) : *object.asRegion();
  buffer = region.buffer;
  llvm::SmallVector<size_t> dims; // those that an index can still name
  for (auto [dim, isIndex] : llvm::enumerate(region.isIndex))
    if (!isIndex)
      dims.push_back(dim);
  llvm::SmallVector<Value> given(indices);
  // `...` stands for as many full slices as are missing.
  for (size_t i = 0; i < given.size(); ++i)
    if (given[i].isEllipsis()) {
      size_t missing = dims.size() + 1 < given.size() ? 0 : dims.size() + 1 - given.size();
      Value full = Value::slice(Value::none(), Value::none(), Value::none());
      given.erase(given.begin() + i);
      given.insert(given.begin() + i, missing, full);
      break;
    }
  if (given.size() > dims.size())
    return context.error("found " + Twine(given.size()) + " indices for " + describe(object) +
                         ", expected at most " + Twine(dims.size()));
  for (auto [index, dim] : llvm::zip(given, dims)) {
    if (index.isPoison())
      return index;
    const Value size = region.extents[dim];
    Part part;
    if (const SliceData *slice = index.asSlice()) {
      std::optional<Part> found = slicePart(context, *buffer, dim, *slice, size);
      if (!found)
        return Value::poison();
      part = *found;
    } else if (isIndex(index)) {
      std::optional<Value> at = position(context, *buffer, dim, index, size, 1);
      if (!at)
        return Value::poison();
      part = {*at, Value::integer(1), true};
    } else {
      return context.error("index " + Twine(dim) + " of '" + buffer->name + "' is " +
                           describe(index) + ", expected an integer or a slice");
    }
    bool isFirst = knownInt(region.offsets[dim]) == 0;
    region.offsets[dim] =
        isFirst ? part.offset
                : context.binary(BinaryOperator::Add, region.offsets[dim], part.offset);
    region.extents[dim] = part.extent;
    region.isIndex[dim] = part.isIndex;
    if (region.offsets[dim].isPoison())
      return Value::poison();
  }
  return Value::region(std::move(region));
}

//===----------------------------------------------------------------------------------------===//
// dtypes
//===----------------------------------------------------------------------------------------===//

std::optional<DType> dtypeByText(llvm::StringRef text) {
  static constexpr std::pair<llvm::StringLiteral, DType> names[] = {
      {"float", DType::F32},   {"half", DType::F16},      {"double", DType::F64},
      {"bool", DType::I1},     {"bfloat16", DType::BF16}, {"float16", DType::F16},
      {"float32", DType::F32}, {"float64", DType::F64},
  };
  for (auto [name, dtype] : names)
    if (text == name)
      return dtype;
  return frontend::dtypeByName(text);
}

std::optional<DType> dtypeArgument(CallContext &context, const Arguments &arguments,
                                   llvm::StringRef name) {
  const Value &value = arguments[name];
  const std::string *text = value.asString();
  if (!text)
    return context.dtypeConst(arguments, name);
  std::optional<DType> dtype = dtypeByText(*text);
  if (dtype && info(*dtype).isSupported)
    return dtype;
  static constexpr llvm::StringLiteral later[] = {"int4", "uint4", "float8", "e4m3", "e5m2"};
  bool isKnown = llvm::any_of(
      later, [&](llvm::StringRef part) { return llvm::StringRef(*text).contains(part); });
  if (dtype || isKnown)
    context.errorAt(arguments, name, "the type '" + *text + "' is not there yet");
  else
    wrongArgument(context, arguments, name, value, "a dtype such as 'float16'");
  return std::nullopt;
}

//===----------------------------------------------------------------------------------------===//
// On chip
//===----------------------------------------------------------------------------------------===//

static mlir::Type memoryType(CallContext &context, DType dtype) {
  return mlirMemoryType(dtype, context.mlirContext());
}

Value allocate(CallContext &context, ShapeRef shape, DType dtype, llvm::StringRef memory) {
  mlir::OpBuilder::InsertionGuard guard(context.builder());
  mlir::Block &entry =
      mlir::cast<mlir::FunctionOpInterface>(context.kernel()).getFunctionBody().front();
  // Behind the buffers that are there, in the order in which they were asked for.
  auto place = entry.begin();
  while (place != entry.end() && mlir::isa<tile::LocalAllocOp>(*place))
    ++place;
  context.builder().setInsertionPoint(&entry, place);
  auto op = context.create<tile::LocalAllocOp>(
      tile::LocalType::get(context.mlirContext(), shape, memoryType(context, dtype)),
      mlir::IntegerAttr(), mlir::StringAttr(),
      memory.empty() ? mlir::StringAttr() : context.builder().getStringAttr(memory));
  auto buffer = std::make_shared<BufferData>();
  buffer->handle = op.getResult();
  buffer->dtype = dtype;
  for (int64_t size : shape)
    buffer->shape.push_back(Value::integer(size));
  buffer->memory = memory.str();
  return Value::buffer(buffer);
}

mlir::OpFoldResult indexOf(CallContext &context, const Value &value) {
  if (std::optional<int64_t> known = knownInt(value))
    return context.builder().getIndexAttr(*known);
  mlir::Value scalar = value.ir();
  mlir::Type index = context.builder().getIndexType();
  return isSigned(value.type().dtype()) ? context.fold<mlir::arith::IndexCastOp>(index, scalar)
                                        : context.fold<mlir::arith::IndexCastUIOp>(index, scalar);
}

static void splitOffsets(CallContext &context, const RegionData &region,
                         llvm::SmallVectorImpl<mlir::Value> &dynamic,
                         llvm::SmallVectorImpl<int64_t> &fixed) {
  llvm::SmallVector<mlir::OpFoldResult> offsets;
  for (const Value &offset : region.offsets)
    offsets.push_back(indexOf(context, offset));
  mlir::dispatchIndexOpFoldResults(offsets, dynamic, fixed);
}

Value loadRegion(CallContext &context, const RegionData &region) {
  if (!expectNoMask(context, *region.buffer))
    return Value::poison();
  std::optional<Shape> shape = staticExtents(context, region);
  if (!shape)
    return Value::poison();
  llvm::SmallVector<mlir::Value> dynamic;
  llvm::SmallVector<int64_t> fixed;
  splitOffsets(context, region, dynamic, fixed);
  DType dtype = region.buffer->dtype, inMemory = isBool(dtype) ? DType::I8 : dtype;
  Type type = Type::block(inMemory, *shape);
  auto op = context.create<tile::LocalLoadOp>(type.mlir(context.mlirContext()),
                                              region.buffer->handle, dynamic, fixed);
  Value loaded = Value::runtime(op.getResult(), type);
  return isBool(dtype) ? toBool(context, loaded) : loaded;
}

/// The value in a region's shape and dtype, as memory holds it.
static Value shaped(CallContext &context, const RegionData &region, ShapeRef shape,
                    const Value &given) {
  DType dtype = region.buffer->dtype;
  Value value = given.isNumber() ? context.materializeAs(given, dtype) : given;
  if (value.isPoison())
    return value;
  if (!value.isRuntime())
    return context.error("found " + describe(value) + ", expected a value for " +
                         describe(Value::region(region)));
  value = castTo(context, value, dtype);
  if (isBool(dtype))
    value = castTo(context, value, DType::I8);
  if (value.isPoison() || value.type().isScalar())
    return splat(context, value, shape);
  if (squeezedShape(value.type().shape()) != squeezedShape(shape))
    return context.error("found " + describe(given) + " for " + describe(Value::region(region)) +
                         ": the shapes differ");
  return reshapeTo(context, value, shape);
}

Value storeRegion(CallContext &context, const RegionData &region, const Value &value) {
  if (!expectNoMask(context, *region.buffer))
    return Value::poison();
  std::optional<Shape> shape = staticExtents(context, region);
  if (!shape)
    return Value::poison();
  Value stored = shaped(context, region, *shape, value);
  if (stored.isPoison())
    return stored;
  llvm::SmallVector<mlir::Value> dynamic;
  llvm::SmallVector<int64_t> fixed;
  splitOffsets(context, region, dynamic, fixed);
  context.create<tile::LocalStoreOp>(stored.ir(), region.buffer->handle, dynamic, fixed);
  return Value::none();
}

static llvm::SmallVector<mlir::Value> indexValues(CallContext &context, const RegionData &element) {
  llvm::SmallVector<mlir::Value> indices;
  for (const Value &offset : element.offsets) {
    mlir::OpFoldResult index = indexOf(context, offset);
    indices.push_back(
        mlir::getValueOrCreateConstantIndexOp(context.builder(), context.loc(), index));
  }
  return indices;
}

/// Whether an element on chip is inside its buffer; poison where that is sure, or where the author
/// orders the instructions himself.
static Value isElementInside(CallContext &context, const RegionData &element) {
  Value inside = Value::poison();
  if (stateOf(context).isNpuLevel)
    return inside;
  for (auto [offset, extent] : llvm::zip(element.offsets, element.buffer->shape)) {
    if (isInside(context, offset, 1, extent))
      continue;
    Value index = context.materialize(offset);
    inside = meetMasks(context, inside, context.compare(CompareOperator::Lt, index, extent));
    if (isSigned(index.type().dtype()))
      inside = meetMasks(context, inside,
                         context.compare(CompareOperator::Ge, index, Value::integer(0)));
  }
  return inside;
}

/// The element, or zero where it is outside.
static mlir::Value readIfInside(CallContext &context, mlir::Value inside, mlir::Type type,
                                llvm::function_ref<mlir::Value()> read) {
  auto branch = context.create<scf::IfOp>(mlir::TypeRange(type), inside, /*addThenBlock=*/true,
                                          /*addElseBlock=*/true);
  mlir::OpBuilder::InsertionGuard guard(context.builder());
  context.builder().setInsertionPointToStart(branch.thenBlock());
  context.create<scf::YieldOp>(read());
  context.builder().setInsertionPointToStart(branch.elseBlock());
  context.create<scf::YieldOp>(mlir::Value(context.create<mlir::arith::ConstantOp>(
      type, mlir::cast<mlir::TypedAttr>(context.builder().getZeroAttr(type)))));
  return branch.getResult(0);
}

Value readElement(CallContext &context, const RegionData &element) {
  const BufferData &buffer = *element.buffer;
  if (!expectNoMask(context, buffer))
    return Value::poison();
  for (const Value &offset : element.offsets)
    if (offset.isRuntime() && offset.type().isBlock())
      return context.error("found " + describe(offset) + " as an index, expected an integer");
  if (buffer.isGlobal)
    return loadGlobal(context, buffer, element.offsets, {}, Value::poison(), Value::poison());
  DType inMemory = isBool(buffer.dtype) ? DType::I8 : buffer.dtype;
  Value inside = isElementInside(context, element);
  mlir::Type type = memoryType(context, buffer.dtype);
  auto get = [&]() -> mlir::Value {
    return context.create<tile::LocalGetOp>(type, buffer.handle, indexValues(context, element));
  };
  mlir::Value result = inside.isPoison() ? get() : readIfInside(context, inside.ir(), type, get);
  Value read = Value::runtime(result, inMemory);
  return isBool(buffer.dtype) ? toBool(context, read) : read;
}

Value writeElement(CallContext &context, const RegionData &element, const Value &given) {
  const BufferData &buffer = *element.buffer;
  if (!expectNoMask(context, buffer))
    return Value::poison();
  if (buffer.isGlobal)
    return storeGlobal(context, buffer, element.offsets, {}, Value::poison(), given);
  Value value = given.isNumber() ? context.materializeAs(given, buffer.dtype) : given;
  if (value.isPoison())
    return value;
  if (!value.isRuntime() || value.type().isBlock())
    return context.error("found " + describe(given) + ", expected a scalar for " +
                         describe(Value::region(element)));
  value = castTo(context, value, buffer.dtype);
  if (isBool(buffer.dtype))
    value = castTo(context, value, DType::I8);
  if (value.isPoison())
    return value;
  mlir::OpBuilder::InsertionGuard guard(context.builder());
  if (Value inside = isElementInside(context, element); !inside.isPoison()) {
    auto branch = context.create<scf::IfOp>(inside.ir(), /*withElseRegion=*/false);
    context.builder().setInsertionPointToStart(branch.thenBlock());
  }
  context.create<tile::LocalSetOp>(value.ir(), buffer.handle, indexValues(context, element));
  return Value::none();
}

} // namespace kiln::frontend::tilelang
