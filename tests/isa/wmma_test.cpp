// WMMA and SWMMAC in waves of 32 and of 64, against products of small integers, which are exact in
// every format. Layouts: AMD's matrix instruction calculator.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "machine.h"

namespace hipsight::test {
namespace {

using u32 = std::uint32_t;

enum class Type { F32, F16, BF16, FP8, I32, I8, I4 };
unsigned bits_of(Type t) {
  constexpr unsigned bits[]{32, 16, 16, 8, 32, 8, 4};
  return bits[static_cast<unsigned>(t)];
}
u32 code_of(Type t, int value) {
  const float f = static_cast<float>(value);
  switch (t) {
    case Type::F32:
      return std::bit_cast<u32>(f);
    case Type::F16:
      return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
    case Type::BF16:
      return std::bit_cast<u32>(f) >> 16;
    case Type::FP8: {
      constexpr u32 magnitudes[]{0, 0x38, 0x40, 0x44};  // 0, 1, 2, 3
      return magnitudes[std::abs(value)] | (value < 0 ? 0x80 : 0);
    }
    default:
      return static_cast<u32>(value) & static_cast<u32>((1ull << bits_of(t)) - 1);
  }
}

/// Where rows of a result, or k of an operand, go: runs of them to groups of sixteen lanes in turn.
struct Layout {
  unsigned run;
  std::vector<unsigned> groups;

  unsigned group(unsigned x) const { return groups[x / run % groups.size()]; }
  unsigned element(unsigned x) const {
    return x / run / static_cast<unsigned>(groups.size()) * run + x % run;
  }
};
const std::vector<unsigned> two{0, 1}, four{0, 1, 2, 3}, crossed{0, 2, 1, 3};

/// Layouts for waves of 32 and of 64.
struct Layouts {
  Layout wave32, wave64;
  const Layout& of(unsigned lanes) const { return lanes == 32 ? wave32 : wave64; }
};

struct Case {
  const char *processor, *name;
  unsigned k;
  Type in, out;
  Layouts operands, results;
  std::optional<Layouts> sparse;  ///< of A, when it keeps two of four
  std::string modifiers = "";
  bool replicated = false;  ///< all groups of lanes hold A and B (gfx11)
  bool high = false;        ///< 16-bit results lie one in a register, in its upper half
};

const Layouts gfx11_in{{16, {0}}, {16, {0}}}, gfx11_out{{1, two}, {1, four}};
const Layouts rows{{8, two}, {4, crossed}};
const Layouts halves{{4, two}, {4, four}}, bytes{{8, two}, {4, crossed}},
    few_nibbles{{8, two}, {8, two}}, nibbles{{16, two}, {8, crossed}};
const Layouts long_halves{{8, two}, {8, four}}, long_bytes{{16, two}, {8, crossed}},
    kept_nibbles{{16, two}, {16, two}}, long_nibbles{{32, two}, {16, crossed}};

std::vector<Case> cases() {
  const std::string is_signed = " neg_lo:[1,1,0]";
  const char *gfx11 = "gfx1100", *gfx12 = "gfx1201";
  const auto old = [&](const char* name, Type in, Type out, std::string modifiers = "",
                       bool high = false) {
    return Case{gfx11, name, 16, in, out, gfx11_in, gfx11_out, {}, std::move(modifiers),
                true,  high};
  };
  const auto sparse = [&](const char* name, unsigned k, Type in, Type out, const Layouts& l,
                          const Layouts& kept, const std::string& modifiers = "") {
    return Case{gfx12, name, k, in, out, l, rows, kept, modifiers};
  };
  return {
      old("v_wmma_f32_16x16x16_f16", Type::F16, Type::F32),
      old("v_wmma_f32_16x16x16_bf16", Type::BF16, Type::F32),
      old("v_wmma_f16_16x16x16_f16", Type::F16, Type::F16),
      old("v_wmma_f16_16x16x16_f16", Type::F16, Type::F16, " op_sel:[0,0,1]", true),
      old("v_wmma_bf16_16x16x16_bf16", Type::BF16, Type::BF16),
      old("v_wmma_i32_16x16x16_iu8", Type::I8, Type::I32, is_signed),
      old("v_wmma_i32_16x16x16_iu4", Type::I4, Type::I32, is_signed),
      {gfx12, "v_wmma_f32_16x16x16_f16", 16, Type::F16, Type::F32, halves, rows, {}},
      {gfx12, "v_wmma_f32_16x16x16_bf16", 16, Type::BF16, Type::F32, halves, rows, {}},
      {gfx12, "v_wmma_f16_16x16x16_f16", 16, Type::F16, Type::F16, halves, rows, {}},
      {gfx12, "v_wmma_bf16_16x16x16_bf16", 16, Type::BF16, Type::BF16, halves, rows, {}},
      {gfx12, "v_wmma_f32_16x16x16_fp8_fp8", 16, Type::FP8, Type::F32, bytes, rows, {}},
      {gfx12, "v_wmma_i32_16x16x16_iu8", 16, Type::I8, Type::I32, bytes, rows, {}, is_signed},
      {gfx12, "v_wmma_i32_16x16x16_iu4", 16, Type::I4, Type::I32, few_nibbles, rows, {}, is_signed},
      {gfx12, "v_wmma_i32_16x16x32_iu4", 32, Type::I4, Type::I32, nibbles, rows, {}, is_signed},
      sparse("v_swmmac_f32_16x16x32_f16", 32, Type::F16, Type::F32, long_halves, long_halves),
      sparse("v_swmmac_f32_16x16x32_bf16", 32, Type::BF16, Type::F32, long_halves, long_halves),
      sparse("v_swmmac_f16_16x16x32_f16", 32, Type::F16, Type::F16, long_halves, long_halves),
      sparse("v_swmmac_f32_16x16x32_fp8_fp8", 32, Type::FP8, Type::F32, long_bytes, long_bytes),
      sparse("v_swmmac_i32_16x16x32_iu8", 32, Type::I8, Type::I32, long_bytes, long_bytes,
             is_signed),
      sparse("v_swmmac_i32_16x16x32_iu4", 32, Type::I4, Type::I32, nibbles, kept_nibbles,
             is_signed),
      sparse("v_swmmac_i32_16x16x64_iu4", 64, Type::I4, Type::I32, long_nibbles, long_nibbles,
             is_signed),
  };
}
std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.processor << " " << c.name << c.modifiers;
}

constexpr unsigned tile = 16, a_first = 0, b_first = 16, c_first = 32, d_first = 48, index_at = 64;

/// One run of one case in waves of one size.
class Product {
 public:
  Product(const Case& which, const HostIsa& host_isa, unsigned wave)
      : c(which), lanes(wave), m(c.processor, host_isa, wave) {}

