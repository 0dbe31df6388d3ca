#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace hipsight::bench {

/// One figure. `floor` is the least that is good enough, `aim` what we want; NaN: neither is set.
struct Row {
  std::string name;
  double value;
  std::string unit;
  bool high_is_better = true;
  double floor, aim;
  std::vector<std::pair<std::string, double>> beside = {};  ///< other figures: units and values
};

/// Prints the rows as a table and writes them to `file` as JSON: a list of {name, value, unit,
/// better, floor, aim, beside}. Gives the exit status: 1 when the file cannot be written.
int publish(const std::vector<Row>& rows, const std::string& file);

/// main of a bench: `run` gets the name of the JSON file and gives the exit status. Errors are
/// told.
int main_of(int argc, char** argv, int (*run)(const std::string& json));

/// The best that `measure` gives in `count` runs: on a shared machine what others do only takes
/// away.
template <class Measure>
auto best_of(int count, Measure measure) {
  auto best = measure();
  for (int i = 1; i < count; ++i) best = std::max(best, measure());
  return best;
}

/// Processor seconds of this process so far: what others do on the machine counts less in them than
/// in the time on the wall.
double processor_seconds();
/// The same of the calling thread alone.
double thread_seconds();

}  // namespace hipsight::bench
