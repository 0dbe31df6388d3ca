// A checker as one may write it: finds waves of a workgroup that access the same byte of LDS, one
// of them storing, with no barrier between. It knows nothing of the engine but its events.
#include <bit>
#include <map>
#include <set>

#include "code/code_object.h"
#include "engine/events.h"
#include "kernels.h"

namespace hipsight::engine {
namespace {

/// Two instructions that race, by source lines.
struct Race {
  unsigned line, other;
  auto operator<=>(const Race&) const = default;
};

/// Of one workgroup with barriers that all its waves share.
class LdsRaces final : public GroupObserver {
 public:
  explicit LdsRaces(const Listing& listing) : listing_(listing) {}

  Wants wants() const override { return {.regions = false}; }
  void completes(unsigned barrier) override {
    if (barrier == 0) bytes_.clear();
  }
  void accesses(unsigned wave, const isa::Instruction& in, const Access& access) override {
    if (access.space != Access::Space::Lds) return;
    for (std::uint64_t left = access.touching(); left; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      for (unsigned i = 0; i < access.bytes_of(lane); ++i)
        touch(access.at[lane] + i, {wave, &in, access.does});
    }
  }

  std::set<Race> races;

 private:
  struct Touch {
    unsigned wave;
    const isa::Instruction* instruction;
    Access::Does does;
  };
  static bool clash(const Touch& a, const Touch& b) {
    using Does = Access::Does;
    const bool stores = a.does != Does::Load || b.does != Does::Load;
    const bool atomic = a.does == Does::Atomic && b.does == Does::Atomic;
    return a.wave != b.wave && stores && !atomic;
  }
  void touch(std::uint64_t at, const Touch& now) {
    std::vector<Touch>& before = bytes_[at];
    bool known = false;
    for (const Touch& one : before) {
      known |= one.wave == now.wave && one.instruction == now.instruction;
      if (clash(one, now)) races.insert({line(one), line(now)});
    }
    if (!known) before.push_back(now);
  }
  unsigned line(const Touch& touch) const {
    const auto line = listing_.line(*touch.instruction);
    return line ? line->line : 0;
  }

  const Listing& listing_;
  std::map<std::uint64_t, std::vector<Touch>> bytes_;  ///< since the last barrier
};

class RaceChecker final : public Observer {
 public:
  void launch_begins(const LaunchFacts& launch) override { listing_ = &launch.listing; }
  GroupObserver* begins(std::uint64_t workgroup) override {
    return &groups_.try_emplace(workgroup, *listing_).first->second;
  }
  std::set<Race> races() const {
    std::set<Race> all;
    for (const auto& [workgroup, group] : groups_)
      all.insert(group.races.begin(), group.races.end());
    return all;
  }

 private:
  const Listing* listing_ = nullptr;
  std::map<std::uint64_t, LdsRaces> groups_;  ///< one host thread runs the tests' kernels
};

/// The line of observed.hip that has these words.
unsigned line_with(std::string_view words) {
  std::ifstream in(HIPSIGHT_OBSERVED_SOURCE);
  unsigned number = 0;
  for (std::string line; std::getline(in, line);)
    if (++number, line.find(words) != line.npos) return number;
  return 0;
}

class RaceCheckerTest : public testing::TestWithParam<Where> {
 protected:
  std::set<Race> races_of(const char* kernel, Tier tier) {
    Kernels kernels(GetParam(), {.threads = 1, .tier = tier});
    RaceChecker checker;
    constexpr std::uint32_t items = 128, workgroups = 3;
    kernels.run(kernel, items, {kernels.array(items * workgroups), kernels.array(items)},
                workgroups, &checker);
    return checker.races();
  }
};

TEST_P(RaceCheckerTest, FindsAMissingBarrier) {
  if (Engine::host_isa() == "sse4") GTEST_SKIP() << "this host cannot translate";
  const unsigned store = line_with("// the store that races"), load = line_with("// the load that");
  ASSERT_GT(store, 0u);
  for (const Tier tier : {Tier::Interpret, Tier::Translate}) {
    const auto races = races_of("races", tier);
    ASSERT_EQ(races.size(), 1u);
    EXPECT_EQ((std::set{races.begin()->line, races.begin()->other}), (std::set{store, load}));
    EXPECT_TRUE(races_of("in_step", tier).empty());
    EXPECT_TRUE(races_of("rounds", tier).empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Gpus, RaceCheckerTest,
                         testing::Values(Where{"mi300x", HIPSIGHT_OBSERVED_gfx942},
                                         Where{"rx7900xtx", HIPSIGHT_OBSERVED_gfx1100}),
                         name_of);

}  // namespace
}  // namespace hipsight::engine
