#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "isa/instruction.h"

namespace hipsight::profile {

/// What an instruction asks of LDS at once: which lanes ask, and for which dwords. They count from
/// the lowest one: where that one lies changes no conflict, since all banks move with it.
struct LdsPattern {
  const isa::Instruction* instruction = nullptr;
  unsigned bytes = 0;                      ///< of each lane
  std::uint64_t mask = 0;                  ///< lanes
  std::array<std::uint16_t, 64> dwords{};  ///< of each: 16 bits reach over 256 KiB of LDS
  std::uint64_t executions = 0;
};

/// The patterns of a workgroup, each once: some MB at most.
class LdsPatterns {
 public:
  /// That many are told apart. Then one that the instruction had before stands for a new one, in
  /// turn: addresses are random, and those before are a fair sample.
  static constexpr std::size_t most = std::size_t{1} << 13;

  /// The number of the pattern. `at`: bytes from the begin of LDS, of each lane in the mask.
  std::uint32_t add(const isa::Instruction& instruction, unsigned bytes, std::uint64_t mask,
                    const std::uint64_t* at);
  std::span<const LdsPattern> all() const { return all_; }

 private:
  std::uint32_t number(const LdsPattern& pattern);

  struct OfInstruction {
    std::vector<std::uint32_t> patterns;
    std::size_t turn = 0;
  };
  std::vector<LdsPattern> all_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
  std::unordered_map<const isa::Instruction*, OfInstruction> of_;
};

}  // namespace hipsight::profile
