#include "beside.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "hipsight/report_file.h"
#include "report.h"
#include "timing/recording.h"
#include "validation/recordings.h"

namespace hipsight::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::array<timing::Scales, 5> scales{
    {{}, {.latencies = 0.8}, {.latencies = 1.2}, {.bandwidths = 0.8}, {.bandwidths = 1.2}}};

struct Recorded {
  std::vector<std::string> launches;  ///< the last one first
  double seconds = 0;                 ///< of all, predicted from all workgroups that were observed
};
/// All launches of one of our programs.
Recorded record_all(const Contest& contest) {
  const std::string program = (programs() / contest.ours).string();
  const std::string& options = contest.observed;
  const fs::path file = fs::temp_directory_path() / fmt::format("hipsight.{}.launches", gettid());
  Recorded all;
  all.launches.push_back(
      record(contest.gpu, fmt::format("{} --values {}", options, file.string()), program));
  const auto report = read_report(file);
  fs::remove(file);
  if (!report) throw std::runtime_error(program + ": " + report.error().text);
  all.seconds = predicted_seconds(*report);
  for (std::size_t i = 1; i < report->kernels.size(); ++i)
    all.launches.push_back(record(contest.gpu, fmt::format("{} --launch {}", options, i), program));
  return all;
}

struct Outcome {
  Forecast ours;
  double ratio, least;  ///< theirs / ours: as the model is, and of all scales
};

Outcome outcome_of(const Contest& contest) {
  const Recorded recorded = record_all(contest);
  Outcome outcome{.ours = forecast(recorded.launches), .ratio = 0, .least = 0};
  // A recording keeps one workgroup, the most typical one. Where they differ, all of them count.
  const double all_of_typical = recorded.seconds / outcome.ours.seconds[0];
  for (double& seconds : outcome.ours.seconds) seconds *= all_of_typical;
  std::array<double, scales.size()> ratios;
  for (std::size_t i = 0; i < ratios.size(); ++i)
    ratios[i] = contest.theirs.seconds[i] / outcome.ours.seconds[i];
  outcome.ratio = ratios[0];
  outcome.least = std::ranges::min(ratios);
  return outcome;
}

/// Of all contests of a GPU with an opponent.
struct Tally {
  double log_sum = 0, log_least = 0, wins = 0, contests = 0;
  void add(const Outcome& outcome) {
    log_sum += std::log(outcome.ratio);
    log_least += std::log(outcome.least);
    wins += outcome.least >= 1;
    ++contests;
  }
};

}  // namespace

Forecast forecast(const std::vector<std::string>& recordings) {
  Forecast all;
  double longest = 0;
  for (const std::string& bytes : recordings) {
    const auto recording = timing::read(bytes);
    for (std::size_t i = 0; i < scales.size(); ++i) {
      // Only what bounds it is asked for what more waves would gain.
      const auto prediction = recording->predict({.scales = scales[i], .more_waves = i == 0});
      all.seconds[i] += prediction.seconds;
      if (i > 0 || prediction.seconds <= longest) continue;
      longest = prediction.seconds;
      all.bound = timing::text(prediction.bound);
    }
  }
  return all;
}

void add_beside(const std::vector<Contest>& contests, std::vector<Row>& rows) {
  std::vector<Outcome> outcomes(contests.size());
  oneapi::tbb::parallel_for(std::size_t{0}, contests.size(),
                            [&](std::size_t i) { outcomes[i] = outcome_of(contests[i]); });
  std::map<std::string, Tally> tallies;
  for (std::size_t i = 0; i < contests.size(); ++i) {
    const Contest& contest = contests[i];
    const Outcome& outcome = outcomes[i];
    rows.push_back({.name = fmt::format("{}, beside {}, {}, {}", contest.gpu, contest.against,
                                        contest.shape, outcome.ours.bound),
                    .value = outcome.ratio,
                    .unit = "times as fast",
                    .floor = NAN,
                    .aim = 1,
                    .beside = {{"at least", outcome.least},
                               {"us", outcome.ours.seconds[0] * 1e6},
                               {"us, theirs", contest.theirs.seconds[0] * 1e6}}});
    tallies[fmt::format("{}, beside {}", contest.gpu, contest.against)].add(outcome);
  }
  for (const auto& [name, tally] : tallies)
    rows.push_back({.name = name + ": geomean",
                    .value = std::exp(tally.log_sum / tally.contests),
                    .unit = "times as fast",
                    .floor = NAN,
                    .aim = 1,
                    .beside = {{"at least", std::exp(tally.log_least / tally.contests)},
                               {"wins", tally.wins},
                               {"of", tally.contests}}});
}

}  // namespace hipsight::bench
