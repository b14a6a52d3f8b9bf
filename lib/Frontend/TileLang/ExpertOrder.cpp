//===- ExpertOrder.cpp - flags, barriers, scopes, addresses -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// What orders instructions and what places buffers, as the author wrote it, and the names that only
// the npu level has.
//
//===-----------------------------------------------------------------------------------------===//

#include "Expert.h"
#include "Tables.h"
#include "TileOps.h"

#include "machine/MachineFile.h"

#include "kiln/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace kiln::frontend::tilelang::expert {

using llvm::StringLiteral;
using llvm::Twine;
using machine::Pipe;

//===----------------------------------------------------------------------------------------===//
// Flags and barriers
//===----------------------------------------------------------------------------------------===//

static constexpr StringLiteral kVectorPipes = "'mte2', 'v', 'mte3' or 's'";

/// A pipe of a vector core by its name, in any case, with or without `PIPE_`.
static std::optional<Pipe> pipeArgument(CallContext &context, const Arguments &arguments,
                                        llvm::StringRef name) {
  std::optional<std::string> text = context.stringConst(arguments, name);
  if (!text)
    return std::nullopt;
  llvm::StringRef word = *text;
  word.consume_front_insensitive("PIPE_");
  std::optional<Pipe> pipe = machine::pipeByName(word.upper());
  if (pipe == Pipe::M || pipe == Pipe::MTE1 || pipe == Pipe::FIX) {
    triton::wrongArgument(context, arguments, name,
                          "'" + *text + "', a pipe of the matrix core, which is not there yet",
                          kVectorPipes);
    return std::nullopt;
  }
  if (!pipe)
    triton::wrongArgument(context, arguments, name, "'" + *text + "'", kVectorPipes);
  return pipe;
}

/// The id of a flag, as an index.
static mlir::Value idArgument(CallContext &context, const Arguments &arguments,
                              llvm::StringRef name) {
  Value id = context.read(arguments[name]);
  int64_t ids = 0;
  someChip([&](const machine::Machine &chip) {
    ids = std::max<int64_t>(ids, chip.limits.flagIds);
    return false;
  });
  if (const Integer *known = id.asInt()) {
    std::optional<int64_t> number = known->asInt64();
    if (number && *number >= 0 && *number < ids)
      return indexConstant(context, *number);
    triton::wrongArgument(context, arguments, name, known->str(),
                          "a flag id from 0 to " + Twine(ids - 1));
    return {};
  }
  if (!id.isRuntime() || id.type().isBlock() || !id.type().isIntegerLike() ||
      isBool(id.type().dtype())) {
    triton::wrongArgument(context, arguments, name, id, "an integer: the id of the flag");
    return {};
  }
  return mlir::getValueOrCreateConstantIndexOp(context.builder(), context.loc(),
                                               indexOf(context, id));
}

/// Copies that fill use a flag of their own (ExpertCopies.cpp).
static bool clashesWithFill(CallContext &context, Pipe source, Pipe destination, mlir::Value id) {
  bool isPair = (source == Pipe::MTE2 && destination == Pipe::V) ||
                (source == Pipe::V && destination == Pipe::MTE2);
  if (!isPair || mlir::getConstantIntValue(id) != kFillFlag)
    return false;
  stateOf(context).usesFillFlag = true;
  if (!stateOf(context).fills)
    return false;
  context.error("id " + Twine(kFillFlag) +
                " of the flags between mte2 and v is that of copies that fill what is outside the "
                "tensor, of which the kernel has one; expected another id");
  return true;
}

template <typename Op> static Value lowerFlag(CallContext &context, const Arguments &arguments) {
  std::optional<Pipe> source = pipeArgument(context, arguments, "src");
  std::optional<Pipe> destination = pipeArgument(context, arguments, "dst");
  mlir::Value id = idArgument(context, arguments, "event_id");
  if (!source || !destination || !id)
    return Value::poison();
  if (*source == *destination)
    return triton::wrongArgument(context, arguments, "dst",
                                 "'" + npu::lowerName(*source) + "' for both pipes",
                                 "two different pipes; within one T.pipe_barrier orders");
  if (clashesWithFill(context, *source, *destination, id))
    return Value::poison();
  context.create<Op>(*source, *destination, id);
  return Value::none();
}

