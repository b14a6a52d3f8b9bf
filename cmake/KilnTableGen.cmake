# kiln_tablegen(DEFINITIONS OUTPUT FLAGS...): run mlir-tblgen on DEFINITIONS in this folder and add the output
# to the target kiln_tablegen.
function(kiln_tablegen definitions output)
  set(LLVM_TARGET_DEFINITIONS ${definitions})
  mlir_tablegen(${output} ${ARGN} EXTRA_INCLUDES ${PROJECT_SOURCE_DIR}/include ${MLIR_INCLUDE_DIRS})
  string(MAKE_C_IDENTIFIER "${CMAKE_CURRENT_BINARY_DIR}/${output}" target)
  add_custom_target(tablegen_${target} DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${output})
  add_dependencies(kiln_tablegen tablegen_${target})
endfunction()
