#include "session/launch_key.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

namespace hipsight::session {
namespace {

template <class Value>
void add(std::string& key, const Value& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void add(std::string& key, const engine::Dim3& value) {
  add(key, value.x);
  add(key, value.y);
  add(key, value.z);
}

}  // namespace

std::uint64_t LaunchKeys::code(const std::shared_ptr<engine::Module>& module) {
  if (!module) return 0;
  auto& [held, sum] = codes_[module.get()];
  if (held.expired()) {  // unknown, or of a module that was there before
    held = module;
    const auto elf = module->object().elf();
    sum = std::hash<std::string_view>{}({reinterpret_cast<const char*>(elf.data()), elf.size()});
  }
  return sum;
}

LaunchKeys::Key LaunchKeys::of(const engine::Dispatch& dispatch) {
  Key result{.text = dispatch.kernel->name};
  std::string& key = result.text;
  add(key, code(dispatch.module));
  add(key, dispatch.grid);
  add(key, dispatch.block);
  add(key, dispatch.dynamic_lds);
  add(key, dispatch.device);
  auto& allocations = result.allocations;
  const auto arguments = dispatch.kernarg;
  std::size_t at = 0;
  for (; at + sizeof(std::uintptr_t) <= arguments.size(); at += sizeof(std::uintptr_t)) {
    std::uintptr_t word = 0;
    std::memcpy(&word, &arguments[at], sizeof word);
    // Most words are no addresses; nothing is mapped on the first pages.
    const auto found = memory_ && word >= 0x10000 ? memory_->find(word) : std::nullopt;
    add(key, found.has_value());
    if (!found) {
      add(key, word);
      continue;
    }
    const auto known =
        std::ranges::find(allocations, found->begin, &engine::Memory::Allocation::begin);
    add(key, known - allocations.begin());
    if (known == allocations.end()) allocations.push_back(*found);
    add(key, word - found->begin);
    add(key, found->size);
    add(key, found->kind);
    add(key, found->device);
    constexpr std::uintptr_t line = 128;  // the most that caches hold at once
    add(key, found->begin % line);
  }
  key.append(reinterpret_cast<const char*>(arguments.data()) + at, arguments.size() - at);
  return result;
}

}  // namespace hipsight::session
