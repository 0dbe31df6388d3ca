#include "engine/memory/memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace hipsight::engine {
namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;
constexpr std::size_t GiB = std::size_t{1} << 30;

std::uintptr_t address(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

/// Bytes of [pointer, pointer + size) that the operating system holds in memory.
std::size_t resident(void* pointer, std::size_t size) {
  std::vector<unsigned char> pages((size + 4095) / 4096);
  EXPECT_EQ(mincore(pointer, size, pages.data()), 0);
  std::size_t count = 0;
  for (unsigned char page : pages) count += page & 1;
  return count * 4096;
}

TEST(Memory, AllocationsAreZeroedWritableAndApart) {
  Memory memory(GiB);
  auto* a = static_cast<char*>(memory.allocate(1000, Memory::Kind::Device, "a"));
  auto* b = static_cast<char*>(memory.allocate(3 * MiB, Memory::Kind::Device, "b"));
  ASSERT_TRUE(a && b);
  EXPECT_EQ(address(a) % 256, 0u);
  for (std::size_t i = 0; i < 3 * MiB; ++i) ASSERT_EQ(b[i], 0);
  std::memset(a, 1, 1000);
  std::memset(b, 2, 3 * MiB);
  EXPECT_EQ(a[999], 1);
  EXPECT_GE(address(b), address(a) + 1000 + 256);
  EXPECT_EQ(memory.used(), 1000 + 3 * MiB);
}

TEST(Memory, FindKnowsExactBounds) {
  Memory memory(GiB);
  auto* p = static_cast<char*>(memory.allocate(1000, Memory::Kind::Managed, "mine", 3, 7));
  const auto found = memory.find(address(p) + 999);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->begin, address(p));
  EXPECT_EQ(found->size, 1000u);
  EXPECT_EQ(found->kind, Memory::Kind::Managed);
  EXPECT_EQ(found->device, 3);
  EXPECT_EQ(found->flags, 7u);
  EXPECT_EQ(found->label, "mine");
  EXPECT_FALSE(found->registered);
  EXPECT_FALSE(memory.find(address(p) + 1000));
  EXPECT_FALSE(memory.find(address(p) - 1));
  EXPECT_FALSE(memory.find(0));
}

TEST(Memory, NearestIsByDistance) {
  Memory memory(GiB);
  EXPECT_FALSE(memory.nearest(1234));
  auto* a = static_cast<char*>(memory.allocate(100, Memory::Kind::Device, "a"));
  auto* b = static_cast<char*>(memory.allocate(100, Memory::Kind::Device, "b"));
  EXPECT_EQ(memory.nearest(0)->label, "a");
  EXPECT_EQ(memory.nearest(address(a) + 104)->label, "a");
  EXPECT_EQ(memory.nearest(address(b) - 4)->label, "b");
  EXPECT_EQ(memory.nearest(~std::uintptr_t{0})->label, "b");
}

TEST(Memory, FreeGivesPagesBackAndForgets) {
  Memory memory(GiB);
  void* p = memory.allocate(64 * MiB, Memory::Kind::Device, "big");
  std::memset(p, 1, 64 * MiB);
  EXPECT_EQ(resident(p, 64 * MiB), 64 * MiB);
  const auto epoch = memory.epoch();
  EXPECT_TRUE(memory.free(p));
  EXPECT_EQ(resident(p, 64 * MiB), 0u);
  EXPECT_NE(memory.epoch(), epoch);
  EXPECT_FALSE(memory.find(address(p)));
  EXPECT_EQ(memory.freed(address(p) + 5)->label, "big");
  EXPECT_FALSE(memory.free(p));
  EXPECT_EQ(memory.used(), 0u);
}

TEST(Memory, OnlyBeginningsAreFreed) {
  Memory memory(GiB);
  auto* p = static_cast<char*>(memory.allocate(4096, Memory::Kind::Device, "p"));
  EXPECT_FALSE(memory.free(p + 8));
  EXPECT_FALSE(memory.free(nullptr));
  int mine = 0;
  EXPECT_FALSE(memory.free(&mine));
  EXPECT_TRUE(memory.find(address(p)));
}

TEST(Memory, FreedAddressesAreNotSoonReused) {
  Memory memory(GiB);
  std::set<void*> seen;
  for (int i = 0; i < 1000; ++i) {
    void* p = memory.allocate(10000, Memory::Kind::Device, "p");
    ASSERT_TRUE(p);
    EXPECT_TRUE(seen.insert(p).second);
    memory.free(p);
  }
}

