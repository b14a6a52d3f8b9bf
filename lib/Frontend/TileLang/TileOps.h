//===- TileOps.h - operands of operations on whole tiles --------------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// `T.tile.…` and `T.reduce_…` read and write regions on chip of extents that are known. A tile
// operation works on as many elements as its destination has, counted row-major: an operand of
// another shape but as many elements is taken in the destination's shape. The functions here report
// what is wrong; a result that is absent or poison means that they did.
//
//===-----------------------------------------------------------------------------------------===//

#ifndef KILN_LIB_FRONTEND_TILELANG_TILEOPS_H
#define KILN_LIB_FRONTEND_TILELANG_TILEOPS_H

#include "Buffers.h"

namespace kiln::frontend::tilelang {

/// A region on chip with its extents.
struct Tile {
  RegionData region;
  Shape shape;
  /// Only the first elements of what was given: so also of the other operands.
  bool isCut = false;

  DType dtype() const { return region.buffer->dtype; }
  int64_t count() const;
  /// For messages.
  Value value() const;
};

/// Reports a call inside `T.Parallel`, where there are elements and no tiles. False after that.
bool expectTiles(CallContext &context);
/// A buffer on chip or a slice of one. One element is an error: it would be a corner elsewhere.
std::optional<Tile> tileArgument(CallContext &context, const Arguments &arguments,
                                 llvm::StringRef name);
/// The same, cut to its first elements where the call gives `countName`.
std::optional<Tile> tileArgument(CallContext &context, const Arguments &arguments,
                                 llvm::StringRef name, llvm::StringRef countName);
/// The first `count` elements of a tile, row-major; an error where these are no region.
std::optional<Tile> firstOf(CallContext &context, const Tile &tile, int64_t count);
/// The same tile with other extents, from the same corner.
Tile resized(const Tile &tile, ShapeRef shape);
/// The extents of the dimensions that no index names, as `x[i, :]` has one; at least one.
Shape slicedShape(const Tile &tile);
/// The shape in which the source of `T.tile.broadcast` stretches to `slicedShape(dst)`, dimensions
/// of 1 being stretched; nothing after an error.
std::optional<Shape> shapeToStretch(CallContext &context, const Arguments &arguments,
                                    const Tile &dst, const Tile &src);
/// A block converted as `T.tile.cast` and copies on chip do it where no mode is given: what the
/// type cannot hold goes to the nearest, ties to even.
Value castToNearest(CallContext &context, const Value &value, DType to);
Value load(CallContext &context, const Tile &tile);
/// A tile as a block of `like`'s shape; it has to have as many elements.
Value loadLike(CallContext &context, const Arguments &arguments, llvm::StringRef name,
               const Tile &tile, const Tile &like);

/// A tensor operand of `like`'s dtype as a block of `like`'s shape.
Value tensorOperand(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                    const Tile &like);
/// A buffer on chip or a slice of one that has one element, as that element; anything else as it
/// is.
Value oneElement(const Value &value);
/// A whole number that is written as a float, such as 0.0, as an int; anything else as it is.
Value asWhole(const Value &value);
/// A number, a scalar, or one element on chip (of that dtype exactly) as a scalar of `dtype`.
Value scalarOperand(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                    DType dtype);
/// Either. A tensor of one element counts as a scalar; the result is then a block of it.
Value anyOperand(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                 const Tile &like);

enum class Elements { Any, Floats, Integers };
/// Whether the tile's elements are of that kind; else an error at the argument.
bool expectElements(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                    const Tile &tile, Elements elements);
/// `argument …: found <tile>, expected …`
Value wrongTile(CallContext &context, const Arguments &arguments, llvm::StringRef name,
                const Tile &tile, const llvm::Twine &expected);

//===----------------------------------------------------------------------------------------===//
// Functions of blocks and scalars, floats below 32 bits in f32
//===----------------------------------------------------------------------------------------===//

/// `tl.<function>` of a float; a narrow one is widened first and stays so.
Value floatFunction(CallContext &context, llvm::StringRef function, const Value &x);
/// `base` to the power of `exponent`, floats of one dtype of at least 32 bits.
Value power(CallContext &context, const Value &base, const Value &exponent);
/// An exponent that is known, whole and so small that the power is a product.
std::optional<int64_t> productExponent(const Value &exponent);
/// A base to a whole number's power, as a product.
Value power(CallContext &context, const Value &base, int64_t exponent);

/// The parts of `T.tile`'s table.
void addTileCasts(Vocabulary &vocabulary);
void addTileMasks(Vocabulary &vocabulary);
void addTileShapes(Vocabulary &vocabulary);

} // namespace kiln::frontend::tilelang

#endif // KILN_LIB_FRONTEND_TILELANG_TILEOPS_H
