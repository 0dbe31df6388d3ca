#pragma once

#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analysis/value_fate.h"
#include "analysis/wave_order.h"
#include "engine/events.h"
#include "engine/launch/workgroup.h"

namespace hipsight::engine {

/// Finds loads from LDS whose values hang on the order of a workgroup's waves: a wave loads what
/// another one overwrites later, with no barrier between, and uses it; or it loads what two waves
/// have stored, by two instructions, with no barrier between. Waves that wait for each other by
/// polling are left out: what they do without a barrier may be in order.
class OrderWatch final : public GroupObserver {
 public:
  explicit OrderWatch(Workgroup& group) : group_(group) {}

  void enters(unsigned wave, std::uint32_t region, std::uint64_t exec) override;
  void accesses(unsigned wave, const isa::Instruction& instruction, const Access& access) override;
  bool enough() const override { return accesses_ > most_accesses; }

  /// A wave may have polled.
  void yields() { polls_ = true; }
  /// Tells of what was found since the last barrier: at the workgroup's end.
  void settle();

 private:
  static constexpr std::uint64_t most_accesses = 1u << 18;
  static constexpr std::uint32_t none = ~0u;

  /// What was done to a byte in this phase.
  struct Byte {
    std::uint32_t phase = none;
    std::uint32_t overwritten = none;  ///< index of the first overwrite of what was loaded
    struct Use {
      std::uint32_t wave = none;
      const isa::Instruction* instruction = nullptr;
      std::size_t region = 0;  ///< index in `paths_` of its wave
    };
    Use loads[2];  ///< of the last two waves that loaded it
    Use stored;    ///< the last store
    bool disputed = false;
  };
  struct Overwrite {
    std::uint64_t at;
    std::byte before;
    Byte::Use first;     ///< the load; or, of a dispute, a store
    std::uint32_t wave;  ///< that stores then
    const isa::Instruction* store;
  };

  /// A load that was overwritten: nobody knows yet whether its wave uses what it loaded.
  struct Suspect {
    Overwrite overwrite;
    isa::VectorRegisters held;  ///< of what was loaded
  };

  void load(std::uint64_t at, unsigned wave, const isa::Instruction& instruction);
  void store(std::uint64_t at, unsigned wave, const isa::Instruction& instruction);
  void dispute(Byte& byte, std::uint64_t at, unsigned wave, const isa::Instruction& instruction);
  Byte& byte(std::uint64_t at);
  void suspect(const Overwrite& overwrite);
  analysis::ValueFate& fates();
  void tell(const Overwrite& overwrite);

  Workgroup& group_;
  std::vector<Byte> bytes_;
  std::vector<Overwrite> overwrites_;
  std::vector<Overwrite> disputes_;                        ///< stores over other waves' stores
  std::unordered_map<std::uint64_t, Overwrite> disputed_;  ///< by byte: such of earlier phases
  std::unordered_map<const isa::Instruction*, analysis::LdsUse> uses_;
  std::optional<analysis::ValueFate> fates_;
  std::vector<std::vector<std::uint32_t>> paths_;  ///< regions of each wave in this phase
  std::vector<Suspect> suspects_;
  std::set<std::tuple<const isa::Instruction*, const isa::Instruction*, std::uint32_t>> seen_;
  std::uint64_t accesses_ = 0;  ///< and regions
  std::uint32_t phase_ = 0;
  bool polls_ = false;
};

}  // namespace hipsight::engine
