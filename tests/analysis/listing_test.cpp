#include "analysis/listing.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../isa/assemble.h"

namespace hipsight::analysis {
namespace {

struct Ways {
  std::string_view name;
  std::size_t next, target;
  bool operator==(const Ways&) const = default;
};

/// Names of what is reached from the first instruction, and where control goes from there.
std::vector<Ways> ways(std::string_view processor, std::string_view text) {
  std::vector<Ways> all;
  const auto code = test::assemble(processor, text);
  for (const Listing::Line& line : listing(code, 0x1000, 0x1000, processor).lines)
    all.push_back({line.instruction.name(), line.next, line.target});
  return all;
}

constexpr std::size_t nowhere = Listing::nowhere;

TEST(Listing, follows_branches_and_what_comes_next) {
  const std::vector<Ways> expected{{"S_CBRANCH_SCC0", 1, 3},
                                   {"S_NOP", 2, nowhere},
                                   {"S_BRANCH", nowhere, 4},
                                   {"S_CBRANCH_VCCZ", 4, 0},
                                   {"S_ENDPGM", nowhere, nowhere}};
  EXPECT_EQ(ways("gfx942", R"(
    first: s_cbranch_scc0 third
           s_nop 0
           s_branch last
           v_mov_b32 v0, 1  ; nobody comes here
    third: s_cbranch_vccz first
    last:  s_endpgm
           s_nop 1)"),
            expected);
}

TEST(Listing, begins_where_the_kernel_does) {
  const auto code = test::assemble("gfx1100", R"(
    back: s_endpgm
          s_nop 0
          s_branch back)");
  const Listing all = listing(code, 0x1000, 0x1004, "gfx1100");
  ASSERT_EQ(all.lines.size(), 3u);
  EXPECT_EQ(all.entry, 1u);
  EXPECT_FALSE(all.leaves);
}

TEST(Listing, goes_on_after_calls_and_ends_with_jumps_by_register) {
  const auto code = test::assemble("gfx942", R"(
    s_swappc_b64 s[30:31], s[4:5]
    s_nop 0
    s_setpc_b64 s[30:31]
    s_endpgm)");
  const Listing all = listing(code, 0, 0, "gfx942");
  ASSERT_EQ(all.lines.size(), 3u);
  EXPECT_EQ(all.lines[0].next, 1u);
  EXPECT_EQ(all.lines[2].next, nowhere);
  EXPECT_TRUE(all.leaves);
}

TEST(Listing, ends_where_the_code_does) {
  const auto code = test::assemble("gfx942", "s_cbranch_scc0 100\n s_nop 0");
  const Listing all = listing(code, 0, 0, "gfx942");
  ASSERT_EQ(all.lines.size(), 2u);
  EXPECT_EQ(all.lines[0].target, nowhere);
  EXPECT_EQ(all.lines[1].next, nowhere);
  EXPECT_TRUE(listing({}, 0, 0, "gfx942").lines.empty());
}

std::vector<Scratch> scratch(std::string_view processor, std::string_view text, bool buffer) {
  code::Kernel kernel;
  kernel.descriptor.properties = buffer;
  return scratch_uses(listing(test::assemble(processor, text), 0, 0, processor), kernel);
}

TEST(Listing, knows_scratch_by_its_instructions) {
  using enum Scratch;
  EXPECT_EQ(scratch("gfx942", R"(
              scratch_store_dwordx2 off, v[0:1], s0
              scratch_load_dword v0, off, s0
              global_load_dword v0, v[2:3], off
              buffer_load_dword v0, off, s[0:3], 0)",
                    false),
            (std::vector{Store, Load, None, None}));
}

TEST(Listing, knows_scratch_by_its_resource) {
  using enum Scratch;
  const char* const where_it_was = R"(
      s_load_dwordx2 s[6:7], s[4:5], 0x0
      buffer_store_dword v0, off, s[0:3], 0 offset:4
      buffer_load_dword v0, off, s[0:3], s32
      buffer_load_dword v0, off, s[4:7], 0)";
  EXPECT_EQ(scratch("gfx90a", where_it_was, true), (std::vector{None, Store, Load, None}));
  EXPECT_EQ(scratch("gfx90a", where_it_was, false), std::vector(4, None));
  const char* const moved = R"(
      s_mov_b64 s[98:99], s[2:3]
      s_mov_b64 s[96:97], s[0:1]
      s_load_dwordx4 s[0:3], s[4:5], 0x0
      buffer_store_dword v0, off, s[96:99], 0 offset:4
      buffer_store_dword v0, off, s[0:3], 0 offset:4)";
  EXPECT_EQ(scratch("gfx90a", moved, true), (std::vector{None, None, None, Store, None}));
}

}  // namespace
}  // namespace hipsight::analysis
