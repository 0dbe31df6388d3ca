#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hipsight/values.h"
#include "tune/space.h"

namespace hipsight::tune {

/// What came of a configuration.
struct Result {
  Point point;
  std::string key;      ///< of what was run: program, words, GPU, hipsight's version
  double seconds = 0;   ///< predicted, of all kernels that are selected
  std::string bound;    ///< of the kernel that takes most of it
  std::string problem;  ///< why there is no time; empty: there is one
  std::map<std::string, double> figures;  ///< of that kernel: docs/conditions.md
};

/// @throws Exception when nothing was predicted.
Result result_of(const RunReport& run);

/// A file to which each result is added as soon as it is known: a line of JSON. Several processes
/// may do so at once; a line that was cut off is left out when the file is read.
class Log {
 public:
  explicit Log(std::filesystem::path file) : file_(std::move(file)) {}
  /// @throws Exception when it cannot be written.
  void add(const Result& result) const;
  /// By key; of one key, the last. No file: none. @throws Exception for a file of another kind.
  std::map<std::string, Result> read() const;

 private:
  std::filesystem::path file_;
};

/// The quickest first; those with a problem last. Equal ones stay in order.
void rank(std::vector<Result>& results);

/// Those that no other beats in time without being worse in the figure: by index.
/// @throws Exception when the figure is not known, or says nothing of better and worse.
std::vector<std::size_t> pareto(const std::vector<Result>& ranked, const std::string& figure);

/// As a table: the first `most` of those that ran, and those that failed. `against`: a figure whose
/// Pareto front is marked; empty: none.
std::string to_text(const std::vector<Result>& ranked, const std::string& gpu,
                    const std::string& against, std::size_t most);
std::string to_csv(const std::vector<Result>& ranked);
std::string to_json(const std::vector<Result>& ranked, const std::string& gpu);
/// Time by that figure, the front as a line.
std::string to_svg(const std::vector<Result>& ranked, const std::string& against);

}  // namespace hipsight::tune
