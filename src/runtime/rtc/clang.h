#pragma once

#include <filesystem>

#include "runtime/rtc/compiler.h"

namespace hipsight::runtime {

/// A folder with include/hip and device bitcode, or an empty path.
std::filesystem::path find_sdk();
/// An empty path when there is none.
std::filesystem::path find_clang(const std::filesystem::path& sdk);
constexpr const char* no_clang =
    "hipsight: hiprtc finds no compiler: install clang-22 or set HIPSIGHT_CLANG to a clang++\n";

RtcOutput failure(std::string log);
/// The same where the machine lacks something: said on stderr, too, once, since programs seldom
/// print the log.
RtcOutput missing(std::string log);

/// Runs a compiler, which says what it has to say in `log` and writes `output`.
RtcOutput run(const std::vector<std::string>& command, const std::filesystem::path& log,
              const std::filesystem::path& output);

}  // namespace hipsight::runtime
