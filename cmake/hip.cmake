# HIP programs, compiled by clang-22 for every GPU that hipsight decodes.
#   hip_executable(NAME SOURCES source... [OPTIONS ...])   one fat binary for all HIP_TARGETS
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

set(hip_flags -x hip -std=c++20 -gline-tables-only -Wall -Wextra -Wno-unused-parameter
    -D__HIP_PLATFORM_AMD__=1 --rocm-path=${HIPSIGHT_SDK} -isystem ${HIPSIGHT_SDK}/include
    --rocm-device-lib-path=${HIPSIGHT_SDK}/amdgcn/bitcode
    # HIP's headers still ask for this macro, which clang 22 no longer defines.
    -Xarch_host -D__AMDGCN_WAVEFRONT_SIZE=64
    CACHE INTERNAL "Flags of every HIP source")  # seen by the functions, wherever they are called

# Appends the flags that compile for `target` to the list named `list`.
function(hip_add_target target list)
  set(wave 64)
  if(target MATCHES "^gfx1")
    set(wave 32)
  endif()
  set(${list} ${${list}} --offload-arch=${target}
      -Xarch_${target} -D__AMDGCN_WAVEFRONT_SIZE=${wave} PARENT_SCOPE)
endfunction()

function(hip_executable name)
  cmake_parse_arguments(HIP "" "" "SOURCES;OPTIONS" ${ARGN})
  set(flags ${hip_flags} -O3)
  foreach(target ${HIP_TARGETS})
    hip_add_target(${target} flags)
  endforeach()
  list(APPEND flags ${HIP_OPTIONS})
  foreach(source ${HIP_SOURCES})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir/${source}.o)
    get_filename_component(folder ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CMAKE_CXX_COMPILER} ${flags} -MD -MT ${object} -MF ${object}.d -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source}
      DEPFILE ${object}.d
      COMMENT "Building HIP object ${source}.o"
      VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  add_executable(${name} ${objects})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PRIVATE amdhip64)
  if(HIPSIGHT_SANITIZE)  # libamdhip64 then needs the sanitizers' runtime from the program
    target_link_options(${name} PRIVATE -fsanitize=address,undefined)
  endif()
endfunction()

function(hip_code_object file)
  cmake_parse_arguments(HIP "" "SOURCE;TARGET" "OPTIONS" ${ARGN})
  get_filename_component(source ${HIP_SOURCE} ABSOLUTE)
  set(flags ${hip_flags} -O3)
  hip_add_target(${HIP_TARGET} flags)
  get_filename_component(folder ${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${file}
    COMMAND ${CMAKE_CXX_COMPILER} ${flags} ${HIP_OPTIONS} --offload-device-only --no-gpu-bundle-output ${source} -o ${file}
    DEPENDS ${source}
    COMMENT "Building code object ${file}"
    VERBATIM)
endfunction()
