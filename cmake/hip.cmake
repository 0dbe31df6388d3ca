# HIP programs, compiled by clang-22 for every GPU that hipsight decodes.
#   hip_executable(NAME SOURCES source... [OPTIONS ...] [DEFINES macro...])   one fat binary for all HIP_TARGETS,
#                  or for those after TARGETS; the macros are those of the sources: HIP's headers, which are
#                  precompiled, do not see them
#   hip_library(NAME SOURCES source... MAP file)           a library of them
#   hip_code_object(FILE SOURCE source TARGET gfx942 [OPTIONS ...])   one bare ELF, for tests
# The HIP SDK (headers and device bitcode) is what `./dev setup` makes, or an installed ROCm.
include_guard()

set(HIP_TARGETS gfx90a gfx942 gfx950 gfx1100 gfx1201
    CACHE STRING "GPUs that HIP programs are built for")
set(sdk ${CMAKE_SOURCE_DIR}/build/sdk)
if(DEFINED ENV{HIPSIGHT_SDK})
  set(sdk $ENV{HIPSIGHT_SDK})
endif()
set(HIPSIGHT_SDK ${sdk} CACHE PATH "Folder with include/hip and amdgcn/bitcode")
if(NOT EXISTS ${HIPSIGHT_SDK}/include/hip/hip_runtime.h)
  message(FATAL_ERROR
    "No HIP SDK in ${HIPSIGHT_SDK}: run ./dev setup, or set HIPSIGHT_SDK to a ROCm folder")
endif()

# Programs run on the library of the HIP that they were compiled for.
file(STRINGS ${HIPSIGHT_SDK}/include/hip/hip_version.h hip_major REGEX "define HIP_VERSION_MAJOR")
string(REGEX REPLACE "[^0-9]" "" hip_major "${hip_major}")
if(hip_major GREATER 7)  # the newest that there is a library for
  set(hip_major 7)
endif()
set(hip_library amdhip64_${hip_major} CACHE INTERNAL "The library of HIP that HIP programs are linked with")
set(hip_major ${hip_major} CACHE INTERNAL "The HIP that HIP programs are compiled for")

# HIP 5's headers, for tests of programs that are as old.
set(hip5_sdk ${HIPSIGHT_SDK})
if(EXISTS ${HIPSIGHT_SDK}/hip5)
  set(hip5_sdk ${HIPSIGHT_SDK}/hip5)
endif()

# Our hipcc knows the flags that every HIP source needs; people use it, too.
list(JOIN HIP_TARGETS " " hip_target_words)
# Conversions to bf16 on the host are in compiler-rt; in libgcc, from version 13 on.
set(hip_link_flags --rtlib=compiler-rt --unwindlib=libgcc CACHE INTERNAL "Flags to link HIP programs with")
list(JOIN hip_link_flags " " hip_link_words)
set(hip_library_folder ${CMAKE_BINARY_DIR}/lib)
configure_file(${CMAKE_CURRENT_LIST_DIR}/hipcc.in ${CMAKE_BINARY_DIR}/hipcc @ONLY)
set(hipcc ${CMAKE_BINARY_DIR}/hipcc CACHE INTERNAL "Compiles HIP")
set(hip_flags -std=c++20 -O3 -gline-tables-only -Wall -Wextra -Wno-unused-parameter
    CACHE INTERNAL "Flags of our HIP sources")  # seen by the functions, wherever they are called

# Headers, precompiled for the host and for each GPU: clang takes what fits from a folder "X.gch" when
# it is to include X.
set(hip_headers ${CMAKE_BINARY_DIR}/hip/headers.h)
if(NOT TARGET hip_precompiled)
  set(hip_precompiled_targets ${HIP_TARGETS} CACHE INTERNAL "GPUs with precompiled headers")
  configure_file(${CMAKE_CURRENT_LIST_DIR}/hip_headers.h ${hip_headers} COPYONLY)
  file(MAKE_DIRECTORY ${hip_headers}.gch)
  # hip_precompile(NAME FLAG...)
  macro(hip_precompile name)
    set(file ${hip_headers}.gch/${name})
    list(APPEND precompiled ${file})
    add_custom_command(
      OUTPUT ${file}
      COMMAND ${hipcc} ${hip_flags} ${ARGN} -fsyntax-only -x hip ${hip_headers}
        -Xclang -emit-pch -Xclang -o -Xclang ${file}
      ${depends} COMMENT "Precompiling HIP's headers for ${name}" VERBATIM)
  endmacro()
  # Packages' headers are older than what was made from those before them; the SDK's recipe is not.
  file(GLOB sdk_recipe ${HIPSIGHT_SDK}/recipe)
  set(depends DEPENDS ${hip_headers} ${hipcc} ${sdk_recipe} DEPFILE ${hip_headers}.d)
  hip_precompile(host --offload-host-only -MD -MT ${hip_headers}.gch/host -MF ${hip_headers}.d)
  set(depends DEPENDS ${hip_headers}.gch/host)  # clang does not say what a GPU's depend on
  foreach(target ${HIP_TARGETS})
    hip_precompile(${target} --offload-device-only --offload-arch=${target})
  endforeach()
  add_custom_target(hip_precompiled DEPENDS ${precompiled})
