#include "call.h"
#include "files.h"

using namespace hipsight::operations;

const char* hipsight_operations_setup(const char* home, const char* cache) {
  return guarded([&]() -> const char* {
    set_folders(home, cache);
    return nullptr;
  });
}

const char* hipsight_operations_version() {
  static thread_local std::string version;
  try {
    version = version_of(folders().home);
    return version.c_str();
  } catch (const std::exception&) {
    return nullptr;
  }
}
