//===- KernelEntry.cpp - the exported function of a kernel object ----------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===-----------------------------------------------------------------------------------------===//
//
// Builds what docs/design/kernel-abi.md promises:
//   kiln_kernel(launch, args, begin, end, scratch):
//     read the grid and the argument slots
//     for program in [begin, end): status = body(…); if status: return status
//   kiln_kernel_info = {abi version, slots, scratch bytes}
// The body has one caller and is inlined into the loop, so what does not depend on the program is
// computed once.
//
//===-----------------------------------------------------------------------------------------===//

#include "Kernel.h"

#include "runtime/base/KernelAbi.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <cstddef>

using namespace mlir;

namespace kiln::cpu {
namespace {

static_assert(sizeof(KilnKernelInfo) == 16 && offsetof(KilnKernelInfo, argCount) == 4 &&
              offsetof(KilnKernelInfo, scratchBytes) == 8 && offsetof(KilnLaunch, grid) == 0);

class EntryBuilder {
public:
  EntryBuilder(LLVM::LLVMFuncOp body, const KernelLayout &layout)
      : body(body), layout(layout), b(body.getLoc(), body.getContext()), i32(b.getI32Type()),
        i64(b.getI64Type()), pointer(LLVM::LLVMPointerType::get(b.getContext())) {}

  void build() {
    b.setInsertionPointAfter(body);
    buildInfo();
    auto type = LLVM::LLVMFunctionType::get(i32, {pointer, pointer, i64, i64, pointer});
    entry = LLVM::LLVMFuncOp::create(b, "kiln_kernel", type);
    Block *start = entry.addEntryBlock(b);
    Block *setup = addBlock({}), *loop = addBlock({i64, i32, i32, i32}), *next = addBlock({});
    Block *exit = addBlock({i32});

    b.setInsertionPointToEnd(start);
    Value begin = entry.getArgument(2), end = entry.getArgument(3),
          ok = constant(i32, KILN_STATUS_OK);
    Value any = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, begin, end);
    LLVM::CondBrOp::create(b, any, setup, ValueRange(), exit, ValueRange(ok));

    b.setInsertionPointToEnd(setup);
    loadArguments();
    SmallVector<Value> first = coordinates(begin);
    first.insert(first.begin(), begin);
    LLVM::BrOp::create(b, first, loop);

    b.setInsertionPointToEnd(loop);
    Value status = callBody(loop->getArguments());
    Value good = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, status, ok);
    LLVM::CondBrOp::create(b, good, next, ValueRange(), exit, ValueRange(status));

    b.setInsertionPointToEnd(next);
    SmallVector<Value> after = advance(loop->getArguments());
    Value more = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, after[0], end);
    LLVM::CondBrOp::create(b, more, loop, after, exit, ValueRange(ok));

    b.setInsertionPointToEnd(exit);
    LLVM::ReturnOp::create(b, exit->getArguments());

    body.setLinkage(LLVM::Linkage::Internal);
    body.setAlwaysInline(true);
  }

private:
  Block *addBlock(ArrayRef<Type> types) {
    Block *block = new Block();
    entry.getBody().push_back(block);
    block->addArguments(types, SmallVector<Location>(types.size(), b.getLoc()));
    return block;
  }

  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
  }

  Value load(Type type, Value base, int64_t offset) {
    Value address = LLVM::GEPOp::create(b, pointer, b.getI8Type(), base,
                                        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
    return LLVM::LoadOp::create(b, type, address);
  }

  void buildInfo() {
    Type type = LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, i64});
    auto info = LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::External,
                                       "kiln_kernel_info", Attribute());
    info->setAttr("kiln.scratch_bytes", b.getI64IntegerAttr(layout.scratchBytes));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(b.createBlock(&info.getInitializerRegion()));
    Value value = LLVM::UndefOp::create(b, type);
    int64_t members[] = {KILN_KERNEL_ABI_VERSION, layout.slotCount(), layout.scratchBytes};
    for (auto [i, member] : llvm::enumerate(members))
      value = LLVM::InsertValueOp::create(b, value, constant(i < 2 ? i32 : i64, member),
                                          static_cast<int64_t>(i));
    LLVM::ReturnOp::create(b, value);
  }

  /// Reads the grid and one value per slot; i1 lives in a byte.
  void loadArguments() {
    for (unsigned axis = 0; axis != 3; ++axis)
      grid[axis] = load(i32, entry.getArgument(0), 4 * axis);
    int64_t slot = 0;
    for (auto [i, scratch] : llvm::enumerate(layout.scratchOffsets)) {
      Type type = body.getArgument(i).getType();
      if (scratch) {
        Value arena = entry.getArgument(4);
        arguments.push_back(*scratch ? LLVM::GEPOp::create(b, pointer, b.getI8Type(), arena,
                                                           constant(i64, *scratch))
                                           .getResult()
                                     : arena);
        continue;
      }
      int64_t offset = 8 * slot++;
      if (type.isInteger(1))
        arguments.push_back(
            LLVM::TruncOp::create(b, type, load(b.getI8Type(), entry.getArgument(1), offset)));
      else
        arguments.push_back(load(type, entry.getArgument(1), offset));
    }
  }

  /// (x, y, z) of a linear program id.
  SmallVector<Value> coordinates(Value program) {
    Value x = LLVM::ZExtOp::create(b, i64, grid[0]), y = LLVM::ZExtOp::create(b, i64, grid[1]);
    Value row = LLVM::UDivOp::create(b, program, x);
    SmallVector<Value> wide{LLVM::URemOp::create(b, program, x), LLVM::URemOp::create(b, row, y),
                            LLVM::UDivOp::create(b, row, y)};
    for (Value &value : wide)
      value = LLVM::TruncOp::create(b, i32, value);
    return wide;
  }

  /// (program, x, y, z) of the next program: counting up spares the divisions.
  SmallVector<Value> advance(ValueRange at) {
    Value zero = constant(i32, 0), carry = constant(i32, 1);
    SmallVector<Value> result{LLVM::AddOp::create(b, at[0], constant(i64, 1))};
    for (unsigned axis = 0; axis != 3; ++axis) {
      Value sum = LLVM::AddOp::create(b, at[1 + axis], carry);
      if (axis == 2) {
        result.push_back(sum);
        break;
      }
      Value full = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, sum, grid[axis]);
      result.push_back(LLVM::SelectOp::create(b, full, zero, sum));
      carry = LLVM::ZExtOp::create(b, i32, full);
    }
    return result;
  }

  Value callBody(ValueRange at) {
    SmallVector<Value> operands(arguments);
    operands.append({at[1], at[2], at[3], grid[0], grid[1], grid[2], at[0], entry.getArgument(0)});
    return LLVM::CallOp::create(b, body, operands).getResult();
  }

  LLVM::LLVMFuncOp body;
  const KernelLayout &layout;
  ImplicitLocOpBuilder b;
  Type i32, i64, pointer;
  LLVM::LLVMFuncOp entry;
  Value grid[3];
  SmallVector<Value> arguments;
};

} // namespace

void buildKernelEntry(LLVM::LLVMFuncOp body, const KernelLayout &layout) {
  EntryBuilder(body, layout).build();
}

} // namespace kiln::cpu