static Value lowerPipeBarrier(CallContext &context, const Arguments &arguments) {
  const std::string *text = arguments["pipe"].asString();
  llvm::StringRef word = text ? llvm::StringRef(*text) : "";
  word.consume_front_insensitive("PIPE_");
  if (word.equals_insensitive("ALL")) {
    context.create<npu::BarrierOp>(npu::PipeAttr(), mlir::StringAttr());
    return Value::none();
  }
  std::optional<Pipe> pipe = pipeArgument(context, arguments, "pipe");
  if (!pipe)
    return Value::poison();
  context.create<npu::BarrierOp>(npu::PipeAttr::get(context.mlirContext(), *pipe),
                                 mlir::StringAttr());
  return Value::none();
}

static Value lowerBarrierAll(CallContext &context, const Arguments &) {
  context.create<npu::BarrierOp>(npu::PipeAttr(), mlir::StringAttr());
  return Value::none();
}

//===----------------------------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------------------------===//

static Value lowerScope(CallContext &context, const Arguments &arguments) {
  std::optional<std::string> kind = context.stringConst(arguments, "name");
  if (!kind)
    return Value::poison();
  if (*kind == "C")
    return context.errorAt(arguments, "name",
                           "T.Scope(\"C\") is not there yet: it is code of the matrix core");
  if (*kind != "V")
    return triton::wrongArgument(context, arguments, "name", "'" + *kind + "'", "'V' or 'C'");
  ScopeData scope;
  scope.enter = [](CallContext &inner, size_t targets) {
    return targets ? inner.error("T.Scope gives nothing to name") : Value::none();
  };
  return Value::scope(std::move(scope));
}

//===----------------------------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------------------------===//

static Value placeBuffer(CallContext &context, const Arguments &arguments, const Value &key,
                         const Value &place) {
  auto wrong = [&](const Twine &found, const Twine &expected) {
    return triton::wrongArgument(context, arguments, arguments.bound[0].name, found, expected);
  };
  std::shared_ptr<const BufferData> buffer = key.asBuffer();
  if (!buffer || buffer->isGlobal)
    return wrong(describe(key), "a buffer on chip as key");
  auto alloc = buffer->handle.getDefiningOp<tile::LocalAllocOp>();
  std::optional<int64_t> address = knownInt(place);
  if (!alloc)
    return wrong(describe(key) + ", a view of a buffer", "the buffer itself");
  if (!address)
    return wrong(describe(place) + " for '" + buffer->name + "'", "an address in bytes");
  if (!buffer->memory.empty() && buffer->memory != "ub")
    return wrong("'" + buffer->name + "' in " + buffer->memory, "a buffer in ub");
  if (alloc.getAddress())
    return wrong("address " + Twine(*address) + " for '" + buffer->name +
                     "', which already lies at " + Twine(*alloc.getAddress()),
                 "each buffer once");
  if (*address < 0 || *address % kBlockBytes != 0)
    return wrong("address " + Twine(*address) + " for '" + buffer->name + "'",
                 "a multiple of " + Twine(kBlockBytes) + " that is not negative");
  tile::LocalType type = alloc.getResult().getType();
  int64_t bytes = mlir::ShapedType::getNumElements(type.getShape()) *
                  int64_t(type.getElementType().getIntOrFloatBitWidth()) / 8;
  int64_t room = 0;
  someChip([&](const machine::Machine &chip) {
    room = std::max<int64_t>(room, chip.memory(machine::Memory::UB).usableBytes);
    return false;
  });
  if (*address > room - bytes)
    return wrong("'" + buffer->name + "' from byte " + Twine(*address) + " to " +
                     Twine(*address + bytes),
                 "at most " + Twine(room) + ", the size of ub");
  alloc.setAddress(*address);
  return Value::none();
}

