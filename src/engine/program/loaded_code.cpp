#include "engine/program/loaded_code.h"

#include <map>
#include <mutex>
#include <utility>

#include "engine/memory/overruns.h"

namespace hipsight::engine {
namespace {

struct All {
  std::mutex mutex;
  std::map<std::uint64_t, std::shared_ptr<const LoadedCode>> by_base;
  std::uint64_t last = 0;

  static All& instance() {
    static auto& all = *new All;  // for modules that are unloaded as the process ends
    return all;
  }
};

}  // namespace

std::shared_ptr<const LoadedCode> add_code(std::shared_ptr<const code::CodeObject> object,
                                           std::byte* image) {
  All& all = All::instance();
  const std::lock_guard lock(all.mutex);
  auto code = std::make_shared<LoadedCode>(std::move(object), image, ++all.last);
  all.by_base[code->base()] = code;
  return code;
}

void remove_code(const LoadedCode& code) {
  All& all = All::instance();
  const std::lock_guard lock(all.mutex);
  all.by_base.erase(code.base());
  ++Overruns::unloads;
}

std::shared_ptr<const LoadedCode> code_at(std::uint64_t device_address) {
  All& all = All::instance();
  const std::lock_guard lock(all.mutex);
  const auto after = all.by_base.upper_bound(device_address);
  if (after == all.by_base.begin()) return nullptr;
  const auto& code = std::prev(after)->second;
  return code->holds(device_address) ? code : nullptr;
}

}  // namespace hipsight::engine
