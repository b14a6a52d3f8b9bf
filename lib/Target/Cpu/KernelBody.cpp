//===- KernelBody.cpp - a kernel becomes a function of its program's coordinates -------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
//   func.func @k(%p: !tile.ptr<f32>) {           func.func @k(%p, %x, %y, %z, %gx, …, %program,
//   %launch) -> i32 {
//     %0 = tile.program_id 0                       … uses of %0 read %x …
//     return                                       return %ok : i32
//   }                                            }
// A masked scalar access becomes an `scf.if`, so that a lane that is off never touches memory.
// Prints call the host through KilnServices (runtime/base/KernelAbi.h); the member offsets used
// here are checked against it.
//
//===-----------------------------------------------------------------------------------------===//

#include "Kernel.h"
#include "VectorLoops/Scratch.h"

#include "kiln/Dialect/Tile/IR/Tile.h"
#include "runtime/base/KernelAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <cstddef>

using namespace mlir;

namespace kiln::cpu {
namespace {

static_assert(sizeof(KilnPrintValue) == 16 && offsetof(KilnPrintValue, kind) == 8 &&
              offsetof(KilnPrintValue, width) == 12);

/// Makes calls of KilnServices members inside one kernel body.
class ServiceCalls {
public:
  explicit ServiceCalls(func::FuncOp kernel)
      : kernel(kernel), pointer(LLVM::LLVMPointerType::get(kernel.getContext())) {}

  Value argument(BodyArg index) {
    return kernel.getArgument(kernel.getNumArguments() - kBodyArgCount + index);
  }

  /// The address of constant text in the object.
  Value text(ImplicitLocOpBuilder &b, StringRef value) {
    auto module = kernel->getParentOfType<ModuleOp>();
    std::string name;
    do
      name = ("kiln_text_" + Twine(textCount++)).str();
    while (module.lookupSymbol(name)); // texts of other rewrites
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(module.getBody());
      // An array of no element has no string form; the size is passed beside the address.
      StringAttr attr = b.getStringAttr(value.empty() ? StringRef("\0", 1) : value);
      auto type = LLVM::LLVMArrayType::get(b.getI8Type(), attr.getValue().size());
      LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::Internal, name, attr);
    }
    return LLVM::AddressOfOp::create(b, pointer, name);
  }

  /// Room for `count` elements in the function's frame, allocated once.
  Value room(ImplicitLocOpBuilder &b, Type element, int64_t count) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.getBody().front());
    Value size = LLVM::ConstantOp::create(b, b.getI64Type(), b.getI64IntegerAttr(count));
    return LLVM::AllocaOp::create(b, pointer, element, size, /*alignment=*/8);
  }

  void store(ImplicitLocOpBuilder &b, Value value, Value base, int64_t offset) {
    LLVM::StoreOp::create(b, value, at(b, base, offset));
  }

  /// Calls the member at `offset` of KilnServices with (launch, program, rest…).
  void call(ImplicitLocOpBuilder &b, int64_t offset, ArrayRef<Value> rest) {
    Value launch = argument(Launch);
    Value services = load(b, launch, offsetof(KilnLaunch, services));
    SmallVector<Value> operands{load(b, services, offset), launch, argument(ProgramIndex)};
    llvm::append_range(operands, rest);
    SmallVector<Type> types;
    for (Value operand : ArrayRef(operands).drop_front())
      types.push_back(operand.getType());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), types);
    LLVM::CallOp::create(b, type, operands);
  }

private:
  Value at(ImplicitLocOpBuilder &b, Value base, int64_t offset) {
    return LLVM::GEPOp::create(b, pointer, b.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  }
  Value load(ImplicitLocOpBuilder &b, Value base, int64_t offset) {
    return LLVM::LoadOp::create(b, pointer, at(b, base, offset));
  }

  func::FuncOp kernel;
  LLVM::LLVMPointerType pointer;
  unsigned textCount = 0;
};

