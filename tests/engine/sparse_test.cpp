// Sparse matrix instructions against the product of the dense matrices, whose elements are small
// integers: exact in any order.
#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "kernels.h"

namespace hipsight::engine {
namespace {

/// One kernel: what it multiplies, M x K by K x M, and where the indices lie in their register.
struct Case {
  const char* name;
  Where where;
  const char* kernel;
  unsigned m, k, bits;  ///< of an element of A and B
  unsigned index_shift = 0;
  unsigned result_bits = 32;
  bool integer = false;
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class SparseTest : public testing::TestWithParam<Case> {
 protected:
  std::uint32_t code(int value) const {
    if (GetParam().integer) return static_cast<std::uint32_t>(value) & 0xff;
    const auto half = static_cast<_Float16>(value);
    std::uint16_t bits;
    std::memcpy(&bits, &half, sizeof bits);
    return bits;
  }
  /// Puts element e of a lane into registers whose lanes lie side by side.
  void put(std::uint32_t* registers, unsigned lane, unsigned e, int value) const {
    const unsigned bit = e * GetParam().bits;
    registers[bit / 32 * lanes + lane] |= code(value) << bit % 32;
  }

  Kernels kernels{GetParam().where};
  const unsigned lanes = kernels.processor() == "gfx1201" ? 32 : 64;
};

TEST_P(SparseTest, IsTheDenseProduct) {
  const Case& c = GetParam();
  std::mt19937 random(1);
  const auto small = [&] { return static_cast<int>(random() % 7) - 3; };

  // Of four neighbours along k, two differing ones are kept, in order.
  const unsigned groups = lanes / c.m, per_lane = c.k / groups;
  std::vector<std::vector<int>> a(c.m, std::vector<int>(c.k)), b(c.k, std::vector<int>(c.m));
  for (auto& row : b) std::ranges::generate(row, small);
  constexpr std::size_t room = 4096;
  std::uint32_t *pa = kernels.array(room), *pb = kernels.array(room), *pc = kernels.array(room),
                *indices = kernels.array(lanes);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const unsigned row = lane % c.m, first = lane / c.m * per_lane;
    std::uint64_t index = 0;
    for (unsigned four = 0; four < per_lane / 4; ++four) {
      auto kept = std::to_array<std::uint64_t>({random() % 4, random() % 3});
      if (kept[1] >= kept[0]) ++kept[1];
      std::ranges::sort(kept);
      for (unsigned e = 0; e < 2; ++e) {
        const int value = small();
        a[row][first + four * 4 + kept[e]] = value;
        put(pa, lane, four * 2 + e, value);
        index |= kept[e] << (four * 4 + e * 2);
      }
    }
    // Other sets of indices hold what must not be used.
    const unsigned bits = per_lane;
    const std::uint64_t mask = ((1ull << bits) - 1) << c.index_shift;
    indices[lane] =
        static_cast<std::uint32_t>((index << c.index_shift & mask) | (0x99999999 & ~mask));
    for (unsigned e = 0; e < per_lane; ++e) put(pb, lane, e, b[first + e][row]);
  }
  // C is the same everywhere: its layout shows in the result.
  constexpr int start = 5;
  for (std::size_t i = 0; i < room; ++i) {
    const float one = start;
    std::memcpy(&pc[i], &one, 4);
    if (c.integer) pc[i] = start;
    if (c.result_bits == 16) pc[i] = code(start) | code(start) << 16;
  }

  kernels.run(c.kernel, lanes, {pa, pb, pc, indices});

  for (unsigned i = 0; i < c.m; ++i)
    for (unsigned j = 0; j < c.m; ++j) {
      int expected = start;
      for (unsigned k = 0; k < c.k; ++k) expected += a[i][k] * b[k][j];
      // Results of MFMA: four rows in the registers of a lane, then the next lanes; of gfx12:
      // eight.
      const unsigned rows = lanes == 32 ? 8 : 4, lane_rows = lanes / c.m * rows;
      const unsigned r = i / lane_rows * rows + i % rows, lane = i % lane_rows / rows * c.m + j;
      double result = 0;
      if (c.result_bits == 16) {
        _Float16 half;
        std::memcpy(&half, reinterpret_cast<std::byte*>(pc + r / 2 * lanes + lane) + r % 2 * 2, 2);
        result = half;
      } else if (c.integer) {
        result = static_cast<std::int32_t>(pc[r * lanes + lane]);
      } else {
        float value;
        std::memcpy(&value, pc + r * lanes + lane, 4);
        result = value;
      }
      ASSERT_EQ(result, expected) << "row " << i << ", column " << j;
    }
}

const Case cases[] = {
    {"f16", {"mi300x", HIPSIGHT_SPARSE_gfx942}, "f16", 16, 32, 16, 16},
    {"f16_wide", {"mi300x", HIPSIGHT_SPARSE_gfx942}, "f16_wide", 32, 16, 16, 0},
    {"i8", {"mi300x", HIPSIGHT_SPARSE_gfx942}, "i8", 16, 64, 8, 16, 32, true},
    {"i8_long", {"mi355x", HIPSIGHT_SPARSE_gfx950}, "i8_long", 32, 64, 8, 0, 32, true},
    {"gfx12_f16", {"rx9070xt", HIPSIGHT_SPARSE_gfx1201}, "f16", 16, 32, 16},
    {"gfx12_f16_to_f16", {"rx9070xt", HIPSIGHT_SPARSE_gfx1201}, "f16_to_f16", 16, 32, 16, 0, 16},
    {"gfx12_i8", {"rx9070xt", HIPSIGHT_SPARSE_gfx1201}, "i8", 16, 32, 8, 0, 32, true},
};
INSTANTIATE_TEST_SUITE_P(, SparseTest, testing::ValuesIn(cases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hipsight::engine
