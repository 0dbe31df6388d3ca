// Buffer resources: every combination of what the descriptor and the instruction say, against the
// ISA manuals' formulas ("Buffer Addressing"), whose text each generation has of its own.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels.h"

namespace hipsight::engine {
namespace {

constexpr std::uint32_t lanes = 32;  // the first ones: a wave of RDNA has no more
constexpr std::size_t words = 1 << 20;
constexpr std::uint32_t nowhere = ~0u;

struct Mode {
  const char* name;
  bool idxen, offen;
};
constexpr Mode modes[]{
    {"none", false, false}, {"offen", false, true}, {"idxen", true, false}, {"both", true, true}};

struct Descriptor {
  std::uint32_t stride = 0, swizzle = 0, index_stride = 0, add_lane = 0, check = 0, format = 0;
  std::uint32_t records = 0, soffset = 0;

  std::string text() const {
    return fmt::format(
        "stride {}, swizzle {}, index stride {}, add lane {}, OOB_SELECT {}, format {}, {} "
        "records, "
        "scalar offset {}",
        stride, swizzle, index_stride, add_lane, check, format, records, soffset);
  }
};

class BufferTest : public testing::TestWithParam<Where> {
 protected:
  BufferTest() {
    std::iota(data, data + words, 1);  // a word's value says where it is
    for (std::uint32_t i = 0; i < 64; ++i) {
      setup[4 + i] = i * 20;         // offset
      setup[68 + i] = (i * 7) % 64;  // index
    }
  }
  bool rdna() const { return kernels.processor().starts_with("gfx1"); }
  bool gfx12() const { return kernels.processor().starts_with("gfx12"); }

  void set(const Descriptor& d) {
    setup[0] = d.stride << 16 | d.swizzle << 30;
    setup[1] = d.records;
    setup[2] = d.index_stride << 21 | d.add_lane << 23;
    setup[2] |= rdna() ? d.check << 28 : d.format << 15;
    setup[3] = d.soffset;
  }

  /// Which word each of a lane's dwords is; `nowhere`: out of range.
  std::vector<std::uint32_t> places(const Descriptor& d, const Mode& mode, std::uint32_t lane,
                                    std::uint32_t dwords) const {
    const std::uint32_t record = mode.idxen ? setup[68 + lane] : 0;
    const std::uint32_t offset = mode.offen ? setup[4 + lane] : 0;
    std::vector<std::uint32_t> result;
    for (std::uint32_t k = 0; k < dwords; ++k)
      result.push_back(rdna() ? rdna_place(d, record, offset, lane, k)
                              : cdna_place(d, mode, record, offset, lane, k));
    return result;
  }

  /// CDNA4 ISA, 9.1.5. Without an index or lanes as one there is no swizzling, on the hardware.
  std::uint32_t cdna_place(const Descriptor& d, const Mode& mode, std::uint32_t record,
                           std::uint32_t offset, std::uint32_t lane, std::uint32_t k) const {
    const bool swizzled = d.swizzle & 2 && (mode.idxen || d.add_lane);
    const std::uint32_t stride = d.add_lane ? d.format << 14 | d.stride : d.stride;
    std::uint32_t index = record;
    const bool drops_lane = kernels.processor() == "gfx950" && mode.idxen && !swizzled;
    if (d.add_lane && !drops_lane) index += lane;
    if (!(d.add_lane && !mode.idxen)) {
      const bool structured = mode.idxen && stride != 0;
      if (structured && record >= d.records) return nowhere;
      if (!structured && offset + d.soffset + 4 * (k + 1) > d.records) return nowhere;
    }
    offset += 4 * k;
    if (!swizzled) return (d.soffset + index * stride + offset) / 4;
    const std::uint32_t step = 8u << d.index_stride;
    return (d.soffset + (index / step * stride + offset / 4 * 4) * step + index % step * 4) / 4;
  }

  /// RDNA3 and RDNA4 ISA, 9.4.
  std::uint32_t rdna_place(const Descriptor& d, std::uint32_t record, std::uint32_t offset,
                           std::uint32_t lane, std::uint32_t k) const {
    const std::uint32_t index = record + (d.add_lane ? lane : 0), end = offset + 4 * (k + 1);
    const bool no_record = index >= d.records;
    const bool as_structure = d.check == 0 || (d.check == 3 && d.swizzle && d.stride);
    if (as_structure && (no_record || end > d.stride)) return nowhere;
    if (d.check == 1 && no_record) return nowhere;
    if (d.check == 2 && d.records == 0) return nowhere;
    if (d.check == 3 && !as_structure && end + d.soffset > d.records) return nowhere;
    if (!d.swizzle) return (d.soffset + index * d.stride + offset) / 4 + k;
    const std::uint32_t element = d.swizzle == 1 ? 4 : 16, step = 8u << d.index_stride;
    // Dwords of sixteen bytes lie side by side from the first one on.
    std::uint32_t at = offset + (element == 4 ? 4 * k : 0), before = d.soffset;
    if (gfx12()) at += std::exchange(before, 0);
    return (before + (index / step * d.stride + at / element * element) * step +
            index % step * element + at % element) /
               4 +
           (element == 16 ? k : 0);
  }

