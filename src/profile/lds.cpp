#include "profile/lds.h"

#include <algorithm>
#include <bit>
#include <string>

namespace hipsight::profile {

LdsPort::LdsPort(const gpus::Gpu& gpu, bool store, bool atomic, unsigned bytes)
    : banks_(gpu.lds_banks.value_or(32)),
      dwords_(std::clamp((bytes + 3) / 4, 1u, 4u)),
      atomic_(atomic) {
  const std::string access = (store ? "write_b" : "read_b") + std::to_string(dwords_ * 32);
  if (const auto* measured = gpu.phases(access)) {
    phases_ = measured->lanes;
    banks_ = measured->banks;
  } else {
    // Neighbours, as many as the banks are wide.
    const unsigned lanes = std::min(64u, std::bit_floor(std::max(1u, banks_ / dwords_)));
    for (unsigned first = 0; first < gpu.wavefront_size; first += lanes)
      phases_.push_back((~0ull >> (64 - lanes)) << first);
  }
  if (gpu.wavefront_size == 32)  // a wave64 takes the same phases twice
    for (std::size_t i = 0, count = phases_.size(); i < count; ++i)
      phases_.push_back(phases_[i] << 32);
}

LdsCost LdsPort::cost(std::uint64_t mask, const std::uint64_t* at) const {
  LdsCost cost;
  for (const std::uint64_t phase : phases_) {
    const std::uint64_t lanes = phase & mask;
    if (!lanes) continue;
    ++cost.least;
    cost.cycles += cycles(lanes, at);
  }
  return cost;
}

/// The dwords that the busiest bank has to give.
unsigned LdsPort::cycles(std::uint64_t lanes, const std::uint64_t* at) const {
  std::uint64_t dwords[64 * 4];
  unsigned count = 0;
  for (; lanes; lanes &= lanes - 1) {
    const std::uint64_t first = at[std::countr_zero(lanes)] / 4;
    for (unsigned i = 0; i < dwords_; ++i) dwords[count++] = first + i;
  }
  if (!atomic_) {
    std::sort(dwords, dwords + count);
    count = static_cast<unsigned>(std::unique(dwords, dwords + count) - dwords);
  }
  unsigned taken[1024] = {}, most = 0;
  for (unsigned i = 0; i < count; ++i) most = std::max(most, ++taken[dwords[i] % banks_]);
  return most;
}

}  // namespace hipsight::profile
