#include "tune/ranking.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ranges>
#include <sstream>

#include "conditions/figures.h"
#include "report/plot.h"
#include "support/error.h"
#include "support/files.h"
#include "support/formats.h"
#include "support/printable.h"
#include "support/quantity.h"

namespace hipsight::tune {
namespace {

using Json = nlohmann::ordered_json;
using conditions::Better;

/// What a table shows of a kernel beside its time.
constexpr std::array shown{"vgprs", "lds_bytes", "spills", "waves_per_simd"};

Json json_of(const Result& result) {
  Json json{{"key", result.key}, {"point", result.point}};
  if (!result.problem.empty()) {
    json["problem"] = printable(result.problem, true);
    return json;
  }
  json["seconds"] = result.seconds;
  json["bound"] = printable(result.bound);
  json["figures"] = result.figures;
  return json;
}

bool ran(const Result& result) {
  return result.problem.empty();
}

const conditions::Figure& known(const std::string& name) {
  const auto* figure = conditions::figure(name);
  if (!figure) fail("'{}' is no figure of docs/conditions.md", printable(name));
  if (figure->better == Better::Neither) fail("{} is neither better nor worse", name);
  return *figure;
}

std::string figure_text(const Result& result, const std::string& name) {
  const auto value = result.figures.find(name);
  if (value == result.figures.end()) return "-";
  return conditions::text_of(conditions::figure(name)->kind, value->second);
}

}  // namespace

Result result_of(const RunReport& run) {
  Result result;
  const KernelReport* most = nullptr;
  for (const KernelReport& kernel : run.kernels) {
    if (!kernel.prediction)
      fail("{} was not predicted: {}", printable(kernel.kernel.title),
           kernel.verdict.why_none.empty() ? "no reason is known" : kernel.verdict.why_none);
    result.seconds += kernel.verdict.seconds;
    if (!most || kernel.verdict.seconds > most->verdict.seconds) most = &kernel;
  }
  if (!most) fail("no kernel ran");
  result.bound = most->prediction->bound.sentence;
  for (const conditions::Figure& figure : conditions::figures())
    if (conditions::is_known(figure, *most) && figure.better != Better::Neither)
      if (const auto value = figure.of(*most)) result.figures[std::string(figure.name)] = *value;
  return result;
}

void Log::add(const Result& result) const {
  const std::string line =
      json_of(result).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const Descriptor file(open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  // One write: others append to it, too.
  if (!file || write(file.number(), line.data(), line.size()) != ssize_t(line.size()))
    fail("{}: cannot write it", printable(file_.string()));
}

std::map<std::string, Result> Log::read() const {
  std::map<std::string, Result> all;
  if (!std::filesystem::exists(file_)) return all;
  std::istringstream lines(read_text(file_));
  std::string line;
  for (unsigned number = 1; std::getline(lines, line); ++number) {
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_discarded() && lines.eof()) break;  // it was cut off
    try {
      if (json.is_discarded()) fail("no JSON");
      Result result;
      json.at("key").get_to(result.key);
      json.at("point").get_to(result.point);
      result.problem = json.value("problem", "");
      if (ran(result)) {
        json.at("seconds").get_to(result.seconds);
        json.at("bound").get_to(result.bound);
        json.at("figures").get_to(result.figures);
      }
      all[result.key] = std::move(result);
    } catch (const std::exception&) {
      fail("{}:{}: no result of `hipsight tune`", printable(file_.string()), number);
    }
  }
  return all;
}

void rank(std::vector<Result>& results) {
  std::ranges::stable_sort(results, {},
                           [](const Result& one) { return ran(one) ? one.seconds : INFINITY; });
}

std::vector<std::size_t> pareto(const std::vector<Result>& ranked, const std::string& figure) {
  const bool less = known(figure).better == Better::Less;
  std::vector<std::size_t> front;
  double best = INFINITY;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const auto value = ranked[i].figures.find(figure);
    if (!ran(ranked[i]) || value == ranked[i].figures.end()) continue;
    const double cost = less ? value->second : -value->second;
    if (cost < best) front.push_back(i), best = cost;
  }
  return front;
}