  /// Calls with every combination worth telling apart.
  template <class Use>
  void each(Use use) {
    for (const std::uint32_t stride : {0u, 16u, 48u})
      for (std::uint32_t swizzle = 0; swizzle < 4; ++swizzle)
        for (const std::uint32_t index_stride : {0u, 1u, 3u})
          for (std::uint32_t add_lane = 0; add_lane < 2; ++add_lane)
            for (std::uint32_t last = 0; last < 4; ++last)
              for (const std::uint32_t records : {0u, 40u, 8192u})
                for (const std::uint32_t soffset : {0u, 64u}) {
                  if (rdna() ? swizzle == 2 : last > 1) continue;  // reserved; two formats
                  use(Descriptor{stride, swizzle, index_stride, add_lane, rdna() ? last : 0,
                                 rdna() ? 0 : last, records, soffset});
                }
  }

  Kernels kernels{GetParam()};
  std::uint32_t* const data = kernels.array(words);
  std::uint32_t* const setup = kernels.array(132);
  std::uint32_t* const out = kernels.array(lanes * 4);
};

TEST_P(BufferTest, LoadsFollowTheFormulas) {
  unsigned failures = 0;
  each([&](const Descriptor& d) {
    set(d);
    for (const Mode& mode : modes)
      for (const std::uint32_t dwords : {1u, 4u}) {
        kernels.run(std::string(dwords == 1 ? "load_" : "load_x4_") + mode.name, lanes,
                    {data, setup, out});
        for (std::uint32_t lane = 0; lane < lanes && failures < 20; ++lane)
          for (std::uint32_t k = 0; k < dwords; ++k) {
            const std::uint32_t at = places(d, mode, lane, dwords)[k];
            const std::uint32_t expected = at == nowhere ? 0 : at + 1;
            if (out[lane * dwords + k] == expected) continue;
            ++failures;
            ADD_FAILURE() << mode.name << ", " << d.text() << ": lane " << lane << ", dword " << k
                          << " is word " << out[lane * dwords + k] << ", not " << expected;
            break;
          }
      }
  });
}

TEST_P(BufferTest, StoresFollowTheFormulas) {
  unsigned failures = 0;
  each([&](const Descriptor& d) {
    set(d);
    for (const Mode& mode : modes) {
      std::vector<std::pair<std::uint32_t, std::uint32_t>>
          stored;  // lanes in order: the last stays
      for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const auto at = places(d, mode, lane, 2);
        for (std::uint32_t k = 0; k < 2; ++k)
          if (at[k] != nowhere) stored.emplace_back(at[k], lane * 2 + k + 1);
      }
      // Where lanes meet, any of them may be the last.
      auto places_of = stored;
      std::ranges::sort(places_of);
      const auto meets = std::ranges::adjacent_find(
          places_of, [](const auto& a, const auto& b) { return a.first == b.first; });
      if (meets != places_of.end() || failures >= 20) continue;
      kernels.run(std::string("store_x2_") + mode.name, lanes, {data, setup});
      for (const auto& [at, value] : stored) {
        if (data[at] != value && ++failures)
          ADD_FAILURE() << mode.name << ", " << d.text() << ": word " << at << " is " << data[at]
                        << ", not " << value;
        data[at] = at + 1;
      }
    }
  });
  std::size_t changed = 0;
  for (std::uint32_t i = 0; i < words; ++i) changed += data[i] != i + 1;
  EXPECT_EQ(changed, 0u) << "words that no lane's store was for";
}

INSTANTIATE_TEST_SUITE_P(Gpus, BufferTest,
                         testing::Values(Where{"mi210", HIPSIGHT_BUFFER_gfx90a},
                                         Where{"mi300x", HIPSIGHT_BUFFER_gfx942},
                                         Where{"mi355x", HIPSIGHT_BUFFER_gfx950},
                                         Where{"rx7900xtx", HIPSIGHT_BUFFER_gfx1100},
                                         Where{"rx9070xt", HIPSIGHT_BUFFER_gfx1201}),
                         name_of);

}  // namespace
}  // namespace hipsight::engine
