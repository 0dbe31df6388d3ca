#include "profile/cache.h"

#include <algorithm>

namespace hipsight::profile {

Cache::Cache(std::uint64_t bytes, unsigned line, unsigned ways)
    : ways_(ways),
      sets_(std::max<std::uint64_t>(1, bytes / line / ways)),
      lines_(sets_ * ways, kNone) {}

bool Cache::touch(std::uint64_t line, bool allocate) {
  const std::uint64_t set = (line ^ line / sets_ ^ line / sets_ / sets_) % sets_;
  const auto begin = lines_.begin() + static_cast<std::ptrdiff_t>(set * ways_);
  const auto end = begin + ways_;
  auto at = std::find(begin, end, line);
  const bool hit = at != end;
  if (!hit && !allocate) return false;
  if (!hit) *(at = end - 1) = line;
  std::rotate(begin, at, at + 1);
  return hit;
}

}  // namespace hipsight::profile
