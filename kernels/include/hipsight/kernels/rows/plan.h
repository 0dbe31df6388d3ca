// How rows are given to work-items: data, chosen by a row's length (docs/kernels/rows.md).
#pragma once

#include "../arch/current.h"

namespace hipsight::kernels {

/// Who works on a row: 16 lanes; a wave; a workgroup; one of twice as many work-items; the largest;
/// the largest, which does not hold the row in registers, but reads it anew for each pass.
enum class RowSize { lanes, wave, workgroup, wide, large, streamed };

struct RowPlan {
  int team;     // work-items of a row, a power of 2
  int threads;  // of a workgroup
  int parts;    // that a work-item holds in registers; 0: it reads them anew
};

/// Values of a part: what a work-item reads side by side. The one lane of the host has as many as
/// 16 lanes have.
HIPSIGHT_INLINE constexpr int part_size(Architecture architecture) {
  return architecture == Architecture::host ? 128 : 8;
}

HIPSIGHT_INLINE constexpr RowPlan row_plan(RowSize size, Architecture architecture) {
  const int wave = facts(architecture).wave;
  if (architecture == Architecture::host) return {1, 1, size == RowSize::streamed ? 0 : 8};
  switch (size) {
    case RowSize::lanes:
      return {16, 256, 2};
    case RowSize::wave:
      return {wave, 256, 128 / wave};
    case RowSize::workgroup:
      return {256, 256, 2};
    case RowSize::wide:
      return {512, 512, 2};
    case RowSize::large:
      return {1024, 1024, 4};
    case RowSize::streamed:
      break;
  }
  return {1024, 1024, 0};
}

/// Columns that a team holds.
HIPSIGHT_INLINE constexpr int held_columns(RowSize size, Architecture architecture) {
  const RowPlan plan = row_plan(size, architecture);
  return plan.team * plan.parts * part_size(architecture);
}

}  // namespace hipsight::kernels
