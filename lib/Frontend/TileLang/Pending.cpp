// Weak stand-ins until Parallel.cpp and Level.cpp are there; removed then.
#include "Hooks.h"
namespace kiln::frontend::tilelang {
__attribute__((weak)) Lowering npuLoweringOf(llvm::StringRef) { return nullptr; }
__attribute__((weak)) void decideLevel(CallContext &) {}
} // namespace kiln::frontend::tilelang
