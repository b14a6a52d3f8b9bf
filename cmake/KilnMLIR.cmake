# LLVM/MLIR 22, linked dynamically: `MLIR LLVM` only, so that no static copy (a second set of type ids) slips in.

set(KILN_LLVM_MAJOR 22)
list(PREPEND CMAKE_PREFIX_PATH /usr/lib/llvm-${KILN_LLVM_MAJOR})
find_package(MLIR REQUIRED CONFIG)
if(NOT LLVM_VERSION_MAJOR EQUAL KILN_LLVM_MAJOR OR LLVM_PACKAGE_VERSION VERSION_LESS 22.1)
  message(FATAL_ERROR "found LLVM ${LLVM_PACKAGE_VERSION}, expected ${KILN_LLVM_MAJOR}.1 or a later ${KILN_LLVM_MAJOR}.x (run scripts/setup.sh)")
endif()
find_package(LLD REQUIRED CONFIG)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include(KilnTableGen)
separate_arguments(KILN_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})

add_library(kiln_mlir_options INTERFACE)
target_link_libraries(kiln_mlir_options INTERFACE kiln_options)
target_include_directories(kiln_mlir_options SYSTEM INTERFACE
  ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_compile_definitions(kiln_mlir_options INTERFACE ${KILN_LLVM_DEFINITIONS})
target_compile_options(kiln_mlir_options INTERFACE -fno-exceptions)

# kiln_compiler_library(NAME SOURCES... [PCH header] [DEPENDS targets...]): one object library of the compiler;
# they end in the shared libraries kiln_ir and kiln_compiler (lib/CMakeLists.txt).
function(kiln_compiler_library name)
  cmake_parse_arguments(ARG "" "PCH" "DEPENDS" ${ARGN})
  add_library(${name} OBJECT ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC kiln_mlir_options nlohmann_json::nlohmann_json)
  add_dependencies(${name} kiln_tablegen ${ARG_DEPENDS})
  if(ARG_PCH)
    kiln_use_pch(${name} ${ARG_PCH})
  endif()
  set_property(GLOBAL APPEND PROPERTY KILN_COMPILER_LIBRARIES ${name})
endfunction()
