// What a workgroup does of an operation on rows: one algorithm for all GPUs and lengths of rows.
#pragma once

#include "row.h"

namespace hipsight::kernels {

/// Each team takes a row; or, where an operation does not need whole rows, as many columns of a row
/// as it holds.
template <class Operation, RowSize size>
struct RowWorkgroup {
  static constexpr RowPlan plan = row_plan(size, arch::current);
  using Shared = typename Team<plan.team>::Shared;

  HIPSIGHT_INLINE static void run(const Operation& operation, int rows, int columns, Shared& shared,
                                  int workgroup) {
    constexpr RowPlan p = plan;
    constexpr int teams = p.threads / p.team, wave = arch::wave_size;
    constexpr int teams_of_wave = p.team < wave ? wave / p.team : 1;
    constexpr int waves_of_team = p.team < wave ? 1 : p.team / wave;
    constexpr int held = p.team * p.parts * part_values;
    constexpr bool whole = Operation::whole_rows || held == 0;
    int row = workgroup * teams + arch::wave() / waves_of_team * teams_of_wave, first = 0;
    if constexpr (!whole && teams_of_wave == 1) {
      const int pieces = ceil_div(columns, held);
      first = row % pieces * held;
      row /= pieces;
    }
    Row<p.team, p.parts> team_row({row, arch::lane() / p.team, rows, columns, first}, shared);
    operation.run(team_row);
  }
};

/// Workgroups that it takes.
HIPSIGHT_INLINE std::int64_t row_workgroups(RowSize size, Architecture architecture,
                                            bool whole_rows, int rows, int columns) {
  const RowPlan plan = row_plan(size, architecture);
  const int held = held_columns(size, architecture);
  const int pieces = whole_rows || held == 0 ? 1 : ceil_div(columns, held);
  const std::int64_t teams = plan.threads / plan.team;
  return (static_cast<std::int64_t>(rows) * pieces + teams - 1) / teams;
}

/// The smallest team that holds the row, or, of what needs no whole rows, a wave at most.
HIPSIGHT_INLINE RowSize row_size(bool whole_rows, int columns, Architecture architecture) {
  for (const RowSize size :
       {RowSize::lanes, RowSize::wave, RowSize::workgroup, RowSize::wide, RowSize::large}) {
    if (columns <= held_columns(size, architecture)) return size;
    if (!whole_rows && size == RowSize::wave) return size;
  }
  return RowSize::streamed;
}

}  // namespace hipsight::kernels