  void check(unsigned key) {
    for (unsigned r = 0; r < 80; ++r)
      for (unsigned lane = 0; lane < lanes; ++lane) m.vgpr(r, lane) = static_cast<u32>(random());
    int a[tile][64] = {}, b[64][tile], start[tile][tile];
    const Layout& operand = c.operands.of(lanes);
    for (unsigned row = 0; row < tile; ++row)
      for (unsigned k = 0; k < c.k; ++k) {
        b[k][row] = small();
        put_in(b_first, operand, row, k, operand.element(k), b[k][row]);
        if (!c.sparse) put_in(a_first, operand, row, k, operand.element(k), a[row][k] = small());
      }
    if (c.sparse) fill_sparse(a, key);
    const unsigned from = c.sparse ? d_first : c_first;
    for (unsigned i = 0; i < tile; ++i)
      for (unsigned j = 0; j < tile; ++j) {
        start[i][j] = small();
        put_result(from, i, j, start[i][j]);
      }
    std::vector<u32> before;
    for (unsigned r = 0; r < 16; ++r)
      for (unsigned lane = 0; lane < lanes; ++lane) before.push_back(m.vgpr(d_first + r, lane));

    m.run(*m.lower(text(key)));

    for (unsigned i = 0; i < tile; ++i)
      for (unsigned j = 0; j < tile; ++j) {
        int sum = start[i][j];
        for (unsigned k = 0; k < c.k; ++k) sum += a[i][k] * b[k][j];
        const auto [r, lane, shift] = result_place(i, j);
        const u32 mask = static_cast<u32>((1ull << bits_of(c.out)) - 1);
        ASSERT_EQ(m.vgpr(d_first + r, lane) >> shift & mask, code_of(c.out, sum))
            << "row " << i << ", column " << j;
        u32& old = before[r * lanes + lane];
        old = (old & ~(mask << shift)) | (code_of(c.out, sum) & mask) << shift;
      }
    for (unsigned r = 0; r < 16; ++r)
      for (unsigned lane = 0; lane < lanes; ++lane)
        ASSERT_EQ(m.vgpr(d_first + r, lane), before[r * lanes + lane])
            << "register " << r << ", lane " << lane;
  }

