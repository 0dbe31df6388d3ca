#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "engine/program/matrix_group.h"
#include "engine/translate/analysis/effects.h"

namespace hipsight::engine {

struct RegisterFile;

/// A matrix instruction that can run together with others of its kind (MatrixGroup).
struct GroupedMatrix {
  Run widen = nullptr, sum = nullptr;
  unsigned operand = 0, result = 0;  ///< registers of A and of B, and of D
  unsigned most = 0;                 ///< operands on each side of a group
};
std::optional<GroupedMatrix> grouped_matrix(const Op& op, const RegisterFile& file);

/// Appends ops to a block, and makes groups of matrix instructions among them. Their sums are done
/// where something needs them, at the latest.
class MatrixGroups {
 public:
  MatrixGroups(std::vector<Op>& ops, const RegisterFile& file, std::deque<MatrixGroup>& groups)
      : ops_(&ops), file_(&file), groups_(&groups) {}

  void append(const Op& op);
  /// What does this comes next, and is appended by others.
  void come_before(const Effects& effects);
  void end_group();

 private:
  bool take(const Op& op, const GroupedMatrix& how);
  Places places(std::uint64_t offset, unsigned count) const;

  std::vector<Op>* ops_;
  const RegisterFile* file_;
  std::deque<MatrixGroup>* groups_;
  bool open_ = false;      ///< whether the last group still grows
  std::size_t begin_ = 0;  ///< where its first op stands
  Run sum_ = nullptr;
  Places written_, read_;  ///< by the sums
  /// Of each operand of A and of B: its registers, and whether they hold something else by now.
  Places operands_[2][MatrixGroup::most];
  bool overwritten_[2][MatrixGroup::most];
};

}  // namespace hipsight::engine
