#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace hipsight::code::testing {

/// Path of a file that the build made (see CMakeLists.txt).
std::string object_path(const std::string& name);
/// Path of a file that this process may write.
std::string scratch_path(const std::string& name);
std::vector<std::byte> read_file(const std::string& path);
inline std::vector<std::byte> read_object(const std::string& name) {
  return read_file(object_path(name));
}
void write_file(const std::string& path, std::span<const std::byte> bytes);

/// What an LLVM tool prints: the independent reader that ours is compared with.
std::string run_tool(const std::string& tool, const std::string& arguments);
/// llvm-readelf's JSON of one file.
nlohmann::json readelf(const std::string& path, const std::string& options);

/// Names of the single code objects that the build made from device.hip.
std::vector<std::string> device_objects();

/// The message of the Exception that `action` throws; "" when it throws none.
template <class Action>
std::string error_of(Action action);

}  // namespace hipsight::code::testing

#include "support/error.h"

template <class Action>
std::string hipsight::code::testing::error_of(Action action) {
  try {
    action();
  } catch (const hipsight::Exception& error) {
    return error.what();
  }
  return "";
}