endif()

# hip_use_headers(RESULT TARGETS gfx... OPTIONS ...): the flags that include them, where they fit:
# options of the machine and folders do not change what headers mean.
function(hip_use_headers result)
  cmake_parse_arguments(HIP "" "" "TARGETS;OPTIONS" ${ARGN})
  list(REMOVE_ITEM HIP_TARGETS ${hip_precompiled_targets})
  list(FILTER HIP_OPTIONS EXCLUDE REGEX "^-[mI]")
  set(flags -include ${hip_headers})
  if(HIP_OPTIONS OR HIP_TARGETS)
    unset(flags)
  endif()
  set(${result} ${flags} PARENT_SCOPE)
endfunction()

# The objects of HIP sources, for HIP_TARGETS.
function(hip_objects result name)
  cmake_parse_arguments(HIP "" "" "SOURCES;OPTIONS;DEFINES" ${ARGN})
  list(JOIN HIP_TARGETS "," targets)
  hip_use_headers(headers TARGETS ${HIP_TARGETS} OPTIONS ${HIP_OPTIONS})
  if(HIP_DEFINES)  # after the precompiled headers, whose options must not differ
    list(TRANSFORM HIP_DEFINES REPLACE "(.+)" "#define \\1\n")
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir/defines.h CONTENT "${HIP_DEFINES}")
    list(APPEND headers -include ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir/defines.h)
  endif()
  foreach(source ${HIP_SOURCES})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir/${source}.o)
    get_filename_component(folder ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${hipcc} ${hip_flags} --offload-arch=${targets} ${HIP_OPTIONS} ${headers} -MD -MT ${object} -MF ${object}.d -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source} ${hipcc} hip_precompiled
      DEPFILE ${object}.d
      COMMENT "Building HIP object ${source}.o"
      VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(${result} ${objects} PARENT_SCOPE)
endfunction()

# How what is made of them is linked.
function(hip_link target)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_options(${target} PRIVATE ${hip_link_flags})
  target_link_libraries(${target} PRIVATE ${hip_library})
  if(HIPSIGHT_SANITIZE)  # libamdhip64 then needs the sanitizers' runtime from the program
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
endfunction()

function(hip_executable name)
  cmake_parse_arguments(PROGRAM "" "" "SOURCES;OPTIONS;DEFINES;TARGETS" ${ARGN})
  if(PROGRAM_TARGETS)
    set(HIP_TARGETS ${PROGRAM_TARGETS})
  endif()
  hip_objects(objects ${name} SOURCES ${PROGRAM_SOURCES} OPTIONS ${PROGRAM_OPTIONS} DEFINES ${PROGRAM_DEFINES})
  add_executable(${name} ${objects})
  hip_link(${name})
endfunction()

# hip_library(NAME SOURCES source... MAP file): a shared one that shows what the version script names
function(hip_library name)
  cmake_parse_arguments(LIBRARY "" "MAP" "SOURCES;OPTIONS" ${ARGN})
  hip_objects(objects ${name} SOURCES ${LIBRARY_SOURCES} OPTIONS -fPIC -fvisibility=hidden ${LIBRARY_OPTIONS})
  add_library(${name} SHARED ${objects})
  hip_link(${name})
  target_link_options(${name} PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/${LIBRARY_MAP} -Wl,-Bsymbolic
    -Wl,-z,defs)
endfunction()

function(hip_code_object file)
  cmake_parse_arguments(HIP "" "SOURCE;TARGET" "OPTIONS" ${ARGN})
  get_filename_component(source ${HIP_SOURCE} ABSOLUTE)
  get_filename_component(folder ${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  hip_use_headers(headers TARGETS ${HIP_TARGET} OPTIONS ${HIP_OPTIONS})
  add_custom_command(
    OUTPUT ${file}
    COMMAND ${hipcc} ${hip_flags} --offload-arch=${HIP_TARGET} ${HIP_OPTIONS} ${headers} --offload-device-only --no-gpu-bundle-output ${source} -o ${file}
    DEPENDS ${source} ${hipcc} hip_precompiled
    COMMENT "Building code object ${file}"
    VERBATIM)
endfunction()
