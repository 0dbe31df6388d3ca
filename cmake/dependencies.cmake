# Every dependency comes from a package manager through ./dev setup.
find_package(LLVM 22.1 REQUIRED CONFIG PATHS /usr/lib/llvm-22/lib/cmake/llvm)
find_package(fmt REQUIRED)
find_package(TBB REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
find_package(Threads REQUIRED)
find_package(MPI COMPONENTS CXX)  # not required: ranks of several processes need it

# What other people's programs load shares a process with code that we do not know, which may bring an LLVM, fmt
# or libstdc++ of its own under the same names. Such a library has these inside (HIPSIGHT_STANDS_ALONE); all others,
# tests among them, link the shared ones: they are small, and quick to link.
set(stands_alone $<BOOL:$<TARGET_PROPERTY:HIPSIGHT_STANDS_ALONE>>)
# What of LLVM we use. Its archives are for lld, which finds what they want of each other.
execute_process(
  COMMAND ${LLVM_TOOLS_BINARY_DIR}/llvm-config --link-static --libfiles
    x86codegen amdgpudisassembler passes orcjit bitreader bitwriter debuginfodwarf object
  OUTPUT_VARIABLE llvm_archives OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(llvm_archives)
list(APPEND llvm_archives libz.a libzstd.a)
list(TRANSFORM llvm_archives REPLACE "^lib(z|zstd)\\.a$" "-l:\\0")

# LLVM's headers are system headers, so its warnings are not ours.
add_library(hipsight_llvm INTERFACE)
include(cmake/llvm_headers.cmake)
llvm_headers(llvm_folders ${LLVM_INCLUDE_DIRS})
target_include_directories(hipsight_llvm SYSTEM INTERFACE ${llvm_folders})
target_link_libraries(hipsight_llvm INTERFACE "$<IF:${stands_alone},${llvm_archives},LLVM>")
# Debian has fmt's code as a shared library only; the other is made from its headers.
add_library(hipsight_fmt INTERFACE)
target_compile_definitions(hipsight_fmt INTERFACE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
target_link_libraries(hipsight_fmt INTERFACE $<IF:${stands_alone},hipsight_fmt_inside,fmt::fmt>)

find_library(RE2_LIBRARY re2 REQUIRED)

# What every part of hipsight is compiled with.
add_library(hipsight_options INTERFACE)
target_compile_features(hipsight_options INTERFACE cxx_std_20)
target_compile_options(hipsight_options INTERFACE -Wall -Wextra -Wno-unused-parameter)
# Streams work until the process has ended, and the program's own exit handlers may still call HIP: what
# they use is never destroyed.
target_compile_options(hipsight_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-fc++-static-destructors=thread-local>)
target_include_directories(hipsight_options INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
if(HIPSIGHT_SANITIZE)
  target_compile_options(hipsight_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined)
  target_link_options(hipsight_options INTERFACE -fsanitize=address,undefined)
endif()

# hipsight_precompile(TARGET HEADER [VARIANT]): HEADER.h of this folder, precompiled once for all targets
# that name it and the variant; they must be compiled alike.
function(hipsight_precompile target header)
  set(owner hipsight_precompiled_${header}_${ARGN})
  get_property(first GLOBAL PROPERTY ${owner})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/${header}.h)
    set_property(GLOBAL PROPERTY ${owner} ${target})
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)  # the compiler cache wants the same bytes each time
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# hipsight_alone(FILE...): sources whose own names other sources of their program have too. The release preset has
# several sources compiled at once (CMAKE_UNITY_BUILD), which takes less time, but not these.
function(hipsight_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# hipsight_part(NAME SOURCES... USES parts...): the library of one folder of src/.
function(hipsight_part name)
  cmake_parse_arguments(PART "" "" "SOURCES;USES" ${ARGN})
  add_library(hipsight_${name} STATIC ${PART_SOURCES})
  target_link_libraries(hipsight_${name} PUBLIC hipsight_options hipsight_fmt nlohmann_json::nlohmann_json ${PART_USES})
  hipsight_precompile(hipsight_${name} std_headers)
  add_dependencies(core hipsight_${name})
endfunction()
