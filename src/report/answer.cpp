#include <fmt/format.h>

#include <algorithm>

#include "report/render.h"
#include "support/error.h"
#include "support/printable.h"
#include "support/quantity.h"

namespace hipsight::report {
namespace {

/// The text of a share: never more than all, nor 0 of something.
std::string percent(double share) {
  if (share > 0 && share < 0.01) return "under 1 %";
  return fmt::format("{:.0f} %", 100 * std::min(share, 1.0));
}

/// "38.1 us (33.2 us to 45.0 us)"; of several launches all of them first.
std::string time_of(const KernelReport& kernel) {
  const std::uint64_t launches = kernel.counts.launches;
  const std::string count = fmt::format("{} launch{}", launches, launches == 1 ? "" : "es");
  if (!kernel.prediction)
    return fmt::format("{}, no prediction: {}", count, kernel.verdict.why_none);
  const Prediction& p = *kernel.prediction;
  std::string one = duration(p.seconds);
  if (p.error) one += fmt::format(" ({})", between(*p.error));
  if (launches == 1) return fmt::format("{}, {}", one, count);
  return fmt::format("{} in {}, {} {}", duration(kernel.verdict.seconds), count,
                     kernel.grids_differ ? "the first" : "each", one);
}

std::string text_of(const HotLine& line) {
  const std::string source = source_of(line.at);
  return fmt::format(
      "{}, {} of its waves' time, mostly {}",
      source.empty() ? fmt::format("{} ({:#x})", line.at.instruction, line.at.address) : source,
      percent(line.share), line.cause.empty() ? "to issue" : "waiting for " + line.cause);
}

std::string where_to_look(const KernelReport& kernel) {
  const std::vector<Advice>& advice = kernel.verdict.advice;
  if (advice.empty()) return "all figures: -v";
  return fmt::format("{}all figures: -v; what that means: docs/advice.md, {}",
                     advice.size() > 1 ? fmt::format("{} more to try, ", advice.size() - 1) : "",
                     advice.front().id);
}

}  // namespace

Details Details::of(std::string_view list) {
  Details details;
  const std::pair<std::string_view, bool*> sections[]{{"advice", &details.advice},
                                                      {"counts", &details.counts},
                                                      {"explanation", &details.explanation},
                                                      {"prediction", &details.prediction},
                                                      {"profile", &details.profile},
                                                      {"registers", &details.registers},
                                                      {"roofs", &details.roofs}};
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), name.size() + 1));
    bool known = false;
    for (const auto& [section, wanted] : sections)
      if (name == section || (name == "all" && section != "explanation")) *wanted = known = true;
    if (!known)
      fail(
          "'{}' is no section: there are advice, counts, explanation, prediction, profile, "
          "registers, "
          "roofs; all",
          name);
  }
  return details;
}

std::string between(const ModelError& error) {
  const std::string least = duration(error.seconds_at_least);
  return error.seconds_at_most ? fmt::format("{} to {}", least, duration(*error.seconds_at_most))
                               : "at least " + least;
}

std::string text_of(const Advice& advice) {
  std::string text = fmt::format("-{:.0f} %, to {}: {}", 100 * advice.gain,
                                 duration(advice.seconds), advice.change);
  if (const std::string source = source_of(advice.at); !source.empty())
    text += fmt::format(" ({})", source);
  else if (!advice.at.instruction.empty())
    text += fmt::format(" ({} at {:#x})", advice.at.instruction, advice.at.address);
  return text;
}

std::vector<AnswerLine> answer(const KernelReport& kernel) {
  const std::string title = printable(kernel.kernel.title);
  const std::string range = kernel.range.empty() ? "" : " in " + printable(kernel.range);
  std::string first = fmt::format("{}{}: {}", title, range, time_of(kernel));
  if (!kernel.prediction) return {{"", first}};
  first += fmt::format(", {} of the time", percent(kernel.verdict.share));
  const std::vector<HotLine>& lines = kernel.prediction->lines;
  const std::vector<Advice>& advice = kernel.verdict.advice;
  return {{"", first},
          {"bound by", kernel.verdict.bound},
          {"hottest line", lines.empty() ? "none: no wave ran" : text_of(lines.front())},
          {"to try", advice.empty() ? "nothing that the model knows would save 5 %"
                                    : text_of(advice.front())},
          {"see", where_to_look(kernel)}};
}

std::string caveat(const RunReport& run) {
  std::size_t unvalidated = 0, predicted = 0;
  for (const KernelReport& kernel : run.kernels) {
    if (!kernel.prediction) continue;
    ++predicted;
    unvalidated += !kernel.prediction->error;
  }
  std::string missing;
  if (run.timing_only) missing = "kernels computed no results (--timing-only)";
  if (run.missing_results)
    missing += fmt::format(
        ", and the program copied some to the host, in {} cop{}: what it decides "
        "by them means nothing",
        run.missing_results, run.missing_results == 1 ? "y" : "ies");
  if (predicted == 0) return missing;
  if (!missing.empty()) missing += "; ";
  std::string text = missing + "times are predicted by simulation (docs/timing.md)";
  if (unvalidated < predicted)
    text += "; of measured launches like these nine of ten lay in the range beside the time";
  if (unvalidated)
    text += fmt::format("; {} UNVALIDATED: nothing like {} was measured on this GPU",
                        unvalidated == predicted ? "all are" : "those without a range are",
                        predicted == 1 ? "it" : "them");
  return text;
}

}  // namespace hipsight::report