  /// How many sets of indices a register has room for.
  unsigned keys() const { return c.sparse ? 32 / index_bits() : 1; }

 private:
  struct ResultPlace {
    unsigned r, lane, shift;
  };

  int small() { return static_cast<int>(random() % 7) - 3; }
  unsigned index_bits() const {
    const Layout& kept = c.sparse->of(lanes);
    return c.k / static_cast<unsigned>(kept.groups.size());
  }
  unsigned registers(const Layout& l, unsigned count) const {
    const unsigned bits = count / static_cast<unsigned>(l.groups.size()) * bits_of(c.in);
    return bits / 32;
  }
  std::string text(unsigned key) const {
    const auto range = [](unsigned first, unsigned count) {
      if (count == 1) return "v" + std::to_string(first);
      return "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
    };
    const unsigned b = registers(c.operands.of(lanes), c.k);
    const unsigned a = c.sparse ? registers(c.sparse->of(lanes), c.k / 2) : b;
    const bool packed = bits_of(c.out) == 16 && !c.replicated;
    const unsigned out = tile * tile / lanes / (packed ? 2 : 1);
    std::string t = std::string(c.name) + " " + range(d_first, out) + ", " + range(a_first, a) +
                    ", " + range(b_first, b) + ", ";
    t += c.sparse ? range(index_at, 1) : range(c_first, out);
    if (c.sparse && keys() > 1) t += " index_key:" + std::to_string(key);
    return t + c.modifiers;
  }

  void put(unsigned first, unsigned lane, unsigned element, int value) {
    const unsigned bit = element * bits_of(c.in);
    const u32 mask = ((1u << bits_of(c.in)) - 1) << bit % 32;
    u32& word = m.vgpr(first + bit / 32, lane);
    word = (word & ~mask) | (code_of(c.in, value) << bit % 32 & mask);
  }
  void put_in(unsigned first, const Layout& l, unsigned row, unsigned k, unsigned element,
              int value) {
    for (unsigned group = 0; group < lanes / tile; ++group)
      if (c.replicated || group == l.group(k)) put(first, group * tile + row, element, value);
  }
  /// Of four neighbours along k, two differing ones are kept, in order.
  void fill_sparse(int (&a)[tile][64], unsigned key) {
    const Layout& kept = c.sparse->of(lanes);
    for (unsigned row = 0; row < tile; ++row)
      for (unsigned k = 0; k < c.k; k += 4) {
        u32 first = static_cast<u32>(random() % 4), second = static_cast<u32>(random() % 3);
        if (second >= first) ++second;
        if (second < first) std::swap(first, second);
        const unsigned lane = kept.group(k) * tile + row, element = kept.element(k) / 2;
        a[row][k + first] = small();
        a[row][k + second] = small();
        put(a_first, lane, element, a[row][k + first]);
        put(a_first, lane, element + 1, a[row][k + second]);
        const unsigned shift = key * index_bits() + element * 2;
        u32& indices = m.vgpr(index_at, lane);
        indices = (indices & ~(15u << shift)) | (first | second << 2) << shift;
      }
  }
  ResultPlace result_place(unsigned i, unsigned j) const {
    const Layout& l = c.results.of(lanes);
    const unsigned lane = l.group(i) * tile + j, element = l.element(i);
    if (bits_of(c.out) == 32) return {element, lane, 0};
    if (c.replicated) return {element, lane, c.high ? 16u : 0u};
    return {element / 2, lane, element % 2 * 16};
  }
  void put_result(unsigned first, unsigned i, unsigned j, int value) {
    const auto [r, lane, shift] = result_place(i, j);
    const u32 mask = static_cast<u32>((1ull << bits_of(c.out)) - 1) << shift;
    u32& word = m.vgpr(first + r, lane);
    word = (word & ~mask) | (code_of(c.out, value) << shift & mask);
  }

  const Case& c;
  const unsigned lanes;
  Machine m;
  std::mt19937 random{3};
};

class Wmma : public testing::TestWithParam<Case> {};
TEST_P(Wmma, IsTheProduct) {
  for (const HostIsa& host_isa : host_isas())
    for (const unsigned wave : {32u, 64u}) {
      SCOPED_TRACE(host_isa.name + ", wave" + std::to_string(wave));
      Product product(GetParam(), host_isa, wave);
      for (unsigned key = 0; key < product.keys(); ++key) product.check(key);
    }
}
INSTANTIATE_TEST_SUITE_P(, Wmma, testing::ValuesIn(cases()));

}  // namespace
}  // namespace hipsight::test
