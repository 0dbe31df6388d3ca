// Matrix instructions in groups, fast mode: what matrix.cpp does for each of them, but each operand
// is widened once, and sums stay in host registers over a chain of instructions.

#include "engine/interpret/matrix/mfma.h"
#include "engine/program/matrix_group.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {
namespace {

/// The low and the high halves of sixteen words.
template <class T>
inline void widen_halves(U32x16 words, Floats<16>& low, Floats<16>& high) {
#ifdef __F16C__
  if constexpr (std::is_same_v<T, F16>) {
    // Dealt out when they are wide: to pack halves first takes the host longer.
    const auto all = __builtin_convertvector(std::bit_cast<Vec<_Float16, 32>>(words), Floats<32>);
    low = __builtin_shufflevector(all, all, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28,
                                  30);
    high = __builtin_shufflevector(all, all, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29,
                                   31);
    return;
  }
#endif
  low = T::template widen<16>(words & 0xffff);
  high = T::template widen<16>(words >> 16);
}

/// An operand: out[k][row or column]. Lane l holds row (column) l % M, and l / M counts groups of
/// k.
template <class T, unsigned M, unsigned K, unsigned PerLane>
inline void widen_operand(const std::uint32_t* registers, unsigned lanes, float (*out)[M]) {
  for (unsigned k = 0; k < K; k += 2) {
    for (unsigned i = 0; i < M; i += 16) {
      const auto* from = registers + k % PerLane / 2 * lanes + k / PerLane * M + i;
      Floats<16> low, high;
      widen_halves<T>(load_slice(reinterpret_cast<const std::byte*>(from)), low, high);
      std::memcpy(&out[k][i], &low, sizeof low);
      std::memcpy(&out[k + 1][i], &high, sizeof high);
    }
  }
}

/// Where a host thread keeps the operands of the group that it is running.
alignas(64) thread_local float widened[2][MatrixGroup::most_elements];

const MatrixGroup& group_of(const Op* op) {
  return *reinterpret_cast<const MatrixGroup*>(op->imm);
}

/// A group's operands, widened.
template <class T, unsigned M, unsigned K, unsigned PerLane>
struct GroupOperands {
  using Rows = float[K][M];

  static Rows* side(unsigned which) { return reinterpret_cast<Rows*>(widened[which]); }

  template <unsigned lanes>
  static const Op* widen(Wave& w, const Op* op) {
    const MatrixGroup& group = group_of(op);
    const auto part = std::bit_cast<MatrixGroup::Part>(op->dst);
    const auto each = [&](unsigned which, const Op* const* ops, unsigned from, unsigned end) {
      for (unsigned i = from; i < end; ++i)
        widen_operand<T, M, K, PerLane>(registers_of(w, ops[i], which), lanes, side(which)[i]);
    };
    each(0, group.a, part.a, part.a_end);
    each(1, group.b, part.b, part.b_end);
    return op + 1;
  }

  using V = Floats<16>;
  static constexpr unsigned size = M * M;

  /// Whether any sum of some was a NaN. Several products, so that none waits for the one before.
  struct NanTest {
    V all[4]{V(1), V(1), V(1), V(1)};
    /// Of two sums at once: a NaN makes the product one, and that all that follows. So can
    /// infinities, which do no harm.
    void add(unsigned i, V one, V two) { all[i % 4] = multiply_add(one, two, all[i % 4]); }
    bool any() const {
      const V sum = (all[0] + all[1]) + (all[2] + all[3]);
      return __builtin_reduce_or(sum != sum);
    }
  };

  /// Runs chains that have the same operands A, whose result's row i lies at row_at(i); each eight
  /// rows from a multiple of eight lie as the first eight do.
  ///
  /// A block of sums stays in host registers: enough of them to hide the latency of FMAs, and more
  /// columns where they fit, since each element of A that is read then serves as many FMAs.
  template <unsigned Chains, class RowAt>
  static void run(Wave& w, const MatrixGroup::Chain* chain, RowAt row_at, NanTest& nans) {
    constexpr unsigned parts = M / 16;  // columns of a chain
#ifdef __AVX512F__
    constexpr unsigned columns = parts * Chains, rows = 16 / columns;
#else
    static_assert(Chains == 1);
    constexpr unsigned columns = 1, rows = 4;  // eight registers of AVX2
#endif
    const Rows *const a = side(0), *const b = side(1);
    struct Sums {
      float* to;
      const float* from;
      bool constant;
    } sums[Chains];
    alignas(64) float copy[Chains][size];
    for (unsigned c = 0; c < Chains; ++c) {
      const Op* const op = chain[c].first;
      auto* const to = reinterpret_cast<float*>(w.bytes() + op->dst);
      const auto* const from = reinterpret_cast<const float*>(registers_of(w, op, 2));
      const bool constant = op->base[2] == Base::Constant;
      sums[c] = {to, constant ? from : apart(from, to, size, copy[c]), constant};
    }
    for (unsigned i = 0; i < M; i += rows) {
      for (unsigned part = 0; part < parts; part += columns) {
        // Of the block's column: its chain, and the column there.
        const auto chain_of = [](unsigned column) { return Chains == 1 ? 0 : column / parts; };
        // Of the block's row and column: its place, seen from the block's begin.
        const std::size_t begin = row_at(i) + part * 16;
        const auto at = [&](unsigned r, unsigned column) -> std::size_t {
          return row_at(r) - row_at(0) + column % parts * 16;
        };
        V sum[rows][columns];
#pragma clang loop unroll(full)
        for (unsigned column = 0; column < columns; ++column) {
          const Sums& s = sums[chain_of(column)];
          if (s.constant) {
#pragma clang loop unroll(full)
            for (unsigned r = 0; r < rows; ++r) sum[r][column] = *s.from;
          } else {
#pragma clang loop unroll(full)
            for (unsigned r = 0; r < rows; ++r)
              std::memcpy(&sum[r][column], s.from + begin + at(r, column), sizeof(V));
          }
        }
        for (unsigned step = 0; step < chain->steps; ++step) {
          const float* left = &a[chain->step[step].a][0][i];
          const float* right[Chains];
          for (unsigned c = 0; c < Chains; ++c) right[c] = &b[chain[c].step[step].b][0][part * 16];
          // Not all of K in one straight line, for which the host would wait for its decoder.
#pragma clang loop unroll_count(8)
          for (unsigned k = 0; k < K; ++k, left += M) {
            V row[columns];
#pragma clang loop unroll(full)
            for (unsigned column = 0; column < columns; ++column)
              std::memcpy(&row[column], right[chain_of(column)] + k * M + column % parts * 16,
                          sizeof(V));
#pragma clang loop unroll(full)
            for (unsigned r = 0; r < rows; ++r)
              for (unsigned column = 0; column < columns; ++column)
                sum[r][column] = multiply_add(V(left[r]), row[column], sum[r][column]);
          }
        }
#pragma clang loop unroll(full)
        for (unsigned r = 0; r < rows; ++r)
          for (unsigned column = 0; column < columns; ++column)
            std::memcpy(sums[chain_of(column)].to + begin + at(r, column), &sum[r][column],
                        sizeof(V));
#pragma clang loop unroll(full)
        for (unsigned m = 0; m < rows * columns; m += 2)
          nans.add(m / 2, sum[m / columns][m % columns], sum[(m + 1) / columns][(m + 1) % columns]);
      }
    }
  }

