# Compile options that every Kiln target shares, and the functions that declare targets.

add_library(kiln_options INTERFACE)
target_include_directories(kiln_options INTERFACE
  ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
target_compile_options(kiln_options INTERFACE
  -Wall -Wextra -Wno-unused-parameter -Werror=return-type -fno-semantic-interposition)
target_link_options(kiln_options INTERFACE -fuse-ld=lld -Wl,--build-id=sha1)
if(KILN_SANITIZE)
  target_compile_options(kiln_options INTERFACE
    -fsanitize=${KILN_SANITIZE} -fno-omit-frame-pointer -g1)
  target_link_options(kiln_options INTERFACE -fsanitize=${KILN_SANITIZE} -shared-libsan)
  if(KILN_SANITIZE MATCHES "undefined")
    target_compile_options(kiln_options INTERFACE
      -fno-sanitize=vptr,function -fno-sanitize-recover=undefined)
  endif()
endif()

# kiln_use_pch(TARGET HEADER): the library's precompiled header.
function(kiln_use_pch target header)
  target_precompile_headers(${target} PRIVATE ${header})
  target_compile_options(${target} PRIVATE -Xclang -fno-pch-timestamp)
endfunction()
