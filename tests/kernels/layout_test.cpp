// The numbers of kernels/: matrix steps and swizzles of every GPU, by counting.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "hipsight/kernels/arch/architecture.h"
#include "hipsight/kernels/arch/step_layouts.h"
#include "hipsight/kernels/gemm/shares.h"
#include "hipsight/kernels/gemm/tilings.h"
#include "hipsight/kernels/tile/swizzle.h"
#include "hipsight/kernels/tile/tile_order.h"
#include "profile/lds.h"

namespace hipsight::kernels {
namespace {

struct Step {
  Architecture architecture;
  const char* gpu;  // whose banks it meets, if hipsight has it
  int element_bytes;
  StepLayout layout;
};
const Step steps[] = {
    {Architecture::host, "", 2, fma_4x4(8)},
    {Architecture::host, "", 4, fma_4x4(4)},
    {Architecture::cdna2, "mi210", 2, mfma_32x32(8)},
    {Architecture::cdna2, "mi210", 4, mfma_32x32(4)},
    {Architecture::cdna3, "mi300x", 2, mfma_32x32(8)},
    {Architecture::cdna3, "mi300x", 4, mfma_32x32(4)},
    {Architecture::cdna4, "mi355x", 2, mfma_32x32(8)},
    {Architecture::cdna4, "mi355x", 4, mfma_32x32(4)},
    {Architecture::rdna3, "rx7900xtx", 2, wmma_rdna3()},
    {Architecture::rdna3, "rx7900xtx", 4, fma_32x32(4)},
    {Architecture::rdna4, "rx9070xt", 2, wmma_rdna4(8)},
    {Architecture::rdna4, "rx9070xt", 4, fma_32x32(4)},
    {Architecture::host, "", 1, fma_4x4(16)},
    {Architecture::cdna2, "mi210", 1, mfma_32x32(16)},
    {Architecture::cdna3, "mi300x", 1, mfma_32x32(16)},
    {Architecture::cdna4, "mi355x", 1, mfma_32x32_of_pairs(16)},
    {Architecture::rdna3, "rx7900xtx", 1, wmma_rdna3()},
    {Architecture::rdna4, "rx9070xt", 1, wmma_rdna4(16)},
    {Architecture::ampere, "", 1, fma_32x32(16)},
    {Architecture::ampere, "", 2, mma_m16n8()},
    {Architecture::ampere, "", 4, fma_32x32(4)},
};

/// Each place of a rows x columns matrix is held, by `holders` lanes.
void expect_covers(const Layout& layout, int lanes, int rows, int columns) {
  std::multiset<std::pair<int, int>> held;
  for (int lane = 0; lane < lanes; lane++)
    for (int e = 0; e < layout.elements(); e++) {
      const Place place = layout(lane, e);
      held.insert({place.row, place.column});
    }
  const std::size_t holders = held.size() / (rows * columns);
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++)
      EXPECT_EQ(held.count({row, column}), holders) << row << ", " << column;
  EXPECT_EQ(held.size(), holders * rows * columns) << "a place is outside";
}

TEST(Layout, EveryElementIsHeldEquallyOften) {
  for (const Step& step : steps) {
    SCOPED_TRACE(facts(step.architecture).name);
    const int lanes = facts(step.architecture).wave;
    expect_covers(step.layout.a, lanes, step.layout.rows, step.layout.depth);
    expect_covers(step.layout.b, lanes, step.layout.columns, step.layout.depth);
    expect_covers(step.layout.c, lanes, step.layout.rows, step.layout.columns);
    if (step.element_bytes != 2) continue;  // results become operands of 16 bits only
    expect_covers(step.layout.chained_b, lanes, step.layout.columns, step.layout.depth);
    expect_covers(step.layout.chained_c, lanes, step.layout.rows, step.layout.columns);
  }
}

/// What a lane holds of a chained result it holds of the same row as of another result. What it
/// needs of A is in its own elements, or, on gfx11, in those of the lane half a wave away.
TEST(Layout, ChainedResultsAreOperands) {
  for (const Step& step : steps) {
    if (step.element_bytes != 2) continue;
    SCOPED_TRACE(facts(step.architecture).name);
    const int lanes = facts(step.architecture).wave;
    const auto& [rows, columns, depth, a, b, c, chained_b, chained_c] = step.layout;
    for (int lane = 0; lane < lanes; lane++) {
      for (int e = 0; e < c.elements(); e++) EXPECT_EQ(c(lane, e).row, chained_c(lane, e).row);
      for (int s = 0; s < std::max(1, columns / depth); s++)
        for (int e = 0; e < a.elements(); e++) {
          const Place wanted = a(lane, e);
          const int column = (wanted.column + s * depth) % columns;
          int found = 0;
          for (const int holder : {lane, lane ^ lanes / 2})
            for (int i = 0; i < chained_c.elements() && !found; i++) {
              const Place held = chained_c(holder, i);
              found = held.row == wanted.row && held.column == column;
            }
          EXPECT_EQ(found, 1) << "lane " << lane << " element " << e;
        }
    }
  }
}

/// Cycles of bank conflicts when a wave's lanes access chunks at these places of lines.
template <class At>
unsigned conflicts(const Step& step, bool store, int line_bytes, const Swizzle& where, At place) {
  const profile::LdsPort port(gpus::find(step.gpu), store, false, chunk_bytes);
  const int lanes = facts(step.architecture).wave;
  std::uint64_t at[64];
  for (int lane = 0; lane < lanes; lane++) {
    const Place p = place(lane);
    at[lane] = where(static_cast<unsigned>(p.row * line_bytes + p.column * step.element_bytes));
  }
  const profile::LdsCost cost = port.cost(~0ull >> (64 - lanes), at);
  return cost.cycles - cost.least;
}

/// Reads of operands, and writes of both kinds of copies, of the lines that tilings have, and no
/// swizzle would do.
TEST(Swizzle, NoBankConflicts) {
  for (const Step& step : steps) {
    if (!*step.gpu) continue;
    for (const TileSize size : {TileSize::large, TileSize::medium, TileSize::small}) {
      const int bytes = step.element_bytes;
      const int line = gemm_tiling(step.architecture, size, bytes).depth_bytes;
      SCOPED_TRACE(testing::Message() << step.gpu << " " << bytes << " bytes, lines of " << line);
      const int bank_bytes = facts(step.architecture).bank_bytes;
      const Swizzle where = swizzle_for(line, bank_bytes, chunk_bytes), none{};
      unsigned otherwise = 0;
      for (const Layout& operand : {step.layout.a, step.layout.b, step.layout.chained_b})
        for (int e = 0; e < operand.elements(); e += chunk_bytes / bytes) {
          const auto read = [&](int lane) { return operand(lane, e); };
          EXPECT_EQ(conflicts(step, false, line, where, read), 0u);
          otherwise += conflicts(step, false, line, none, read);
        }
      EXPECT_GT(otherwise, 0u);
      const int chunks = line / chunk_bytes, n = chunk_bytes / bytes;
      for (const int lines : {1, n}) {  // along, transposed
        // Not f32 or 8 bits that are transposed into short lines: lines 4 or 16 apart differ in no
        // bit that would help. Nor CDNA4, of whose wide writes it is not known which lanes go
        // together.
        if ((lines == 4 || lines == 16) && line == 64) continue;
        if (lines > 1 && step.architecture == Architecture::cdna4) continue;
        EXPECT_EQ(
            conflicts(step, true, line, where,
                      [&](int lane) { return Place{lane / chunks * lines, lane % chunks * n}; }),
            0u)
            << "written " << lines << " lines apart";
      }
    }
  }
}

/// A swizzle moves chunks within a tile, each to a place of its own.
TEST(Swizzle, KeepsAllChunks) {
  for (const int line : {64, 128, 256})
    for (const int bank_bytes : {128, 256})
      for (const int together : {16, 64}) {
        const Swizzle where = swizzle_for(line, bank_bytes, together);
        std::set<unsigned> places;
        for (unsigned offset = 0; offset < 64u * line; offset += chunk_bytes) {
          places.insert(where(offset));
          EXPECT_EQ(where(offset + 7), where(offset) + 7) << "a chunk stays whole";
        }
        EXPECT_EQ(places.size(), 64u * line / chunk_bytes);
        EXPECT_EQ(*places.rbegin(), 64u * line - chunk_bytes);
      }
}

TEST(Divisor, DividesAsTheMachineDoes) {
  constexpr int most = INT32_MAX;
  for (const int by :
       {1, 2, 3, 5, 7, 12, 64, 100, 641, 65535, 65536, 1000003, most / 2, most - 1, most})
    for (const int near : {0, 1, 2, by / 2, by, 12345678, most / 3, most / by * by, most}) {
      const Divisor divisor(by);
      for (int n = near > 2 ? near - 2 : 0; n < near + std::int64_t{3} && n < most; n++) {
        EXPECT_EQ(n / divisor, n / by) << n << " / " << by;
        EXPECT_EQ(n % divisor, n % by) << n << " % " << by;
      }
      EXPECT_EQ(most / divisor, most / by) << most << " / " << by;
    }
}

/// Each tile has a place; those of a group of rows follow each other, column by column.
TEST(TileOrder, GoesThroughGroupsOfRows) {
  for (const int rows : {1, 3, 4, 7, 9})
    for (const int columns : {1, 2, 5})
      for (const int group : {1, 2, 4, 8}) {
        const TileOrder order(rows, columns, group);
        int place = 0;
        for (int first = 0; first < rows; first += group)
          for (int column = 0; column < columns; column++)
            for (int row = first; row < first + group && row < rows; row++) {
              const Place at = order[place++];
              EXPECT_EQ(at.row, row) << rows << " x " << columns << ", groups of " << group;
              EXPECT_EQ(at.column, column) << rows << " x " << columns << ", groups of " << group;
            }
        EXPECT_EQ(place, rows * columns);
      }
}

/// All of each tile's depth is somebody's, once; who waits, waits for those before; a workgroup
/// leaves one sum at the most, and nobody waits for it after one that it waits for itself.
TEST(DepthShares, AreAllOfTheDepth) {
  for (const int dies : {1, 8})
    for (const int tiles : {1, 3, 8, 24, 40, 129})
      for (const int deep : {1, 2, 7, 64})
        for (const int count : {1, 2, 5, 8, 24, 39, 256, 1024}) {
          const int batches = tiles % 3 == 0 ? 3 : 1;
          SCOPED_TRACE(testing::Message() << tiles << " tiles, " << deep << " deep, " << count
                                          << " shares, " << dies << " dies");
          const DepthShares shares(tiles / batches, batches, deep, count, dies, {}, 1);
          ASSERT_LE(shares.count(), count);
          struct Part {
            int workgroup;
            TilePart of;
          };
          std::vector<std::map<int, Part>> of_tile(tiles);  // by where it begins
          for (int w = 0; w < shares.count(); w++) {
            int number = 0;
            shares.for_each_part(w, [&](const TilePart& part) {
              ASSERT_LT(part.tile, tiles / batches);
              ASSERT_LT(part.batch, batches);
              EXPECT_TRUE(part.is_last || number == 0);
              EXPECT_TRUE(of_tile[part.batch * tiles / batches + part.tile]
                              .try_emplace(part.from, Part{w, part})
                              .second);
              number++;
            });
            EXPECT_GT(number, 0);
          }
          for (const auto& parts : of_tile) {
            int at = 0, before = 0;
            for (const auto& [from, part] : parts) {
              EXPECT_EQ(from, at);
              EXPECT_EQ(part.of.before, before);
              EXPECT_EQ(part.of.first + before * shares.step(), part.workgroup);
              EXPECT_LT(from, deep);
              EXPECT_EQ(part.of.is_last, before + 1 == std::ssize(parts));
              at = part.of.to, before++;
            }
            EXPECT_GE(at, deep);
            if (count % tiles != 0) EXPECT_EQ(at, deep);
          }
        }
}

}  // namespace
}  // namespace hipsight::kernels
