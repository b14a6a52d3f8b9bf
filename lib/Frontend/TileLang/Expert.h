//===- Expert.h - instructions written one by one ---------------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// At the npu level a call is the instruction that it names, on the buffers that it names. A `View`
// is a region of a buffer in UB as instructions see it: where it starts, and sizes and strides that
// are known. Views of one shape go into an instruction together (`forEachWindow`), which has three
// dimensions at most: what lies behind one another is joined first.
//
// A call that is several instructions orders them itself (`orderVector`): that is the call's
// business, where the order between calls is the author's.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_TILELANG_EXPERT_H
#define KILN_LIB_FRONTEND_TILELANG_EXPERT_H

#include "Buffers.h"

#include "kiln/Dialect/Npu/IR/Npu.h"
#include "machine/Machine.h"

namespace kiln::frontend::tilelang::expert {

/// A lowering by name.
struct Row {
  llvm::StringLiteral name;
  Lowering lower;
};

/// Operands begin at multiples of it, in bytes, and so do their rows.
inline constexpr int64_t kBlockBytes = 32;
/// What an instruction handles in one repeat.
inline constexpr int64_t kRepeatBytes = 256;
/// The most instructions that one call may become.
inline constexpr int64_t kMostPieces = 64;

// The tables: one function per file.
llvm::ArrayRef<Row> copyRows();
llvm::ArrayRef<Row> vectorRows();
llvm::ArrayRef<Row> composedRows();
llvm::ArrayRef<Row> castRows();
llvm::ArrayRef<Row> maskRows();
llvm::ArrayRef<Row> shapeRows();
llvm::ArrayRef<Row> orderRows();

//===----------------------------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------------------------===//

/// Lanes of a buffer in UB.
struct View {
  std::string argument; ///< its name, for messages
  mlir::Value buffer;   ///< an `npu.local`
  DType dtype = DType::F32;
  mlir::Type element; ///< of the lanes; as wide as the buffer's or not
  int64_t bytes = 0;  ///< from the start of the buffer to the first lane
  mlir::Value moved;  ///< elements of the buffer on top of that, as an index; or null
  Shape sizes, strides;

  int64_t count() const { return mlir::ShapedType::getNumElements(sizes); }
  int64_t elementBytes() const { return element.getIntOrFloatBitWidth() / 8; }
};

/// A region on chip as a view, with all its dimensions.
std::optional<View> viewOf(CallContext &context, llvm::StringRef argument,
                           const RegionData &region);
/// The argument as a view; a region with extents only known at run time is an error.
std::optional<View> viewArgument(CallContext &context, const Arguments &arguments,
                                 llvm::StringRef name);
/// Makes a buffer that nothing has used yet the memory of another one, from its start on, for all
/// instructions. False after an error.
bool shareMemory(CallContext &context, const Arguments &arguments, const BufferData &buffer,
                 const BufferData &owner);
/// A buffer of the call's own.
View scratch(CallContext &context, ShapeRef shape, DType dtype);
/// The same bytes as elements of another type; the lanes are rows of adjacent elements. Nothing
/// where rows are not a whole number of them.
std::optional<View> reinterpret(const View &view, mlir::Type element);
/// Brings the views into the shape of the first: the same up to dimensions of 1, or all of them
/// without gaps and as long. False after an error.
bool alike(CallContext &context, const Arguments &arguments, llvm::MutableArrayRef<View *> views);
/// False, after an error, if the elements of a view are of another type than those of `like`.
bool expectTypeOf(CallContext &context, const Arguments &arguments, const View &view,
                  const View &like);
/// The first `count` lanes of a view without gaps, as one dimension; nothing after an error.
std::optional<View> firstLanes(CallContext &context, const Arguments &arguments, const View &view,
                               int64_t count);
/// Cuts the views to the first lanes where the call gives `count`. False after an error.
bool cutToCount(CallContext &context, const Arguments &arguments,
                llvm::MutableArrayRef<View *> views);

/// The window of some lanes, `skipped` lanes' worth of bytes behind the start of the view.
mlir::Value windowOf(CallContext &context, const View &view, ShapeRef sizes, ShapeRef strides,
                     int64_t skippedBytes = 0);
/// The lanes of a view without gaps as bits of a mask.
mlir::Value maskWindow(CallContext &context, const View &view, int64_t bits, int64_t skippedBytes);

/// The windows of the operands of one instruction, in the order of the views.
using Parts = llvm::ArrayRef<mlir::Value>;
/// Windows of views of one shape. Places that the machine does not reach are errors: poison, else
/// None.
Value forEachWindow(CallContext &context, const Arguments &arguments, llvm::ArrayRef<View> views,
                    llvm::function_ref<void(Parts)> emit);

/// Lanes lie behind one another without gaps.
bool isDense(const View &view);

//===----------------------------------------------------------------------------------------===//
// What the machine can do
//===----------------------------------------------------------------------------------------===//

/// The machine's element type; nothing for types that no instruction knows.
std::optional<machine::Element> elementOf(DType dtype);
/// Whether some chip that Kiln knows has what `has` asks for. What a given chip lacks is told
/// later, by kiln-npu-verify-program.
bool someChip(llvm::function_ref<bool(const machine::Machine &)> has);
/// False after an error that lists the types that the instruction works on.
bool expectElement(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                   machine::Opcode opcode, DType dtype);

/// The rounding that a conversion takes: none where it is exact, else `wanted`; nothing where no
/// chip converts so.
std::optional<machine::Rounding> conversionRounding(machine::Element from, machine::Element to,
                                                    machine::Rounding wanted);
/// Says to what elements can be converted.
Value noConversion(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                   DType from, DType to);
inline bool isUnsignedInteger(DType dtype) { return info(dtype).kind == DTypeInfo::Unsigned; }

//===----------------------------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------------------------===//

/// The name of an argument by its position: calls have their destination first.
inline llvm::StringRef nameOf(const Arguments &arguments, size_t index) {
  return arguments.bound[index].name;
}
/// A number, a runtime scalar or one element of a buffer.
bool isScalarOperand(const Value &value);
/// The same as a scalar of a dtype, in the IR's type; null after an error.
mlir::Value scalarArgument(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                           DType dtype);
mlir::Value constantOf(CallContext &context, DType dtype, double value);
mlir::Value indexConstant(CallContext &context, int64_t value);

//===----------------------------------------------------------------------------------------===//
// Order inside one call
//===----------------------------------------------------------------------------------------===//

/// Whether flags and barriers are the author's.
bool isOrderedByAuthor(CallContext &context);
/// What follows on V comes after all before it; nothing where the compiler orders.
void orderVector(CallContext &context);
/// All pipes stop around what the scalar unit does instead of V, of which the author's flags cannot
/// know; nothing where the compiler orders.
void stopAll(CallContext &context, llvm::StringRef reason);
/// What follows on `destination` comes after all that `source` was given before.
void handOver(CallContext &context, machine::Pipe source, machine::Pipe destination);

/// The id of the flags between MTE2 and V that a copy with a pad value uses for itself.
inline constexpr int64_t kFillFlag = 7;

} // namespace kiln::frontend::tilelang::expert

#endif // KILN_LIB_FRONTEND_TILELANG_EXPERT_H