static Value lowerAddresses(CallContext &context, const Arguments &arguments) {
  const Value &map = arguments[0];
  bool isMap = map.isTuple() && llvm::all_of(map.elements(), [](const Value &pair) {
                 return pair.isTuple() && pair.elements().size() == 2;
               });
  if (!isMap)
    return triton::wrongArgument(context, arguments, arguments.bound[0].name, map,
                                 "a dictionary of buffers and addresses");
  Value result = Value::none();
  for (const Value &pair : map.elements())
    if (placeBuffer(context, arguments, pair.elements()[0], pair.elements()[1]).isPoison())
      result = Value::poison();
  return result;
}

//===----------------------------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------------------------===//

/// For names that only the npu level has. A kernel is there because it spells one of them
/// (Level.cpp): another name for it would come too late.
static Value lowerHere(CallContext &context, const Arguments &arguments) {
  if (!expectTiles(context))
    return Value::poison();
  if (stateOf(context).isNpuLevel)
    return npuOnly(context, arguments);
  return context.error("found " + context.callee() +
                       " under another name, expected a call by its own name: it decides how the "
                       "kernel is compiled");
}

llvm::ArrayRef<Row> orderRows() {
  static constexpr Row kRows[] = {
      {"T.set_flag", lowerFlag<npu::SetOp>},
      {"T.wait_flag", lowerFlag<npu::WaitOp>},
      {"T.pipe_barrier", lowerPipeBarrier},
      {"T.barrier_all", lowerBarrierAll},
  };
  return kRows;
}

static constexpr LanguageEntry kEntries[] = {
    {"T.set_flag", "src, dst, event_id", lowerHere},
    {"T.wait_flag", "src, dst, event_id", lowerHere},
    {"T.pipe_barrier", "pipe", lowerHere},
    {"T.barrier_all", "", lowerHere},
    {"T.Scope", "name", lowerScope},
    {"T.annotate_address", "addresses", lowerAddresses},
    {"T.reinterpretcast", "dst, src, dtype", lowerHere},
    {"T.tile.gather", "dst, src, src_offset, src_base_addr=0", lowerHere},
    {"T.tile.block_reduce_sum",
     "dst, src, repeat, mask, dst_rep_stride, src_blk_stride, src_rep_stride", lowerHere},
    {"T.tile.block_reduce_max",
     "dst, src, repeat, mask, dst_rep_stride, src_blk_stride, src_rep_stride", lowerHere},
    {"T.tile.block_reduce_min",
     "dst, src, repeat, mask, dst_rep_stride, src_blk_stride, src_rep_stride", lowerHere},
    {"T.tile.wholereducesum",
     "dst, src, mask, repeat, dst_rep_stride, src_blk_stride, src_rep_stride", lowerHere},
    {"T.tile.wholereducemax",
     "dst, src, mask, repeat, dst_rep_stride, src_blk_stride, src_rep_stride, order=None",
     lowerHere},
    {"T.tile.wholereducemin",
     "dst, src, mask, repeat, dst_rep_stride, src_blk_stride, src_rep_stride, order=None",
     lowerHere},
    {"T.tile.brcb", "dst, src, repeat, dst_blk_stride, dst_rep_stride", lowerHere},
};

/// Between cores, and what no instruction of the dialect does.
static constexpr StringLiteral kNotYet =
    "T.set_cross_flag T.wait_cross_flag T.sync_all T.init_flag T.clear_flag T.tile.gatherb "
    "T.tile.gather_mask T.tile.brcb_experiment T.tile.sort32 T.tile.merge_sort "
    "T.tile.init_sort_buf T.tile.bilinear_interpolation T.tile.sub_experiment "
    "T.tile.abs_experiment T.tile.mins_experiment T.tile.reduce_sum_experiment "
    "T.tile.reduce_sum_mask_experiment T.tile.gathermask_experiment T.tile.fill_experiment "
    "T.tile.sum_experiment T.tile.datacachecleanandinvalid_experiment";

} // namespace kiln::frontend::tilelang::expert

namespace kiln::frontend::tilelang {

void addExpert(Vocabulary &vocabulary) {
  vocabulary.add(expert::kEntries);
  vocabulary.addNotThereYet(expert::kNotYet);
}

} // namespace kiln::frontend::tilelang
