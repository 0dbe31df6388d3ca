#include "validation/families/families.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "timing/recording.h"
#include "timing/validated.h"
#include "validation/csv.h"
#include "validation/recordings.h"

namespace hipsight::bench {
namespace {

namespace fs = std::filesystem;
const fs::path file = HIPSIGHT_VALIDATION "/families/families.zst";

struct Launch {
  std::string gpu, options, program, family;
  bool validated;
};

std::vector<Launch> launches() {
  std::vector<Launch> all;
  for (const auto& row : read_table("families/families.csv").rows)
    all.push_back({row[0], row[1], row[2], row[4].empty() ? row[3] : row[3] + ", " + row[4],
                   row[5] == "yes"});
  return all;
}

std::string record_launch(const Launch& launch, const std::string& source) {
  // The shell is to leave regular expressions alone.
  std::string options;
  for (std::size_t at = 0; at < launch.options.size();) {
    const std::size_t end = std::min(launch.options.find(' ', at), launch.options.size());
    options += fmt::format("'{}' ", launch.options.substr(at, end - at));
    at = end + 1;
  }
  std::string program = launch.program;
  constexpr std::string_view checkout = "{aiter}";
  if (const std::size_t at = program.find(checkout); at != program.npos)
    program.replace(at, checkout.size(), source);
  // Programs that check their results fail: only the workgroups that are observed ran.
  return record(launch.gpu, options, program + " || true", programs());
}

}  // namespace

std::size_t mistaken_families(const std::string& source) {
  const std::vector<Launch> all = launches();
  if (!source.empty()) {
    std::vector<std::string> recordings;
    for (const Launch& launch : all) recordings.push_back(record_launch(launch, source));
    pack(file, recordings);
  }
  const std::vector<std::string> recordings = unpack(file);
  if (recordings.size() != all.size())
    throw std::runtime_error(fmt::format("{}: {} recordings of {} launches", file.string(),
                                         recordings.size(), all.size()));
  std::size_t mistaken = 0;
  fmt::print("{:8} {:26} {}\n", "family", "", "launch");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const timing::Prediction prediction =
        timing::read(recordings[i])->predict({.more_waves = false});
    const bool validated = prediction.error != nullptr;
    const bool right = prediction.family == all[i].family && validated == all[i].validated;
    mistaken += !right;
    fmt::print(
        "{:8} {:26} {} {}{}\n", all[i].gpu, prediction.family, validated ? "band" : "none",
        all[i].program.substr(0, 60),
        right ? ""
              : fmt::format("  WRONG: {}, {}", all[i].family, all[i].validated ? "band" : "none"));
  }
  fmt::print("\n");
  return mistaken;
}

}  // namespace hipsight::bench
