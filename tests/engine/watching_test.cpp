// Events of every kind: the same in both tiers, for several observers at once, past errors.
#include <gmock/gmock.h>

#include <bit>
#include <map>

#include "engine/events.h"
#include "engine/memory/host_events.h"
#include "kernels.h"

namespace hipsight::engine {
namespace {

using testing::ElementsAre;

/// Writes down all that it is told of a workgroup, a list for each wave.
struct Diary : GroupObserver, Observer {
  GroupObserver* begins(std::uint64_t workgroup) override {
    return workgroup == which ? this : nullptr;
  }
  void launch_begins(const LaunchFacts& launch) override { listing = &launch.listing; }
  Wants wants() const override { return {.ordering = true}; }
  void wave_begins(unsigned wave, std::uint64_t exec) override {
    add(wave, "begins", std::popcount(exec));
  }
  void wave_ends(unsigned wave) override { add(wave, "ends"); }
  void workgroup_ends() override { ended = true; }
  void enters(unsigned wave, std::uint32_t region, std::uint64_t exec) override {
    add(wave, "enters", region, exec);
  }
  void accesses(unsigned wave, const isa::Instruction& in, const Access& a) override {
    std::uint64_t sum = 0;
    for (unsigned lane = 0; lane < a.lanes; ++lane)
      if (a.mask >> lane & 1) sum = sum * 31 + a.at[lane];
    add(wave, "accesses", in.address, static_cast<int>(a.space), static_cast<int>(a.does), a.bytes,
        a.mask, sum, static_cast<int>(a.scope), a.synchronises);
    lines.insert(listing->line(in)->line);
  }
  void orders(unsigned wave, const isa::Instruction& in, const Ordering& o) override {
    add(wave, "orders", in.address, o.waits, o.caches.writes_back, o.caches.invalidates,
        static_cast<int>(o.caches.scope));
  }
  void signals(unsigned wave, const Signal& signal) override {
    add(wave, "signals", signal.barrier);
  }
  void completes(unsigned barrier) override {
    for (auto& [wave, list] : of_wave) add(wave, "completes", barrier);
  }
  void passes(unsigned wave, unsigned barrier) override { add(wave, "passes", barrier); }

  template <class... Words>
  void add(unsigned wave, const char* what, Words... words) {
    std::string line = what;
    ((line += " " + std::to_string(words)), ...);
    of_wave[wave].push_back(line);
  }
  std::ptrdiff_t count(unsigned wave, std::string_view what) {
    return std::ranges::count_if(of_wave[wave], [&](const auto& l) { return l.starts_with(what); });
  }

