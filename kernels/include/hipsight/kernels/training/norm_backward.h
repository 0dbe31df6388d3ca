// Gradients of norms. Each team takes every so manyth row, and sums what its rows give the weight
// in registers; a second kernel adds up the teams' sums, in the same order every time.
#pragma once

#include "../rows/kernel.h"

namespace hipsight::kernels {

/// Of x / sqrt(mean(x^2) + epsilon) weight. With r = 1 / sqrt(...) and n = x r, it is
/// r (weight d - n mean(weight d n)) for x, and the sum of d n over rows for the weight.
template <class Value>
struct RmsNormBackward {
  static constexpr const char* name = "rms_norm_backward";
  static constexpr int sums = 1, most_parts = 2;
  RowMajor<const Value> in, d_out;
  const Value* weight;
  RowMajor<Value> out;
  float epsilon;

  template <class Row, class Sums>
  HIPSIGHT_INLINE void run(Row& row, Sums& sum) const {
    const float count = static_cast<float>(row.columns());
    const auto x = row.keep([&](int part) { return row.load(in, part); });
    const auto d = row.keep([&](int part) { return row.load(d_out, part); });
    const auto square = [&](int part) { return each(x(part), [](float v) { return v * v; }); };
    const float mean = row.over_row(square, 0, Plus{}) / count;
    const float r = row.exists() ? 1 / sqrtf(mean + epsilon) : 0;
    const auto weighted = [&](int part) {
      return each(d(part), row.load_shared(weight, part), [](float a, float b) { return a * b; });
    };
    const auto products = [&](int part) {
      return each(weighted(part), x(part), [](float a, float b) { return a * b; });
    };
    const float along = row.over_row(products, 0, Plus{}) / count * r * r;
    row.for_parts([&](int part) {
      sum[0][part] =
          each(sum[0][part], each(d(part), x(part), [&](float a, float b) { return a * b * r; }),
               Plus{});
      row.store(out, part, each(weighted(part), x(part), [&](float wd, float v) {
                  return r * (wd - v * along);
                }));
    });
  }
};

/// Of (x - mean(x)) / sqrt(variance(x) + epsilon) weight + bias. With n what is multiplied by the
/// weight, it is r (weight d - mean(weight d) - n mean(weight d n)) for x, the sums of d n and of d
/// over rows for weight and bias.
template <class Value>
struct LayerNormBackward {
  static constexpr const char* name = "layer_norm_backward";
  static constexpr int sums = 2, most_parts = 1;
  RowMajor<const Value> in, d_out;
  const Value* weight;
  RowMajor<Value> out;
  float epsilon;

  template <class Row, class Sums>
  HIPSIGHT_INLINE void run(Row& row, Sums& sum) const {
    const float count = static_cast<float>(row.columns());
    const auto x = row.keep([&](int part) { return row.load(in, part); });
    const float mean = row.over_row(x, 0, Plus{}) / count;
    const auto square = [&](int part) {
      return row.within(part, each(x(part), [&](float v) { return (v - mean) * (v - mean); }), 0);
    };
    const float variance = row.over_row(square, 0, Plus{}) / count;
    const float r = row.exists() ? 1 / sqrtf(variance + epsilon) : 0;
    // The result's gradient is not kept: a team of 1,024 has registers for three values of each
    // column. The L2 has it.
    const auto weighted = [&](int part) {
      return each(row.load(d_out, part), row.load_shared(weight, part),
                  [](float a, float b) { return a * b; });
    };
    const auto products = [&](int part) {
      return each(weighted(part), x(part), [&](float a, float v) { return a * (v - mean); });
    };
    const float whole = row.over_row(weighted, 0, Plus{}) / count;
    const float along = row.over_row(products, 0, Plus{}) / count * r;
    row.for_parts([&](int part) {
      const Part d = row.load(d_out, part);
      const Part n = each(x(part), [&](float v) { return (v - mean) * r; });
      sum[0][part] = each(sum[0][part], each(d, n, [](float a, float b) { return a * b; }), Plus{});
      sum[1][part] = each(sum[1][part], d, Plus{});
      const Part wd =
          each(d, row.load_shared(weight, part), [](float a, float b) { return a * b; });
      row.store(out, part,
                each(wd, n, [&](float a, float b) { return r * (a - whole - b * along); }));
    });
  }
};

/// Who works on a row: each has fewer values than where rows alone are kept in registers. `most`:
/// the parts of a work-item that an operation has registers for.
HIPSIGHT_INLINE constexpr RowPlan norm_backward_plan(RowSize size, Architecture architecture,
                                                     int most) {
  if (architecture == Architecture::host) return {1, 1, 64 * most};
  switch (size) {
    case RowSize::lanes:
      return {16, 256, 2};
    case RowSize::workgroup:
      return {256, 256, 1};
    case RowSize::wide:
      return {512, 512, 1};
    default:
      return {1024, 1024, most};
  }
}

/// The columns that it holds.
HIPSIGHT_INLINE constexpr int norm_backward_columns(RowSize size, Architecture architecture,
                                                    int most) {
  const RowPlan plan = norm_backward_plan(size, architecture, most);
  return plan.team * plan.parts * part_size(architecture);
}

HIPSIGHT_INLINE constexpr RowSize norm_backward_size(int columns, Architecture architecture,
                                                     int most) {
  for (const RowSize size : {RowSize::lanes, RowSize::workgroup, RowSize::wide})
    if (columns <= norm_backward_columns(size, architecture, most)) return size;
  return RowSize::large;
}

/// Teams of all workgroups, of which each leaves a row of sums in `left`: first all of the first
/// sum, then all of the second one.
template <class Operation, RowSize size>
struct NormBackwardWorkgroup {
  static constexpr RowPlan plan = norm_backward_plan(size, arch::current, Operation::most_parts);
  static constexpr int teams = plan.threads / plan.team;
  using Shared = typename Team<plan.team>::Shared;

