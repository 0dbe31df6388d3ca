#include "config/toolchain.h"

#include <dlfcn.h>
#include <unistd.h>

#include <sstream>
#include <vector>

namespace hipsight::config {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& file) {
  return fs::is_regular_file(file) && access(file.c_str(), X_OK) == 0;
}

/// The folder above this library's: as it was loaded, and where links to it lead.
std::vector<fs::path> own_folders() {
  Dl_info self{};
  if (!dladdr(reinterpret_cast<const void*>(&own_folders), &self) || !self.dli_fname) return {};
  const fs::path library = fs::absolute(self.dli_fname);
  std::error_code error;
  const fs::path real = fs::canonical(library, error);
  return {library.parent_path().parent_path(), real.parent_path().parent_path()};
}

}  // namespace

fs::path find_program(const Config& config, const std::string& name) {
  std::istringstream folders(config.search_path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty() && is_program(fs::path(folder) / name)) return fs::path(folder) / name;
  return {};
}

fs::path find_sdk(const Config& config) {
  std::vector<fs::path> candidates;
  if (!config.sdk.empty()) {
    candidates = {config.sdk};
  } else {
    for (const fs::path& folder : own_folders()) candidates.push_back(folder / "sdk");
    candidates.emplace_back("/opt/rocm");
  }
  for (const fs::path& sdk : candidates)
    if (fs::exists(sdk / "include/hip/hip_runtime.h")) return sdk;
  return {};
}

fs::path find_clang(const Config& config, const fs::path& sdk) {
  if (!config.clang.empty()) return is_program(config.clang) ? fs::path(config.clang) : fs::path();
  if (const fs::path own = sdk / "llvm/bin/clang++"; is_program(own)) return own;
  for (const char* name : {"clang++-22", "clang++"})
    if (const fs::path found = find_program(config, name); !found.empty()) return found;
  return {};
}

}  // namespace hipsight::config
