# hipcc_for_elsewhere(FILE LIBRARIES): hipcc for the machine of who uses it: with its clang, the SDK in a folder sdk
# beside it, or ROCm's, and libamdhip64 in LIBRARIES, which is told from where it is.
set(hipcc_source ${CMAKE_CURRENT_LIST_DIR}/hipcc.in)
function(hipcc_for_elsewhere file libraries)
  set(HIPSIGHT_SDK "$(cd \"$(dirname \"$0\")/sdk\" 2>/dev/null && pwd || echo /opt/rocm)")
  set(CMAKE_CXX_COMPILER "$(type -P clang++-22 || type -P /opt/rocm/llvm/bin/clang++ || echo clang++)")
  set(hip_target_words gfx942)
  set(hip_library_folder "$(dirname \"$0\")/${libraries}")
  set(hip_link_words "")
  configure_file(${hipcc_source} ${file} @ONLY)
endfunction()
