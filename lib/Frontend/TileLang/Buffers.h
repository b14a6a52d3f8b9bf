//===- Buffers.h - regions of buffers: found in arguments, read, written ----------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// All lowerings reach buffers through these functions. Values read from buffers are blocks of the
// region's static extents, one dimension of the block for each dimension of the buffer; `squeeze`
// and `Triton/Semantics.h` bring them into other shapes. Errors are reported where they are found;
// a result that is absent or poison means that one was.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_TILELANG_BUFFERS_H
#define KILN_LIB_FRONTEND_TILELANG_BUFFERS_H

#include "State.h"
#include "lib/Frontend/Triton/Semantics.h"

namespace kiln::frontend::tilelang {

using triton::Shape;
using triton::ShapeRef;

//===----------------------------------------------------------------------------------------===//
// Finding them
//===----------------------------------------------------------------------------------------===//

/// The value of an int that is known at compile time and fits.
inline std::optional<int64_t> knownInt(const Value &value) {
  return value.asInt() ? value.asInt()->asInt64() : std::nullopt;
}
/// False, after an error, where no program runs: before and behind the block of T.Kernel.
bool expectInKernel(CallContext &context);
/// All of a buffer.
RegionData wholeOf(const std::shared_ptr<const BufferData> &buffer);
/// The argument as a region: a buffer, a slice of one, or an element (extents of 1). Anything else
/// is an error that says what was found.
std::optional<RegionData> regionArgument(CallContext &context, const Arguments &arguments,
                                         llvm::StringRef name);
/// The same, and it has to lie on chip.
std::optional<RegionData> localArgument(CallContext &context, const Arguments &arguments,
                                        llvm::StringRef name);
/// The extents as ints; an error where one is only known at run time.
std::optional<Shape> staticExtents(CallContext &context, const RegionData &region);
/// The product of extents, at least one.
Value productOf(CallContext &context, llvm::ArrayRef<Value> extents);
/// The shape without its dimensions of 1 (at least one dimension stays).
Shape squeezedShape(ShapeRef shape);
/// `x[…]` of a buffer or region; the hook `subscript`.
Value subscriptBuffer(CallContext &context, const Value &object, llvm::ArrayRef<Value> indices);

/// A dtype given as a type object or as a string (`"float16"`, `"float"`).
std::optional<DType> dtypeArgument(CallContext &context, const Arguments &arguments,
                                   llvm::StringRef name);
/// Element type by TileLang's name; nothing for an unknown one.
std::optional<DType> dtypeByText(llvm::StringRef text);

//===----------------------------------------------------------------------------------------===//
// On chip
//===----------------------------------------------------------------------------------------===//

/// A new buffer of the program; `memory` as in BufferData.
Value allocate(CallContext &context, ShapeRef shape, DType dtype, llvm::StringRef memory);

/// A scalar integer (int or runtime) as an `index` value, or attribute where it is known.
mlir::OpFoldResult indexOf(CallContext &context, const Value &value);

/// What a region on chip holds: a block of its static extents, of the buffer's dtype (bool: i1).
Value loadRegion(CallContext &context, const RegionData &region);
/// A value for elements of the region: in the buffer's dtype (floats to nearest even), of any
/// shape.
Value valueFor(CallContext &context, const RegionData &region, const Value &value);
/// Writes a block into a region on chip. The block has the region's extents up to dimensions of 1,
/// or is a scalar; it is cast to the buffer's dtype (floats to nearest even). In `T.Parallel` masks
/// do not count here. Returns poison after an error, else None.
Value storeRegion(CallContext &context, const RegionData &region, const Value &value);

//===----------------------------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------------------------===//

/// Loads or stores lane by lane in pointer form. `indices`: per dimension of the buffer an integer
/// scalar or a block of `shape`; lanes outside the buffer's extents (where that cannot be excluded)
/// and lanes off in `mask` (null: all on) read `pad` (poison: zero) and write nothing.
Value loadGlobal(CallContext &context, const BufferData &buffer, llvm::ArrayRef<Value> indices,
                 ShapeRef shape, const Value &mask, const Value &pad);
Value storeGlobal(CallContext &context, const BufferData &buffer, llvm::ArrayRef<Value> indices,
                  ShapeRef shape, const Value &mask, const Value &value);

/// The conjunction of two masks, poison standing for all lanes.
Value meetMasks(CallContext &context, const Value &a, const Value &b);

/// One element with scalar indices, of either kind of buffer; the hooks `read` and `write` outside
/// `T.Parallel`.
Value readElement(CallContext &context, const RegionData &element);
Value writeElement(CallContext &context, const RegionData &element, const Value &value);

} // namespace kiln::frontend::tilelang

#endif // KILN_LIB_FRONTEND_TILELANG_BUFFERS_H
