#include "profile/lds_patterns.h"

#include <algorithm>
#include <bit>

namespace hipsight::profile {
namespace {

bool same(const LdsPattern& one, const LdsPattern& other) {
  return one.instruction == other.instruction && one.mask == other.mask &&
         one.bytes == other.bytes && one.dwords == other.dwords;
}

std::uint64_t hash(const LdsPattern& pattern) {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15u;
  const auto words = std::bit_cast<std::array<std::uint64_t, 16>>(pattern.dwords);
  std::uint64_t sum =
      (reinterpret_cast<std::uintptr_t>(pattern.instruction) ^ pattern.mask) * factor;
  for (const std::uint64_t word : words) sum = std::rotl((sum ^ word) * factor, 29);
  return sum;
}

}  // namespace

std::uint32_t LdsPatterns::add(const isa::Instruction& instruction, unsigned bytes,
                               std::uint64_t mask, const std::uint64_t* at) {
  LdsPattern pattern{.instruction = &instruction, .bytes = bytes, .mask = mask};
  std::uint64_t lowest = ~std::uint64_t{0};
  for (std::uint64_t left = mask; left; left &= left - 1)
    lowest = std::min(lowest, at[std::countr_zero(left)] / 4);
  for (std::uint64_t left = mask; left; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    pattern.dwords[lane] = static_cast<std::uint16_t>(at[lane] / 4 - lowest);
  }
  const std::uint32_t its = number(pattern);
  ++all_[its].executions;
  return its;
}

std::uint32_t LdsPatterns::number(const LdsPattern& pattern) {
  OfInstruction& known = of_[pattern.instruction];
  const std::uint64_t key = hash(pattern);
  const auto [begin, end] = by_hash_.equal_range(key);
  const auto found = std::find_if(
      begin, end, [&](const auto& entry) { return same(all_[entry.second], pattern); });
  if (found != end) return found->second;
  if (all_.size() >= most && !known.patterns.empty())
    return known.patterns[known.turn++ % known.patterns.size()];
  const auto its = static_cast<std::uint32_t>(all_.size());
  all_.push_back(pattern);
  by_hash_.emplace(key, its);
  known.patterns.push_back(its);
  return its;
}

}  // namespace hipsight::profile
