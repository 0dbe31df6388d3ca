#include "files.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <vector>

#include "instances.h"

namespace hipsight::operations {
namespace {

namespace fs = std::filesystem;

std::mutex mutex;
fs::path set_home, set_cache;

/// The folder of this library.
fs::path own_folder() {
  Dl_info here{};
  dladdr(reinterpret_cast<const void*>(&hipsight_operations_version), &here);
  return fs::absolute(here.dli_fname ? here.dli_fname : ".").parent_path();
}

fs::path usual_cache() {
  const auto variable = [](const char* name) -> fs::path {
    const char* const value = std::getenv(name);
    return value ? value : "";
  };
  if (const fs::path base = variable("XDG_CACHE_HOME"); !base.empty())
    return base / "hipsight/kernels";
  if (const fs::path home = variable("HOME"); !home.empty())
    return home / ".cache/hipsight/kernels";
  throw Failure("there is no HOME: name a folder for compiled kernels (hipsight_operations_setup)");
}

/// FNV-1a (Fowler, Noll and Vo), of 64 bits.
void add(std::uint64_t& hash, std::string_view text) {
  for (const char one : text)
    hash = (hash ^ static_cast<unsigned char>(one)) * UINT64_C(0x100000001b3);
}

}  // namespace

Folders folders() {
  const std::lock_guard lock(mutex);
  const fs::path own = own_folder();
  return {set_home.empty() ? own.parent_path() / "share/hipsight" : set_home,
          set_cache.empty() ? usual_cache() : set_cache, own / "hipsight/instances"};
}

void set_folders(const char* home, const char* cache) {
  const std::lock_guard lock(mutex);
  if (home) set_home = home;
  if (cache) set_cache = cache;
}

std::string version_of(const fs::path& home) {
  static std::mutex asking;
  static std::map<fs::path, std::string> known;
  const std::lock_guard lock(asking);
  std::string& version = known[home];
  if (!version.empty()) return version;
  std::vector<fs::path> files{"hipcc", "include/hipsight/operations.h"};
  for (const char* part : {"include/hipsight/kernels", "instances"}) {
    std::error_code missing;
    for (const auto& entry : fs::recursive_directory_iterator(home / part, missing))
      if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(home));
  }
  std::ranges::sort(files);
  std::uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (const fs::path& file : files) {
    std::ifstream stream(home / file, std::ios::binary);
    if (!stream)
      throw Failure((home / file).string() + ": cannot read it; kernels are compiled of it");
    add(hash, file.string());
    add(hash, std::string(std::istreambuf_iterator<char>(stream), {}));
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return version = text;
}

fs::path loaded_runtime() {
  fs::path found;
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* to) {
        const fs::path path = library->dlpi_name;
        if (!path.filename().string().starts_with("libamdhip64.so")) return 0;
        *static_cast<fs::path*>(to) = path;
        return 1;
      },
      &found);
  if (found.empty())
    throw Failure(
        "the process has no HIP runtime: link the program with libamdhip64, or set the "
        "context's `launch`");
  return found;
}

}  // namespace hipsight::operations
