#include "runtime/memory/range.h"

#include <atomic>
#include <exception>
#include <vector>

#include "support/of_thread.h"

namespace {

using hipsight::session::Range;

/// The ranges that this thread is in, the outermost first; each name has those around it, too.
std::vector<Range>& entered() {
  return hipsight::of_thread<std::vector<Range>, struct Entered>();
}
std::atomic<std::uint64_t> entries{0};

}  // namespace

const Range& hipsight::runtime::current_range() noexcept {
  static const Range none;
  return entered().empty() ? none : entered().back();
}

int hipsight_range_push(const char* name) {
  if (!name) return -1;
  try {
    entered().push_back(
        {entered().empty() ? name : entered().back().name + " / " + name, ++entries});
    return static_cast<int>(entered().size()) - 1;
  } catch (const std::exception&) {
    return -1;
  }
}

int hipsight_range_pop() {
  if (entered().empty()) return -1;
  entered().pop_back();
  return static_cast<int>(entered().size());
}
