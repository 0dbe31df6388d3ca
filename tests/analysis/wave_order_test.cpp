#include "analysis/wave_order.h"

#include <gmock/gmock.h>

#include <string>

#include "../isa/assemble.h"
#include "isa/decode.h"

namespace hipsight::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Numbers of the instructions before which waves wait for each other; negative: if it is LDS.
std::vector<int> places(std::string_view processor, std::string_view text, bool is_kernel = true) {
  const auto code = test::assemble(processor, text);
  isa::Decoder decoder{std::string(processor)};
  std::vector<isa::Instruction> all;
  for (std::size_t at = 0; at < code.size(); at += all.back().size)
    all.push_back(*decoder.decode(std::span(code).subspan(at), at));
  std::vector<int> found;
  for (const OvertakingStore& store : overtaking_stores(all, is_kernel)) {
    const auto at = std::ranges::find(all, store.address, &isa::Instruction::address);
    const int number = static_cast<int>(at - all.begin());
    found.push_back(store.maybe ? -number : number);
  }
  return found;
}

TEST(WaveOrder, a_store_behind_a_load_without_a_barrier) {
  EXPECT_THAT(places("gfx942", R"(
    ds_write_b32 v0, v1
    s_barrier
    ds_read_b32 v2, v0
    s_waitcnt lgkmcnt(0)
    ds_write_b32 v0, v2
    ds_write_b32 v0, v2 offset:4  ; all have come as far
    ds_read2_b32 v[2:3], v0
    s_barrier
    ds_write_b64 v0, v[2:3]
    s_endpgm)"),
              ElementsAre(4));
}

TEST(WaveOrder, on_any_path_loops_among_them) {
  EXPECT_THAT(places("gfx1100", R"(
    begin: ds_store_b32 v0, v1       ; from the end of the last trip
           s_cbranch_scc0 over
           ds_load_b32 v1, v0
    over:  ds_store_b32 v0, v1       ; from the load above it
           ds_load_b32 v1, v0
           s_cbranch_scc1 begin
           s_branch out
           ds_store_b32 v0, v1       ; nobody comes here
    out:   s_endpgm)"),
              ElementsAre(0, 3));
}

TEST(WaveOrder, barriers_in_two_parts_and_by_name) {
  EXPECT_THAT(places("gfx1201", R"(
    ds_load_b32 v1, v0
    s_barrier_signal -1
    ds_store_b32 v0, v1
    ds_load_b32 v1, v0
    s_barrier_wait 0xffff
    ds_store_b32 v0, v1
    ds_load_b32 v1, v0
    s_barrier_wait 1
    ds_store_b32 v0, v1
    s_endpgm)"),
              ElementsAre(2, 8));
}

TEST(WaveOrder, atomics_store_and_load_if_they_return) {
  EXPECT_THAT(places("gfx942", R"(
    ds_add_u32 v0, v1
    ds_add_rtn_u32 v2, v0, v1
    ds_add_u32 v0, v1
    ds_bpermute_b32 v2, v0, v1   ; not LDS
    ds_write_b32 v0, v1
    ds_read_b32 v2, v0
    ds_max_rtn_u32 v2, v0, v1
    ds_write_b32 v0, v1
    s_endpgm)"),
              ElementsAre(1, 2, 4, 6, 7));
}

TEST(WaveOrder, loads_straight_to_lds_are_stores) {
  EXPECT_THAT(places("gfx950", R"(
    ds_read_b32 v2, v0
    global_load_lds_dwordx4 v[0:1], off
    ds_read_b32 v2, v0
    buffer_load_dword v0, s[0:3], 0 offen lds
    global_load_dword v2, v[0:1], off
    s_endpgm)"),
              ElementsAre(1, 3));
  EXPECT_THAT(places("gfx90a", R"(
    buffer_store_lds_dword s[0:3], 0 offset:4 lds
    buffer_load_dword v0, s[0:3], 0 offen lds
    s_endpgm)"),
              ElementsAre(1));
}

TEST(WaveOrder, flat_instructions_may_be_either) {
  EXPECT_THAT(places("gfx942", R"(
    flat_load_dword v2, v[0:1]
    flat_store_dword v[0:1], v2
    flat_store_dword v[0:1], v2
    ds_write_b32 v0, v2
    flat_store_dword v[0:1], v2
    s_endpgm)"),
              ElementsAre(-1, -2, 3, -4));
}

TEST(WaveOrder, a_store_behind_another_one) {
  // Clears, loads what it is to keep, and stores that elsewhere; a run of stores is as one.
  EXPECT_THAT(places("gfx1100", R"(
           ds_store_b32 v0, v1
           ds_store_b32 v0, v1 offset:4
           global_load_b32 v2, v0, s[0:1]
           s_waitcnt vmcnt(0)
           ds_store_b32 v3, v2
           v_add_nc_u32 v4, 4, v3
           ds_store_b32 v4, v2
           s_cbranch_execz over
           ds_store_b32 v4, v2 offset:8
    over:  ds_store_b32 v4, v2 offset:16
           s_barrier
           ds_store_b32 v4, v2
           s_endpgm)"),
              ElementsAre(4, 8, 9));
  // In a loop, behind itself.
  EXPECT_THAT(places("gfx942", R"(
    more: ds_write_b32 v0, v1
          v_add_u32 v0, 4, v0
          s_cbranch_scc0 more
          s_endpgm)"),
              ElementsAre(0));
  EXPECT_THAT(places("gfx942", R"(
    more: ds_write_b32 v0, v1
          s_barrier
          s_cbranch_scc0 more
          s_endpgm)"),
              IsEmpty());
  // Several loads in flight: their stores are one run.
  EXPECT_THAT(places("gfx942", R"(
    global_load_dword v2, v0, s[0:1]
    global_load_dword v3, v0, s[0:1] offset:4
    s_waitcnt vmcnt(1)
    ds_write_b32 v0, v2
    s_waitcnt vmcnt(0)
    ds_write_b32 v1, v3
    s_endpgm)"),
              IsEmpty());
}

TEST(WaveOrder, atomics_of_one_kind_may_come_in_any_order) {
  EXPECT_THAT(places("gfx942", R"(
          ds_write_b32 v0, v1
    more: ds_add_u32 v0, v2       ; what clears is to come before
          s_cbranch_scc0 more
          ds_add_u32 v3, v2
          ds_max_u32 v0, v2
          ds_write_b32 v0, v1
          s_endpgm)"),
              ElementsAre(1, 4, 5));
}

TEST(WaveOrder, what_is_called_may_load_and_callers_may_have) {
  constexpr std::string_view text = R"(
    ds_write_b32 v0, v2
    s_swappc_b64 s[30:31], s[4:5]
    ds_write_b32 v0, v2
    s_setpc_b64 s[30:31])";
  EXPECT_THAT(places("gfx942", text), ElementsAre(2));
  EXPECT_THAT(places("gfx942", text, false), ElementsAre(0, 2));
  EXPECT_THAT(places("gfx942", "s_endpgm"), IsEmpty());
}

}  // namespace
}  // namespace hipsight::analysis
