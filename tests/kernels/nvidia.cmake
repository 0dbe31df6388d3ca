# The same tests as programs for NVIDIA GPUs, on demand (./dev nvidia): nvcc compiles the kernels, and HIP's few names
# that the tests use are CUDA's (cuda/). Linked so that they run on any machine with such a GPU.
find_program(nvcc nvcc)
if(NOT nvcc)
  return()
endif()
set(nvidia_target sm_90 CACHE STRING "The NVIDIA GPU that ./dev nvidia builds for")
file(REAL_PATH ${nvcc} nvcc_place)
find_path(cuda_headers cuda_runtime_api.h HINTS ${nvcc_place}/../../include /usr/local/cuda/include)
find_library(cuda_runtime cudart_static HINTS ${nvcc_place}/../../lib64 /usr/local/cuda/lib64 /usr/local/cuda/lib)
if(NOT cuda_headers OR NOT cuda_runtime)
  return()
endif()

add_custom_target(nvidia)
set(nvidia_folder ${CMAKE_BINARY_DIR}/nvidia)
file(MAKE_DIRECTORY ${nvidia_folder} ${CMAKE_CURRENT_BINARY_DIR}/nvidia)

# nvidia_objects(RESULT SOURCE...): what nvcc makes of them.
function(nvidia_objects result)
  foreach(source ${ARGN})
    get_filename_component(name ${source} NAME)
    get_filename_component(path ${source} ABSOLUTE)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/nvidia/${name}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${nvcc} -std=c++20 -O3 -arch=${nvidia_target} -I ${includes} -I ${CMAKE_CURRENT_SOURCE_DIR}/cuda
        -include hip/hip_runtime_api.h -MD -MT ${object} -MF ${object}.d -x cu -c ${path} -o ${object}
      DEPENDS ${path} DEPFILE ${object}.d COMMENT "Building CUDA object ${name}.o" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(${result} ${objects} PARENT_SCOPE)
endfunction()

# nvidia_program(NAME SOURCE...): of kernels (.hip, .cu) and tests (.cpp).
function(nvidia_program name)
  set(kernels ${ARGN})
  list(FILTER kernels EXCLUDE REGEX "cpp$")
  list(FILTER ARGN INCLUDE REGEX "cpp$")
  nvidia_objects(objects ${kernels})
  # The kernels first: see cuda/hip/hip_runtime_api.h.
  add_executable(nvidia_${name} EXCLUDE_FROM_ALL ${objects} ${ARGN})
  set_target_properties(nvidia_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${nvidia_folder} OUTPUT_NAME ${name}
    LINKER_LANGUAGE CXX)
  target_include_directories(nvidia_${name} PRIVATE ${includes} ${CMAKE_CURRENT_SOURCE_DIR}/cuda)
  target_include_directories(nvidia_${name} SYSTEM PRIVATE ${cuda_headers})
  target_link_options(nvidia_${name} PRIVATE ${hip_link_flags} -static-libstdc++ -static-libgcc)
  target_link_libraries(nvidia_${name} PRIVATE ${cuda_runtime} dl rt pthread)
  if(ARGN)
    target_link_libraries(nvidia_${name} PRIVATE hipsight_options GTest::gtest_main)
  endif()
  add_dependencies(nvidia nvidia_${name})
endfunction()

nvidia_program(kernels_wave wave.hip wave_test.cpp)
nvidia_program(kernels_gemm gemm_f16.hip gemm_bf16.hip gemm_f32.hip gemm_fp8.hip gemm_test.cpp)
nvidia_program(kernels_causal causal.hip causal_test.cpp)
nvidia_program(kernels_int4 int4.hip int4_test.cpp)
nvidia_program(kernels_convolution convolution.hip convolution_test.cpp)
nvidia_program(kernels_grouped grouped.hip grouped_test.cpp)
nvidia_program(kernels_attention attention_f16.hip attention_bf16.hip attention_test.cpp)
nvidia_program(kernels_backward attention_backward.hip attention_backward_test.cpp)
nvidia_program(kernels_paged paged_f16.hip paged_bf16.hip paged_test.cpp)
nvidia_program(kernels_rows rows_norm.hip rows_map.hip rows_test.cpp)
nvidia_program(kernels_training training.hip training_test.cpp)
nvidia_program(kernels_moe moe.hip moe_test.cpp)
nvidia_program(kernels_append append.hip append_test.cpp)
nvidia_program(bench_kernels ${CMAKE_SOURCE_DIR}/bench/nvidia/kernels.cu)
