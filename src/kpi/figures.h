#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conditions/figures.h"
#include "hipsight/values.h"
#include "kpi/suite.h"

namespace hipsight::kpi {

/// Figures of a kernel of a case on a GPU.
struct Measured {
  std::string in, gpu, kernel;  ///< case; demangled, with the launch's shape
  std::map<std::string, double> figures;
  std::string bound;   ///< what bounds it, in words; empty: not known
  std::string broken;  ///< why the case's `must` does not hold of it; empty: it does. Not recorded

  bool same_as(const Measured& other) const {
    return in == other.in && gpu == other.gpu && kernel == other.kernel;
  }
};

/// Of each kernel in a report, all figures of docs/conditions.md that are known and that do not
/// differ by the host. Of the case's figures, if it names some.
std::vector<Measured> measure(const Case& one, const std::string& gpu, const RunReport& run);

/// As a file to commit: an array, the same bytes for the same figures.
std::string to_json(const std::vector<Measured>& all);
/// @throws Exception, naming the origin, for what to_json does not write.
std::vector<Measured> from_json(const std::string& text, const std::string& origin);

/// What a figure was, and is.
struct Change {
  const conditions::Figure* figure;
  double before, now;
  bool fails = false;      ///< it is worse than the case allows, or nothing may differ
  std::string_view how{};  ///< "worse", "better", or "differs" where neither is

  /// "38.1 us to 41.0 us, +7.6 %".
  std::string text() const;
};

/// A kernel of which something is to be said.
struct Difference {
  Measured of;
  std::string problem = {};          ///< why it fails, in a line; empty: it does not
  std::string_view rule = {};        ///< what fails: "gone", "new", "must", "bound", or a figure
  std::vector<Change> changes = {};  ///< those that fail first
  std::string bound_before = {};     ///< what bounded it, if that is another now
  bool fails() const { return !problem.empty(); }
};

/// Kernels that differ. Of a suite's cases when it is given: fails where a figure got worse by more
/// than they allow, or a kernel is gone. A kernel that is new does not fail. `exact`: whatever
/// differs fails.
std::vector<Difference> compare(const std::vector<Measured>& before,
                                const std::vector<Measured>& now, const Suite* suite,
                                bool exact = false);

/// For people; for a pull request; for CI systems.
std::string to_text(const std::vector<Difference>& differences, std::size_t kernels);
std::string to_markdown(const std::vector<Difference>& differences, std::size_t kernels);
std::string to_junit(const std::vector<Difference>& differences, const std::vector<Measured>& all);
/// `suite`: the file that results belong to.
std::string to_sarif(const std::vector<Difference>& differences, const std::string& suite);

}  // namespace hipsight::kpi
