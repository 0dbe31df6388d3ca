// Where instances and what they are compiled of lie.
#pragma once

#include <filesystem>
#include <string>

namespace hipsight::operations {

struct Folders {
  std::filesystem::path home;       ///< hipcc, include/, instances/
  std::filesystem::path cache;      ///< instances that were compiled here
  std::filesystem::path installed;  ///< those that came with the library
};

/// As they are set now. @throws Failure if no cache is named and there is no home folder.
Folders folders();

/// Null: as before.
void set_folders(const char* home, const char* cache);

/// A hash of all that instances are compiled of, in `home`. @throws Failure if that is not there.
std::string version_of(const std::filesystem::path& home);

/// The HIP runtime that this process has loaded. @throws Failure if there is none.
std::filesystem::path loaded_runtime();

}  // namespace hipsight::operations
