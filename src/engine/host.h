#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace hipsight {
struct Config;
}

namespace hipsight::engine {

/// How this process uses its host: what its code is made for, and where code is kept for later
/// processes. One for all engines, so whoever starts the process says it before all else.
struct Host {
  std::string isa = {};              ///< "avx512", "avx2" or "sse4"; empty: the best that there is
  std::string cpu = {};              ///< a processor, by LLVM's name; empty: this one
  std::filesystem::path cache = {};  ///< a folder; empty: nothing is kept
  bool cache_is_asked_for = false;   ///< it is worth a word if that folder cannot be had
  std::uint64_t cache_bytes = 256 << 20;  ///< the most that is kept

  static Host of(const Config& config);
};

/// Has no effect on what was made before.
void set_host(Host host);
const Host& host();

}  // namespace hipsight::engine
