#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conditions/figures.h"
#include "hipsight/values.h"

namespace hipsight::conditions {

/// A condition on a kernel's figures: "spills > 0 or seconds_per_launch > 2 ms"
/// (docs/conditions.md).
class Condition {
 public:
  /// @throws Exception, which says what is wrong where, and what is expected.
  explicit Condition(std::string_view text);
  ~Condition();

  /// Whether it holds; comparisons of what a kernel does not have do not.
  /// @throws Exception when a figure is not known, as the report has no profile or no prediction.
  bool holds(const KernelReport& kernel) const;
  /// What a report must have for all of its figures to be known.
  ConditionFacts facts() const;
  /// The figures that it names, and what they are: "spills is 3, vgprs is 128".
  std::string values(const KernelReport& kernel) const;

  struct Node;

 private:
  std::string text_;
  std::vector<const Figure*> named_;  ///< in order, each once
  std::unique_ptr<const Node> root_;
};

/// The kernels of which it holds.
std::vector<MetCondition> met(const RunReport& run, const Condition& condition);

}  // namespace hipsight::conditions
