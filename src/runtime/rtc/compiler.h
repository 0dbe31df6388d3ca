#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace hipsight::runtime {

/// Device code to be compiled while a program runs.
struct RtcSource {
  std::string name;  ///< in diagnostics
  std::string text;
  std::vector<std::pair<std::string, std::string>> headers;  ///< name for #include, text
  std::vector<std::string> expressions;  ///< kernels and variables whose symbols are asked for
};

/// What came of it.
struct RtcOutput {
  bool compiled = false;
  bool crashed = false;         ///< the compiler did
  std::string log;              ///< what the compiler said, or why there is none
  std::vector<std::byte> code;  ///< a code object; bitcode of -fgpu-rdc
  bool is_bitcode = false;
  std::map<std::string, std::string> symbols;  ///< of the expressions that name one
};

/// Compiles for the GPU that the options name (--offload-arch= or --gpu-architecture=), else for
/// `target_id`. Runs clang: HIPSIGHT_CLANG, or the clang of the HIP SDK, or the one of the PATH.
/// The SDK is that of HIPSIGHT_SDK, or `sdk` in the folder above this library's (before and after
/// links are followed), or /opt/rocm.
/// @throws Exception when a file cannot be written or read.
RtcOutput compile(const RtcSource& source, const std::vector<std::string>& options,
                  const std::string& target_id);

/// Links bitcode, as -fgpu-rdc makes it, and relocatable objects into a code object. Options for
/// the code generator come in pairs with -mllvm. @throws Exception when a file cannot be written or
/// read.
RtcOutput link(const std::vector<std::string>& inputs, const std::vector<std::string>& options,
               const std::string& target_id);

}  // namespace hipsight::runtime