TEST(Memory, WrapsRoundWithoutTouchingLiveAllocations) {
  Memory memory(GiB);
  auto* live = static_cast<char*>(memory.allocate(5 * MiB, Memory::Kind::Device, "live"));
  std::memset(live, 42, 5 * MiB);
  std::uintptr_t previous = 0;
  int wraps = 0;
  for (int i = 0; i < 20; ++i) {  // 200 GiB in all: more than the arena
    auto* p = static_cast<char*>(memory.allocate(10 * GiB, Memory::Kind::Host, "p"));
    ASSERT_TRUE(p);
    ASSERT_TRUE(p + 10 * GiB <= live || p >= live + 5 * MiB);
    ASSERT_EQ(p[0], 0);
    ASSERT_EQ(p[10 * GiB - 1], 0);
    p[0] = p[10 * GiB - 1] = 1;
    if (address(p) < previous) ++wraps;
    previous = address(p);
    memory.free(p);
  }
  EXPECT_GT(wraps, 0);
  for (std::size_t i = 0; i < 5 * MiB; ++i) ASSERT_EQ(live[i], 42);
}

TEST(Memory, CapacityIsPerDeviceAndNotForHostMemory) {
  Memory memory(10 * MiB);
  EXPECT_TRUE(memory.allocate(6 * MiB, Memory::Kind::Device, "a", 0));
  EXPECT_FALSE(memory.allocate(6 * MiB, Memory::Kind::Device, "b", 0));
  EXPECT_TRUE(memory.allocate(6 * MiB, Memory::Kind::Device, "c", 1));
  EXPECT_TRUE(memory.allocate(60 * MiB, Memory::Kind::Host, "d", 0));
  EXPECT_EQ(memory.used(0), 6 * MiB);
  EXPECT_EQ(memory.used(1), 6 * MiB);
  EXPECT_EQ(memory.used(2), 0u);
  EXPECT_FALSE(memory.allocate(0, Memory::Kind::Device, "none"));
  EXPECT_FALSE(memory.allocate(~std::size_t{0}, Memory::Kind::Host, "absurd"));
  EXPECT_FALSE(memory.allocate(~std::size_t{0} - 4096, Memory::Kind::Host, "absurd"));
}

TEST(Memory, CallersOwnRanges) {
  Memory memory(GiB);
  std::vector<char> mine(1000);
  EXPECT_TRUE(memory.add(mine.data(), 1000, Memory::Kind::Host, "mine", 2));
  EXPECT_TRUE(memory.find(address(mine.data()) + 999)->registered);
  EXPECT_FALSE(memory.add(mine.data() + 500, 1000, Memory::Kind::Host, "overlap"));
  EXPECT_FALSE(memory.add(mine.data() - 10, 11, Memory::Kind::Host, "overlap"));
  EXPECT_FALSE(memory.add(nullptr, 11, Memory::Kind::Host, "null"));
  EXPECT_FALSE(memory.add(mine.data(), ~std::size_t{0}, Memory::Kind::Host, "wraps"));
  EXPECT_FALSE(memory.free(mine.data()));
  EXPECT_FALSE(memory.remove(mine.data() + 1));
  EXPECT_TRUE(memory.remove(mine.data()));
  EXPECT_FALSE(memory.find(address(mine.data())));
  void* p = memory.allocate(100, Memory::Kind::Device, "p");
  EXPECT_FALSE(memory.remove(p));
}

TEST(Memory, ManyThreads) {
  Memory memory(GiB);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&memory, t] {
      for (int i = 0; i < 2000; ++i) {
        auto* p = static_cast<int*>(memory.allocate(4096, Memory::Kind::Device, "p"));
        ASSERT_TRUE(p);
        *p = t;
        ASSERT_EQ(memory.find(address(p))->begin, address(p));
        ASSERT_EQ(*p, t);
        ASSERT_TRUE(memory.free(p));
      }
    });
  threads.clear();
  EXPECT_EQ(memory.used(), 0u);
}

TEST(Memory, MoreAllocationsThanTheSystemHasMappings) {
  Memory memory(GiB);
  std::vector<char*> all;
  for (int i = 0; i < 80000; ++i) {  // vm.max_map_count is 65530 by default
    all.push_back(static_cast<char*>(memory.allocate(16, Memory::Kind::Device, "small")));
    ASSERT_TRUE(all.back());
  }
  *all.front() = 1;
  *all.back() = 2;
  for (char* p : all) EXPECT_TRUE(memory.free(p));
}

}  // namespace
}  // namespace hipsight::engine