Value constant(ImplicitLocOpBuilder &b, unsigned width, int64_t value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(b.getIntegerType(width), value));
}

/// The bits of a printed value, zero-extended to 64, and its KILN_PRINT_ kind.
std::pair<Value, unsigned> printBits(ImplicitLocOpBuilder &b, Value value, bool isSigned) {
  Type type = value.getType(), i64 = b.getI64Type();
  if (isa<tile::PtrType>(type))
    return {tile::PtrToIntOp::create(b, i64, value), KILN_PRINT_POINTER};
  unsigned kind = isSigned ? KILN_PRINT_SIGNED : KILN_PRINT_UNSIGNED;
  if (type.isIndex())
    return {arith::IndexCastOp::create(b, i64, value), kind};
  if (isa<FloatType>(type)) {
    kind = type.isBF16() ? KILN_PRINT_BF16 : KILN_PRINT_FLOAT;
    value = arith::BitcastOp::create(b, b.getIntegerType(type.getIntOrFloatBitWidth()), value);
  }
  if (value.getType() != i64)
    value = arith::ExtUIOp::create(b, i64, value);
  return {value, kind};
}

void lowerPrint(tile::PrintOp print, ServiceCalls &services) {
  ImplicitLocOpBuilder b(print.getLoc(), print);
  unsigned rank = print.getIndices().size(), count = print.getArgs().size();
  Value index = services.room(b, b.getI64Type(), std::max(rank, 1u));
  Value values = services.room(b, b.getI64Type(), std::max(2 * count, 1u));
  for (auto [i, lane] : llvm::enumerate(print.getIndices()))
    services.store(b, arith::IndexCastOp::create(b, b.getI64Type(), lane), index, 8 * i);
  for (auto [i, value] : llvm::enumerate(print.getArgs())) {
    Type type = value.getType();
    unsigned width = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
    auto [bits, kind] = printBits(b, value, print.getIsSigned()[i]);
    int64_t base = sizeof(KilnPrintValue) * i;
    services.store(b, bits, values, base);
    services.store(b, constant(b, 32, kind), values, base + offsetof(KilnPrintValue, kind));
    services.store(b, constant(b, 32, width), values, base + offsetof(KilnPrintValue, width));
  }
  StringRef prefix = print.getPrefix();
  services.call(b, offsetof(KilnServices, print),
                {services.text(b, prefix), constant(b, 64, prefix.size()), index,
                 constant(b, 32, rank), values, constant(b, 32, count),
                 constant(b, 32, print.getHex())});
  print.erase();
}

void lowerMaskedLoad(tile::PtrLoadOp load) {
  ImplicitLocOpBuilder b(load.getLoc(), load);
  Type type = load.getResult().getType();
  Value off = load.getOther();
  if (!off)
    off = arith::ConstantOp::create(b, type, cast<TypedAttr>(b.getZeroAttr(type)));
  auto branch = scf::IfOp::create(
      b, load.getMask(),
      [&](OpBuilder &inner, Location loc) {
        Value value = tile::PtrLoadOp::create(inner, loc, type, load.getPtr(), Value(), Value(),
                                              load.getIsVolatile());
        scf::YieldOp::create(inner, loc, value);
      },
      [&](OpBuilder &inner, Location loc) { scf::YieldOp::create(inner, loc, off); });
  load.getResult().replaceAllUsesWith(branch.getResult(0));
  load.erase();
}

void lowerMaskedStore(tile::PtrStoreOp store) {
  ImplicitLocOpBuilder b(store.getLoc(), store);
  scf::IfOp::create(b, store.getMask(), [&](OpBuilder &inner, Location loc) {
    tile::PtrStoreOp::create(inner, loc, store.getPtr(), store.getValue(), Value());
    scf::YieldOp::create(inner, loc);
  });
  store.erase();
}

bool hasSlotForm(Type type) {
  return isa<tile::PtrType>(type) || type.isF16() || type.isBF16() || type.isF32() ||
         type.isF64() || (type.isInteger() && type.getIntOrFloatBitWidth() <= 64);
}

} // namespace