std::string to_text(const std::vector<Result>& ranked, const std::string& gpu,
                    const std::string& against, std::size_t most) {
  const auto good = std::size_t(std::ranges::count_if(ranked, ran));
  std::string out = fmt::format("hipsight tune: {} configuration{} on {}, the quickest first\n\n",
                                ranked.size(), ranked.size() == 1 ? "" : "s", gpu);
  const auto front = against.empty() ? std::vector<std::size_t>() : pareto(ranked, against);
  std::vector<std::string> figures(shown.begin(), shown.end());
  if (!against.empty() && std::ranges::count(figures, against) == 0) figures.push_back(against);
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> head{"", "time", "of best"};
  if (good) {
    for (const auto& [name, _] : ranked[0].point) head.push_back(name);
    head.insert(head.end(), figures.begin(), figures.end());
    head.emplace_back("bound by");
    lines.push_back(std::move(head));
  }
  for (std::size_t i = 0; i < std::min(good, most); ++i) {
    const Result& one = ranked[i];
    const bool on_front = std::ranges::count(front, i) != 0;
    std::vector<std::string> cells{fmt::format("{}{}", i + 1, on_front ? "*" : ""),
                                   duration(one.seconds),
                                   fmt::format("{:.2f}", one.seconds / ranked[0].seconds)};
    for (const auto& [_, value] : one.point) cells.push_back(value);
    for (const std::string& name : figures) cells.push_back(figure_text(one, name));
    cells.push_back(one.bound);
    lines.push_back(std::move(cells));
  }
  out += columns(lines);
  if (good > most) out += fmt::format("  and {} more\n", good - most);
  if (!against.empty())
    out += fmt::format("\n  *: none is both quicker and better in {}\n", against);
  for (const Result& one : ranked | std::views::drop(good))
    out += fmt::format("\n{}: {}\n", text_of(one.point), one.problem);
  return printable(out, true);
}

std::string to_csv(const std::vector<Result>& ranked) {
  std::string out;
  if (ranked.empty()) return out;
  for (const auto& [name, _] : ranked[0].point) out += name + ",";
  out += "seconds,bound";
  std::vector<std::string> names;
  for (const conditions::Figure& figure : conditions::figures())
    if (figure.better != Better::Neither) names.emplace_back(figure.name);
  for (const std::string& name : names) out += "," + name;
  out += ",problem\n";
  for (const Result& one : ranked) {
    for (const auto& [_, value] : one.point) out += csv_field(value) + ",";
    out += ran(one) ? fmt::format("{:.9g},{}", one.seconds, csv_field(one.bound)) : ",";
    for (const std::string& name : names) {
      const auto value = one.figures.find(name);
      out += value == one.figures.end() ? "," : fmt::format(",{:.9g}", value->second);
    }
    out += "," + csv_field(printable(one.problem)) + "\n";
  }
  return out;
}

std::string to_json(const std::vector<Result>& ranked, const std::string& gpu) {
  Json json{{"version", 1}, {"gpu", gpu}, {"configurations", Json::array()}};
  for (const Result& one : ranked) json["configurations"].push_back(json_of(one));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_svg(const std::vector<Result>& ranked, const std::string& against) {
  const conditions::Figure& figure = known(against);
  const auto front = pareto(ranked, against);
  report::Plot plot{.title = "time of all kernels",
                    .x_words = fmt::format("{} ({})", against, figure.words),
                    .x_text = [&](double value) { return conditions::text_of(figure.kind, value); },
                    .y_text = duration,
                    .dots = {}};
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const auto value = ranked[i].figures.find(against);
    if (!ran(ranked[i]) || value == ranked[i].figures.end()) continue;
    plot.dots.push_back({value->second, ranked[i].seconds,
                         fmt::format("{}: {}, {}", text_of(ranked[i].point),
                                     duration(ranked[i].seconds), plot.x_text(value->second)),
                         std::ranges::count(front, i) != 0});
  }
  if (plot.dots.empty()) fail("no configuration has {}", against);
  return report::to_svg({&plot, 1});
}

}  // namespace hipsight::tune
