// Memory instructions and barriers of GFX12, against what the RDNA4 ISA manual says of each.
#include <cstring>

#include "kernels.h"

namespace hipsight::engine {
namespace {

class Gfx12Test : public testing::TestWithParam<Where> {
 protected:
  Gfx12Test() {
    for (std::uint32_t i = 0; i < words; ++i) in[i] = 0x9e3779b9u * (i + 1);
  }
  bool is_wave64() const { return std::string_view(GetParam().file).find("wave64") != npos; }

  static constexpr std::size_t words = 4096, npos = std::string_view::npos;
  const std::uint32_t lanes = is_wave64() ? 64 : 32;
  Kernels kernels{GetParam()};
  std::uint32_t* const in = kernels.array(words);
  std::uint32_t* const out = kernels.array(words);
};

// Lane l of wave32 reads eight elements; as measured on a gfx1201, those of sixteen bits are turned
// in tiles of eight lanes.
TEST_P(Gfx12Test, TransposingLoads) {
  kernels.run("transposed16", lanes, {in, out});
  const auto* from = reinterpret_cast<const std::uint16_t*>(in);
  const auto* to = reinterpret_cast<const std::uint16_t*>(out);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned j = 0; j < 8; ++j)
      EXPECT_EQ(to[lane * 8 + j], from[(lane / 8 * 8 + j) * 8 + lane % 8]) << lane << ", " << j;
  kernels.run("transposed8", lanes, {in, out});
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(in);
  const auto* columns = reinterpret_cast<const std::uint8_t*>(out);
  // A tile of eight rows of sixteen bytes; two lanes read a row.
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned row = 0; row < 8; ++row)
      EXPECT_EQ(columns[lane * 8 + row], bytes[lane / 16 * 128 + row * 16 + lane % 16])
          << lane << ", " << row;
}

TEST_P(Gfx12Test, BlocksOfRegisters) {
  for (const char* kernel : {"blocks", "scratch_blocks"}) {
    std::fill_n(out, words, 0u);
    kernels.run(kernel, 32, {in, out});
    const bool global = std::string_view(kernel) == "blocks";
    for (unsigned lane = 0; lane < 32; ++lane) {
      // What scratch holds before the store, or nothing.
      std::vector<std::uint32_t> expected(32);
      if (!global) std::copy_n(in + 32 * lane, 32, expected.begin());
      if (!global || lane != 5) {
        expected[0] = in[32 * lane];
        expected[1] = 11;
        for (const unsigned i : {2u, 3u, 31u}) expected[i] = in[32 * lane + i];
      }
      const std::uint32_t* block = out + 64 * lane + 16;
      EXPECT_EQ(std::vector(block, block + 32), expected) << kernel << ", lane " << lane;
    }
  }
}

TEST_P(Gfx12Test, AddsInOrder) {
  // All in turn; and but one whose turn it is.
  for (const bool in_turn : {true, false}) {
    std::uint32_t turn = 100, sum = 7;
    out[0] = turn, out[1] = sum;
    for (unsigned lane = 0; lane < 32; ++lane) {
      in[2 * lane] = in_turn || lane == 9 ? turn + (in_turn ? lane : 0) : turn + 50 + lane;
      in[2 * lane + 1] = 1000 + lane;
    }
    kernels.run("ordered_add", 32, {in, out});
    for (unsigned lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(out[2 + 2 * lane], turn) << lane;
      EXPECT_EQ(out[3 + 2 * lane], sum) << lane;
      if (in[2 * lane] == turn) ++turn, sum += in[2 * lane + 1];
    }
    EXPECT_EQ(out[0], turn);
    EXPECT_EQ(out[1], sum);
    EXPECT_EQ(turn, in_turn ? 132u : 101u);
  }
}

TEST_P(Gfx12Test, NamedBarriers) {
  kernels.run("named_barriers", 4 * lanes, {in, out});
  EXPECT_EQ(out[0], 2u << 4 | 1u);             // two members, none of which has signalled
  EXPECT_EQ(out[1], 42u);                      // wave 0 waited for wave 1
  EXPECT_EQ(out[2], 1u);                       // it was the first
  EXPECT_EQ(out[3], 0u);                       // and wave 1 not
  EXPECT_EQ(out[4], 1u << 16 | 2u << 4 | 1u);  // one has signalled
  EXPECT_EQ(out[5], 2u << 4 | 1u);             // all have: it begins anew
  EXPECT_EQ(out[6], 0u);                       // both have left
}

TEST_P(Gfx12Test, SignalsThatDoNotWait) {
  kernels.run("split_barrier", 2 * lanes, {in, out});
  EXPECT_EQ(out[0], 1u);
  EXPECT_EQ(out[1], 1u);
  EXPECT_EQ(out[8], 1u);
}

TEST_P(Gfx12Test, WavesThatEndBeforeABarrier) {
  in[0] = 20;
  kernels.run("early_ends", 4 * lanes, {in, out});
  EXPECT_EQ(out[0], 7u);
}

INSTANTIATE_TEST_SUITE_P(Waves, Gfx12Test,
                         testing::Values(Where{"rx9070xt", HIPSIGHT_GFX12_gfx1201},
                                         Where{"rx9070xt", HIPSIGHT_GFX12_gfx1201_wave64}),
                         [](const auto& info) {
                           return std::string(info.index ? "wave64" : "wave32");
                         });

}  // namespace
}  // namespace hipsight::engine