  HIPSIGHT_INLINE static void run(const Operation& operation, int rows, int columns,
                                  const RowMajor<float>& left, Shared& shared, int workgroup,
                                  int workgroups) {
    constexpr RowPlan p = plan;
    constexpr int wave = arch::wave_size;
    constexpr int teams_of_wave = p.team < wave ? wave / p.team : 1;
    constexpr int waves_of_team = p.team < wave ? 1 : p.team / wave;
    const int own = arch::wave() / waves_of_team * teams_of_wave, beside = arch::lane() / p.team;
    using Rows = Row<p.team, p.parts>;
    Part sums[Operation::sums][p.parts] = {};
    // All waves as often: they meet in each row, an even number of times, so that a team's two
    // places of shared memory go on in turn.
    for (int first = workgroup * teams; first < rows; first += workgroups * teams) {
      Rows row({first + own, beside, rows, columns, 0}, shared);
      operation.run(row, sums);
    }
    const Rows to({workgroup * teams + own, beside, workgroups * teams, columns, 0}, shared);
    HIPSIGHT_UNROLL
    for (int i = 0; i < Operation::sums; i++) {
      const RowMajor<float> of_sum{
          left.data + static_cast<std::int64_t>(i) * left.rows * left.stride, left.rows,
          left.columns, left.stride};
      to.for_parts([&](int part) { to.store(of_sum, part, sums[i][part]); });
    }
  }
};

/// A wave's lanes take columns side by side; each wave of the workgroup a share of the rows.
template <class Value>
struct ColumnSumsWorkgroup {
  static constexpr int wave = arch::wave_size;
  static constexpr int waves = arch::current == Architecture::host ? 1 : 1024 / wave;
  static constexpr int threads = waves * wave;
  struct Shared {
    float of_wave[waves][wave];
  };

  HIPSIGHT_INLINE static void run(const RowMajor<const float>& in, Value* out, Shared& shared,
                                  int workgroup) {
    const int column = workgroup * wave + arch::lane();
    const int share = ceil_div(in.rows, waves), first = arch::wave() * share;
    const int end = first + share < in.rows ? first + share : in.rows;
    float sum = 0;
    if (column < in.columns) {
      HIPSIGHT_UNROLL_BY_4
      for (int row = first; row < end; row++) sum += in.data[row * in.stride + column];
    }
    shared.of_wave[arch::wave()][arch::lane()] = sum;
    arch::barrier();
    if (arch::wave() != 0 || column >= in.columns) return;
    float all = 0;
    HIPSIGHT_UNROLL
    for (int i = 0; i < waves; i++) all += shared.of_wave[i][arch::lane()];
    out[column] = static_cast<Value>(all);
  }
};

}  // namespace hipsight::kernels