FailureOr<KernelLayout> prepareKernelBody(func::FuncOp kernel) {
  KernelLayout layout;
  layout.name = kernel.getName().str();
  if (auto bytes = kernel->getAttrOfType<IntegerAttr>(kScratchBytesAttr))
    layout.scratchBytes = bytes.getInt();
  for (unsigned i = 0, e = kernel.getNumArguments(); i != e; ++i) {
    std::optional<int64_t> scratch;
    if (Attribute mark = kernel.getArgAttr(i, kScratchArgAttr)) {
      auto offset = dyn_cast<IntegerAttr>(mark);
      scratch = offset ? offset.getInt() : 0;
    }
    Type type = kernel.getArgument(i).getType();
    if (!scratch && !hasSlotForm(type))
      return kernel.emitError("found kernel argument ")
             << i << " of type " << type << ", expected a pointer, an integer or a float";
    layout.scratchOffsets.push_back(scratch);
  }
  if (!kernel.getResultTypes().empty())
    return kernel.emitError("found a kernel with results, expected none");

  // The LLVM conversion would carry argument attributes along: keep none of ours.
  kernel.removeArgAttrsAttr();
  MLIRContext *context = kernel.getContext();
  Type i32 = IntegerType::get(context, 32), i64 = IntegerType::get(context, 64);
  SmallVector<Type> extra(kBodyArgCount, i32);
  extra[ProgramIndex] = i64;
  extra[Launch] = LLVM::LLVMPointerType::get(context);
  for (Type type : extra)
    kernel.getBody().front().addArgument(type, kernel.getLoc());
  kernel.setFunctionType(
      FunctionType::get(context, kernel.getBody().front().getArgumentTypes(), {i32}));

  ServiceCalls services(kernel);
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    if (auto id = dyn_cast<tile::ProgramIdOp>(op)) {
      id.getResult().replaceAllUsesWith(services.argument(BodyArg(ProgramX + id.getAxis())));
      id.erase();
    } else if (auto count = dyn_cast<tile::NumProgramsOp>(op)) {
      count.getResult().replaceAllUsesWith(services.argument(BodyArg(GridX + count.getAxis())));
      count.erase();
    } else if (auto print = dyn_cast<tile::PrintOp>(op)) {
      lowerPrint(print, services);
    } else if (auto load = dyn_cast<tile::PtrLoadOp>(op); load && load.getMask()) {
      lowerMaskedLoad(load);
    } else if (auto store = dyn_cast<tile::PtrStoreOp>(op); store && store.getMask()) {
      lowerMaskedStore(store);
    } else if (auto ret = dyn_cast<func::ReturnOp>(op)) {
      ImplicitLocOpBuilder b(ret.getLoc(), ret);
      ret.getOperandsMutable().assign(constant(b, 32, KILN_STATUS_OK));
    }
  }
  return layout;
}

void lowerAssertions(func::FuncOp kernel) {
  ServiceCalls services(kernel);
  SmallVector<tile::AssertOp> asserts;
  kernel.walk([&](tile::AssertOp op) { asserts.push_back(op); });
  for (tile::AssertOp op : asserts) {
    Block *before = op->getBlock();
    Block *after = before->splitBlock(op);
    Block *failed = new Block();
    kernel.getBody().push_back(failed);

    ImplicitLocOpBuilder b(op.getLoc(), kernel.getContext());
    b.setInsertionPointToEnd(before);
    cf::CondBranchOp::create(b, op.getCondition(), after, ValueRange(), failed, ValueRange());
    b.setInsertionPointToEnd(failed);
    StringRef message = op.getMessage();
    services.call(b, offsetof(KilnServices, assertFailed),
                  {services.text(b, message), constant(b, 64, message.size())});
    func::ReturnOp::create(b, constant(b, 32, KILN_STATUS_ASSERT));
    op.erase();
  }
}

} // namespace kiln::cpu
