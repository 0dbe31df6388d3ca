#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace hipsight::kpi {

/// A program whose kernels are measured, on some GPUs.
struct Case {
  std::string name;
  std::vector<std::string> program;  ///< and its arguments; a path counts from the suite's folder
  std::vector<std::string> gpus;
  std::string kernel;  ///< a pattern, as --kernel takes it; empty: all
  std::string must;    ///< a condition that holds of each kernel; empty: none
  /// Figures that may not get worse, and by what share of them they may nevertheless.
  std::map<std::string, double> may_worsen;
  std::vector<std::string> figures;            ///< that are recorded; empty: all that are known
  std::map<std::string, std::string> options;  ///< of docs/configuration.md, by name
};

/// What a committed file says is to be measured (docs/kpi.md).
struct Suite {
  std::filesystem::path file;
  std::vector<Case> cases;

  /// The folder that programs run in.
  std::filesystem::path folder() const;
  /// Where figures are recorded: "kpi.json" beside "kpi.toml".
  std::filesystem::path recorded() const;
  /// @throws Exception, naming file and line.
  static Suite read(const std::filesystem::path& file);
};

}  // namespace hipsight::kpi
