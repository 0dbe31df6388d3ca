#include "profile/lds.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <tuple>

namespace hipsight::profile {

/// As many as a GPU's file may state.
static constexpr unsigned most_banks = 1024;

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

/// The dwords that the busiest bank has to give; to how many lanes does not matter, but for
/// atomics.
unsigned LdsPort::cycles(std::uint64_t lanes, const std::uint64_t* at) const {
  // Of each bank the first dword, and how many there are; those behind the first of all banks in a
  // list, which mostly is short.
  std::uint64_t first[most_banks], others[64 * 4];
  unsigned taken[most_banks], count = 0, most = 0;
  std::fill_n(taken, banks_, 0);
  for (; lanes; lanes &= lanes - 1) {
    const std::uint64_t begin = at[std::countr_zero(lanes)] / 4;
    for (std::uint64_t dword = begin; dword < begin + dwords_; ++dword) {
      const std::uint64_t bank = dword % banks_;
      if (taken[bank] == 0) {
        first[bank] = dword;
      } else if (!atomic_) {
        if (first[bank] == dword || std::find(others, others + count, dword) != others + count)
          continue;
        others[count++] = dword;
      }
      most = std::max(most, ++taken[bank]);
    }
  }
  return most;
}

namespace {

/// Ports by what differs between instructions: made once.
class Ports {
 public:
  explicit Ports(const gpus::Gpu& gpu) : gpu_(gpu) {}

  LdsCost cost(const LdsPattern& pattern) {
    const isa::MemoryAccess& memory = pattern.instruction->row->memory;
    const std::tuple kind{memory.stores(), memory.atomic(), pattern.bytes};
    auto known = ports_.find(kind);
    if (known == ports_.end())
      known =
          ports_.try_emplace(kind, LdsPort(gpu_, memory.stores(), memory.atomic(), pattern.bytes))
              .first;
    std::uint64_t at[64];
    for (unsigned lane = 0; lane < 64; ++lane) at[lane] = std::uint64_t{pattern.dwords[lane]} * 4;
    return known->second.cost(pattern.mask, at);
  }

 private:
  const gpus::Gpu& gpu_;
  std::map<std::tuple<bool, bool, unsigned>, LdsPort> ports_;
};

void simulate_lds(Ports& ports, GroupTrace& group) {
  std::vector<LdsCost> costs;
  for (auto& [instruction, use] : group.uses) use.lds_cycles = use.lds_least = 0;
  for (const LdsPattern& pattern : group.lds.all()) {
    const LdsCost cost = costs.emplace_back(ports.cost(pattern));
    Use& use = group.uses[pattern.instruction];
    use.lds_cycles += pattern.executions * cost.cycles;
    use.lds_least += pattern.executions * cost.least;
  }
  for (WaveTrace& wave : group.waves)
    for (Request& request : wave.requests)
      if (request.space == engine::Access::Space::Lds) {
        const LdsCost cost = costs[request.pattern];
        request.lds_cycles = static_cast<std::uint16_t>(cost.cycles);
        request.least = static_cast<std::uint16_t>(cost.least);
      }
}

}  // namespace

void simulate_lds(const gpus::Gpu& gpu, LaunchTrace& trace) {
  Ports ports(gpu);
  for (std::vector<GroupTrace>* groups : {&trace.neighbours(), &trace.others()})
    for (GroupTrace& group : *groups) simulate_lds(ports, group);
}

}  // namespace hipsight::profile
