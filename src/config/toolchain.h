#pragma once

#include <filesystem>
#include <string>

#include "config/config.h"

/// Where compilers and headers for HIP are.
namespace hipsight::config {

/// The first program of that name in PATH; empty: there is none.
std::filesystem::path find_program(const Config& config, const std::string& name);
/// A folder with include/hip and device bitcode: the one that is named, or ours, or ROCm's. Empty:
/// there is none.
std::filesystem::path find_sdk(const Config& config);
/// A clang++: the one that is named, or the SDK's, or the first in PATH. Empty: there is none.
std::filesystem::path find_clang(const Config& config, const std::filesystem::path& sdk);

}  // namespace hipsight::config
