#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "check/finding.h"
#include "support/pattern.h"

namespace hipsight::check {

/// Findings that are known and are not to be told: lines of a file (docs/check.md),
///     TOOL KERNEL [FILE[:LINE]]
/// where KERNEL is a pattern.
class Suppressions {
 public:
  /// None.
  Suppressions() = default;
  /// @throws Exception, naming file and line.
  static Suppressions read(const std::filesystem::path& file);

  bool has(const Finding& finding) const;

 private:
  struct Line {
    std::string tool;
    std::shared_ptr<const Pattern> kernel;
    std::string file;  ///< its end; empty: any
    std::uint32_t line = 0;
    bool is_at(const Location& at) const;
  };
  std::vector<Line> lines_;
};

}  // namespace hipsight::check
