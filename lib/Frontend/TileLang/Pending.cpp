// Weak stand-ins until Parallel.cpp and Level.cpp are there; removed then.
#include "Hooks.h"
namespace kiln::frontend::tilelang {
__attribute__((weak)) Lowering npuLoweringOf(llvm::StringRef) { return nullptr; }
__attribute__((weak)) void decideLevel(CallContext &) {}
__attribute__((weak)) Value readInLanes(CallContext &context, const RegionData &) { return context.error("T.Parallel is not there yet"); }
__attribute__((weak)) Value writeInLanes(CallContext &context, const RegionData &, const Value &) { return context.error("T.Parallel is not there yet"); }
__attribute__((weak)) bool enterMask(CallContext &, const Value &) { return false; }
__attribute__((weak)) void leaveMask(CallContext &) {}
__attribute__((weak)) Value selectLanes(CallContext &, const Value &, const Value &x, const Value &) { return x; }
} // namespace kiln::frontend::tilelang
