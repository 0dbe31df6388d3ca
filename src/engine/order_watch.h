#pragma once

#include <unordered_map>

#include "analysis/wave_order.h"
#include "engine/observer.h"
#include "engine/workgroup.h"

namespace hipsight::engine {

/// Finds loads from LDS whose values hang on the order of a workgroup's waves: a wave loads what
/// another one overwrites later, with no barrier between. Waves that wait for each other by polling
/// are left out: what they do without a barrier may be in order.
class OrderWatch final : public GroupObserver {
 public:
  explicit OrderWatch(Workgroup& group) : group_(group) {}

  void enters(unsigned, std::uint32_t, std::uint64_t) override {}
  void accesses(unsigned wave, const isa::Instruction& instruction, const Access& access) override;
  void fills_lds(unsigned wave, const isa::Instruction& instruction,
                 const Access& access) override {
    accesses(wave, instruction, access);
  }
  bool enough() const override { return accesses_ > most_accesses; }

  /// A wave may have polled.
  void yields() { polls_ = true; }
  /// Tells of what was found since the last barrier: at the workgroup's end.
  void settle();

 private:
  static constexpr std::uint64_t most_accesses = 1u << 18;
  static constexpr std::uint32_t none = ~0u;

  /// The last two waves that loaded a byte, with what.
  struct Byte {
    std::uint32_t phase = none;
    std::uint32_t overwritten = none;  ///< index of the first overwrite in this phase
    struct Load {
      std::uint32_t wave = none;
      const isa::Instruction* instruction = nullptr;
    } loads[2];
  };
  struct Overwrite {
    std::uint64_t at;
    std::byte before;
    Byte::Load load;
    std::uint32_t wave;  ///< that stores
    const isa::Instruction* store;
  };

  void load(std::uint64_t at, unsigned wave, const isa::Instruction& instruction);
  void store(std::uint64_t at, unsigned wave, const isa::Instruction& instruction);
  Byte& byte(std::uint64_t at);
  void tell(const Overwrite& overwrite);

  Workgroup& group_;
  std::vector<Byte> bytes_;
  std::vector<Overwrite> overwrites_;
  std::unordered_map<const isa::Instruction*, analysis::LdsUse> uses_;
  std::uint64_t accesses_ = 0;
  std::uint32_t phase_ = 0;
  bool polls_ = false;
};

}  // namespace hipsight::engine