  std::uint64_t which = 0;
  const Listing* listing = nullptr;
  std::map<unsigned, std::vector<std::string>> of_wave;
  std::set<unsigned> lines;
  bool ended = false;
};

class Watching : public testing::TestWithParam<Where> {
 protected:
  static constexpr std::uint32_t items = 128;
  const bool cdna = std::string_view(GetParam().gpu) == "mi300x";
  const unsigned waves = cdna ? 2 : 4;
};

TEST_P(Watching, TellsTheSameInBothTiers) {
  if (Engine::host_isa() == "sse4") GTEST_SKIP() << "this host cannot translate";
  const auto diary_of = [&](const char* kernel, Tier tier) {
    Diary diary;
    Kernels kernels(GetParam(), {.threads = 1, .tier = tier});
    // Twice: once the code is there.
    for (int round = 0; round < 2; ++round) {
      kernels.run(kernel, items, {kernels.array(items * 64), kernels.array(items * 64)}, 1, &diary);
      for (std::uint32_t wave = 0; wave < waves; ++wave)
        EXPECT_EQ(diary.count(wave, "ends"), round + 1);
    }
    EXPECT_TRUE(diary.ended);
    return diary.of_wave;
  };
  for (const char* kernel : {"copy", "gather", "some", "loop", "rounds", "hand_over"})
    EXPECT_EQ(diary_of(kernel, Tier::Interpret), diary_of(kernel, Tier::Translate)) << kernel;
}

TEST_P(Watching, TellsOfBarriersAndLines) {
  Kernels kernels(GetParam());
  Diary diary;
  kernels.run("rounds", items, {kernels.array(items), kernels.array(items)}, 1, &diary);
  ASSERT_EQ(diary.of_wave.size(), waves);
  for (auto& [wave, list] : diary.of_wave) {
    for (const char* what : {"signals 0", "completes 0", "passes 0"})
      EXPECT_EQ(diary.count(wave, what), 100) << what;
    EXPECT_EQ(list.front(), "begins " + std::to_string(items / waves));
    EXPECT_EQ(list.back(), "ends");
  }
  EXPECT_FALSE(diary.lines.contains(0));
}

/// What a release and an acquire are made of (LLVM, AMDGPUUsage, "Memory Model").
TEST_P(Watching, TellsOfFences) {
  struct Fences : GroupObserver, Observer {
    GroupObserver* begins(std::uint64_t) override { return this; }
    Wants wants() const override { return {.ordering = true}; }
    void accesses(unsigned wave, const isa::Instruction&, const Access& a) override {
      if (wave || a.space != Access::Space::Global || !(a.at[0] == flag)) return;
      (a.stores() ? store : load) = a.scope;
      if (a.loads()) EXPECT_TRUE(a.synchronises);
      list += a.stores() ? "store " : "load ";
    }
    void orders(unsigned wave, const isa::Instruction&, const Ordering& o) override {
      if (wave) return;
      if (o.waits && !list.ends_with("wait ")) list += "wait ";
      if (o.caches.writes_back) list += "write-back ";
      if (o.caches.invalidates && !list.ends_with("invalidate ")) list += "invalidate ";
    }
    std::uint64_t flag = 0;
    std::string list;
    isa::Scope store{}, load{};
  } fences;
  Kernels kernels(GetParam());
  std::uint32_t *value = kernels.array(items), *flag = kernels.array(1);
  fences.flag = reinterpret_cast<std::uintptr_t>(flag);
  kernels.run("hand_over", items, {value, flag}, 1, &fences);
  EXPECT_THAT(fences.list, testing::HasSubstr("wait store "));
  EXPECT_THAT(fences.list, testing::HasSubstr("load wait invalidate "));
  EXPECT_EQ(fences.list.find("write-back") != std::string::npos, cdna);
  EXPECT_EQ(fences.load, isa::Scope::System);
  if (cdna) EXPECT_EQ(fences.store, isa::Scope::System);
}

/// One steps through a wave, one writes down, and one soon has enough.
TEST_P(Watching, SeveralAtOnce) {
  if (Engine::host_isa() == "sse4") GTEST_SKIP() << "this host cannot translate";
  struct Steps : GroupObserver, Observer {
    GroupObserver* begins(std::uint64_t) override { return this; }
    Wants wants() const override { return {.regions = false, .accesses = false}; }
    bool steps(unsigned wave) const override { return wave == 1; }
    void step(unsigned, const Step& step) override { instructions += step.instruction != nullptr; }
    std::uint64_t instructions = 0;
  };
  struct Brief : GroupObserver, Observer {
    GroupObserver* begins(std::uint64_t) override { return this; }
    void accesses(unsigned, const isa::Instruction&, const Access&) override { ++seen; }
    bool enough() const override { return seen; }
    unsigned seen = 0;
  };
  const auto accesses_of = [&](Tier tier, std::vector<Observer*> others) {
    Kernels kernels(GetParam(), {.threads = 1, .tier = tier});
    Diary diary;
    others.push_back(&diary);
    kernels.run("rounds", items, {kernels.array(items), kernels.array(items)}, 1, others);
    std::uint64_t all = 0;
    for (const InstructionCount& count : kernels.result.counts) all += count.executions;
    return std::pair(diary.of_wave, all);
  };
  for (const Tier tier : {Tier::Interpret, Tier::Translate}) {
    Steps steps;
    Brief brief;
    const auto [together, instructions] = accesses_of(tier, {&steps, &brief});
    EXPECT_TRUE(together == accesses_of(tier, {}).first);
    // Waits of compiled code are no steps of their own.
    if (tier == Tier::Interpret) EXPECT_EQ(steps.instructions * waves, instructions);
    EXPECT_GT(steps.instructions, 300u);
    EXPECT_GT(brief.seen, 0u);
    EXPECT_LT(brief.seen, 20 * waves);
  }
}

TEST_P(Watching, GoesOnAfterErrors) {
  if (Engine::host_isa() == "sse4") GTEST_SKIP() << "this host cannot translate";
  struct Collector : GroupObserver, Observer {
    GroupObserver* begins(std::uint64_t) override { return this; }
    bool forgives(const Fault& fault) override {
      faults.insert(fault.at);
      text = fault.text();
      EXPECT_EQ(fault.bytes, 4u);
      EXPECT_FALSE(fault.misaligned);
      return true;
    }
    void accesses(unsigned, const isa::Instruction&, const Access& access) override {
      told += std::popcount(access.faults);
      EXPECT_EQ(access.touching(), access.mask & ~access.faults);
    }
    std::set<std::uint64_t> faults;
    std::string text;
    int told = 0;
  };
  for (const Tier tier : {Tier::Interpret, Tier::Translate}) {
    Kernels kernels(GetParam(), {.threads = 1, .strict = true, .tier = tier});
    constexpr std::uint32_t there = 100;
    std::uint32_t *out = kernels.array(items), *in = kernels.array(there);
    for (std::uint32_t i = 0; i < items; ++i) out[i] = 99;
    for (std::uint32_t i = 0; i < there; ++i) in[i] = i + 1;
    Collector collector;
    kernels.run("copy", items, {out, in}, 1, &collector);
    for (std::uint32_t i = 0; i < items; ++i) EXPECT_EQ(out[i], i < there ? i + 1 : 0);
    EXPECT_EQ(collector.told, int{items - there});
    std::set<std::uint64_t> expected;
    for (std::uint32_t i = there; i < items; ++i)
      expected.insert(reinterpret_cast<std::uintptr_t>(in + i));
    EXPECT_EQ(collector.faults, expected);
    EXPECT_THAT(collector.text, testing::HasSubstr("load outside every allocation"));
    // Stores vanish.
    collector.faults.clear();
    kernels.run("copy", items, {in, out}, 1, &collector);
    EXPECT_EQ(collector.faults, expected);
    for (std::uint32_t i = 0; i < there; ++i) EXPECT_EQ(in[i], i + 1);
    EXPECT_EQ(in[there], 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Gpus, Watching,
                         testing::Values(Where{"mi300x", HIPSIGHT_OBSERVED_gfx942},
                                         Where{"rx7900xtx", HIPSIGHT_OBSERVED_gfx1100}),
                         name_of);

/// What the host does to device memory.
struct Told : MemoryObserver {
  void allocated(const Memory::Allocation& a) override { list.push_back("allocated " + a.label); }
  void freed(const Memory::Allocation& a) override { list.push_back("freed " + a.label); }
  void accessed(const HostAccess& a) override {
    constexpr const char* words[]{"reads ", "writes ", "fills "};
    list.push_back(words[static_cast<int>(a.does)] + std::to_string(a.bytes) +
                   (a.at == device ? " of the device" : " of the host"));
  }
  std::uintptr_t device = 0;
  std::vector<std::string> list;
};

TEST(HostEvents, AreTold) {
  Memory memory(1 << 30);
  Told told;
  void* before = memory.allocate(100, Memory::Kind::Device, "before");
  memory.add_observer(told);
  void* array = memory.allocate(100, Memory::Kind::Device, "array");
  told.device = reinterpret_cast<std::uintptr_t>(array);
  std::uint32_t host[4] = {1, 2, 3, 4};
  memory.copy(array, host, sizeof host);
  memory.fill(array, 0x01020304, 4, 10);
  memory.store(static_cast<std::uint64_t*>(array), std::uint64_t{5});
  EXPECT_TRUE(memory.add(host, sizeof host, Memory::Kind::Host, "registered"));
  EXPECT_TRUE(memory.remove(host));
  EXPECT_TRUE(memory.free(array));
  EXPECT_FALSE(memory.free(array));
  EXPECT_EQ(told.list, (std::vector<std::string>{"allocated array", "reads 16 of the host",
                                                 "writes 16 of the device", "fills 8 of the device",
                                                 "writes 8 of the device", "allocated registered",
                                                 "freed registered", "freed array"}));
  memory.remove_observer(told);
  memory.free(before);
  EXPECT_EQ(told.list.size(), 8u);
}

TEST(HostEvents, FillsRepeatTheirValue) {
  Memory memory(1 << 30);
  auto* bytes = static_cast<unsigned char*>(memory.allocate(64, Memory::Kind::Device, "array"));
  memory.fill(bytes, 0x0a0b0c0d, 4, 10);
  memory.fill(bytes + 17, 0x0102, 2, 5);
  memory.fill(bytes + 33, 0x17, 1, 3);
  EXPECT_THAT(std::span(bytes, 10), ElementsAre(0xd, 0xc, 0xb, 0xa, 0xd, 0xc, 0xb, 0xa, 0, 0));
  EXPECT_THAT(std::span(bytes + 16, 7), ElementsAre(0, 2, 1, 2, 1, 0, 0));
  EXPECT_THAT(std::span(bytes + 32, 5), ElementsAre(0, 0x17, 0x17, 0x17, 0));
}

}  // namespace
}  // namespace hipsight::engine