  /// Runs a group's chains. NaNs become the positive quiet one: one that a step leaves stays a NaN
  /// in the next, so that is done at the end.
  template <class RowAt>
  static void run_all(Wave& w, const MatrixGroup& group, RowAt row_at) {
    NanTest nans;
    for (unsigned i = 0; i < group.chains;) {
      const MatrixGroup::Chain* const chain = &group.chain[i];
#ifdef __AVX512F__
      if (chain->pair) {
        run<2>(w, chain, row_at, nans);
        i += 2;
        continue;
      }
#endif
      run<1>(w, chain, row_at, nans);
      ++i;
    }
    if (!nans.any()) [[likely]]
      return;
    const V nan = std::bit_cast<float>(0x7fc00000u);
    for (unsigned i = 0; i < group.chains; ++i) {
      std::byte* const sums = w.bytes() + group.chain[i].first->dst;
      for (unsigned at = 0; at < size * sizeof(float); at += sizeof(V)) {
        V v;
        std::memcpy(&v, sums + at, sizeof v);
        v = v == v ? v : nan;
        std::memcpy(sums + at, &v, sizeof v);
      }
    }
  }
};

template <class T, unsigned M, unsigned K, unsigned lanes>
using Operands = GroupOperands<T, M, K, lanes == 64 ? K * M / lanes : K>;

/// MFMA of one block.
template <class T, unsigned M, unsigned K>
const Op* sum_mfma(Wave& w, const Op* op) {
  constexpr unsigned lanes = 64;
  Operands<T, M, K, lanes>::run_all(w, group_of(op), [](unsigned row) {
    const auto [r, lane] = mfma_place<M>(0, row, 0);
    return r * lanes + lane;
  });
  return op + 1;
}

/// WMMA of gfx11 with words as results: each row of A, and column of B, in two lanes.
template <class T, unsigned M, unsigned K>
const Op* sum_wmma(Wave& w, const Op* op) {
  Operands<T, M, K, 32>::run_all(w, group_of(op), [](unsigned row) { return row * M; });
  return op + 1;
}

}  // namespace

void add_matrix_groups(Table& table) {
  const auto add = [&]<class T, unsigned M, unsigned K>(std::string_view name) {
    table.add(name, MatrixGroup::widen, {nullptr, Operands<T, M, K, 64>::template widen<64>});
    table.add(name, MatrixGroup::sum, {nullptr, sum_mfma<T, M, K>});
  };
  add.operator()<F16, 32, 8>("V_MFMA_F32_32X32X8F16");
  add.operator()<F16, 16, 16>("V_MFMA_F32_16X16X16F16");
  add.operator()<F16, 32, 16>("V_MFMA_F32_32X32X16_F16");
  add.operator()<F16, 16, 32>("V_MFMA_F32_16X16X32_F16");
  add.operator()<BF16, 32, 4>("V_MFMA_F32_32X32X4BF16");
  add.operator()<BF16, 16, 8>("V_MFMA_F32_16X16X8BF16");
  add.operator()<BF16, 32, 8>("V_MFMA_F32_32X32X8BF16_1K");
  add.operator()<BF16, 16, 16>("V_MFMA_F32_16X16X16BF16_1K");
  add.operator()<BF16, 32, 16>("V_MFMA_F32_32X32X16_BF16");
  add.operator()<BF16, 16, 32>("V_MFMA_F32_16X16X32_BF16");
  const auto add_wmma = [&]<class T>(std::string_view name) {
    table.add(name, MatrixGroup::widen, {Operands<T, 16, 16, 32>::template widen<32>, nullptr});
    table.add(name, MatrixGroup::sum, {sum_wmma<T, 16, 16>, nullptr});
  };
  add_wmma.operator()<F16>("V_WMMA_F32_16X16X16_F16");
  add_wmma.operator()<BF16>("V_WMMA_F32_16X16X16_BF16");
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
