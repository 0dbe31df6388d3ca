#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace hipsight::bench {

/// The report of a program of build/bench, with its arguments, under `hipsight profile` with these
/// options. @throws std::runtime_error when it fails.
nlohmann::json profile(const std::string& gpu, const std::string& program,
                       const std::string& options = "");

/// What such a report predicts of one kernel.
struct Predicted {
  std::string family;  ///< timing/validated.h
  double seconds = 0, launch_seconds = 0;

  Predicted() = default;
  explicit Predicted(const nlohmann::json& kernel);
  double work() const { return seconds - launch_seconds; }
};

/// A table of bench/validation: a line that says where its figures come from, the names of the
/// columns, and rows of as many cells. @throws std::runtime_error when it is malformed.
/// `every`: only the first of so many rows, the first of the next, and so on.
struct Table {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};
Table read_table(const std::string& name, std::size_t every = 1);

}  // namespace hipsight::bench
