#include "report/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "conditions/figures.h"
#include "report/render.h"
#include "support/formats.h"
#include "support/printable.h"
#include "support/quantity.h"

namespace hipsight::report {
namespace {

using Json = nlohmann::ordered_json;
using Value = std::optional<double>;
using Values = std::vector<Value>;  ///< of each side

/// A figure on all sides.
struct Row {
  std::string name;
  Values values;
};

double largest(const Row& row) {
  double most = 0;
  for (const Value& value : row.values) most = std::max(most, std::abs(value.value_or(0)));
  return most;
}
double spread(const Row& row) {
  double least = INFINITY, most = -INFINITY;
  for (const Value& value : row.values)
    least = std::min(least, value.value_or(0)), most = std::max(most, value.value_or(0));
  return most - least;
}

std::string shape(const KernelReport& kernel) {
  const auto text = [](const Dim3& d) { return fmt::format("{}x{}x{}", d.x, d.y, d.z); };
  return fmt::format("{} workgroups of {}", text(kernel.grid), text(kernel.block));
}

/// For each side, where it is predicted, named amounts; the rows of all names.
template <class Of>
std::vector<Row> rows(const ComparedKernel& kernel, const Of& of) {
  std::vector<Row> all;
  for (std::size_t side = 0; side < kernel.on.size(); ++side) {
    if (!kernel.on[side] || !kernel.on[side]->prediction) continue;
    for (const auto& [name, value] : of(*kernel.on[side])) {
      auto found = std::ranges::find(all, name, &Row::name);
      if (found == all.end()) found = all.insert(found, {name, Values(kernel.on.size())});
      Value& sum = found->values[side];
      sum = sum.value_or(0) + value;
    }
  }
  return all;
}

using Named = std::vector<std::pair<std::string, double>>;

/// How long each unit works in one launch, in seconds.
std::vector<Row> units(const ComparedKernel& kernel) {
  auto all = rows(kernel, [](const KernelReport& on) {
    const Prediction& p = *on.prediction;
    Named named;
    for (const Amount& unit : p.busy)
      named.emplace_back(unit.of, unit.value * (p.seconds - p.launch_seconds));
    return named;
  });
  std::ranges::stable_sort(all, std::ranges::greater(), largest);
  return all;
}

/// Shares of all waves' waiting, by what they wait for.
std::vector<Row> waits(const ComparedKernel& kernel) {
  auto all = rows(kernel, [](const KernelReport& on) {
    Named named;
    for (const Amount& wait : on.prediction->stalls) named.emplace_back(wait.of, wait.value);
    return named;
  });
  std::ranges::stable_sort(all, std::ranges::greater(), largest);
  return all;
}

/// The time of one launch, by the source line, or instruction, that waves spend it on.
std::vector<Row> lines(const ComparedKernel& kernel) {
  auto all = rows(kernel, [](const KernelReport& on) {
    const Prediction& p = *on.prediction;
    Named named;
    for (const HotLine& line : p.lines) {
      const std::string source = source_of(line.at);
      named.emplace_back(source.empty() ? line.at.instruction : source,
                         line.share * (p.seconds - p.launch_seconds));
    }
    return named;
  });
  std::ranges::stable_sort(all, std::ranges::greater(), kernel.on.size() == 2 ? spread : largest);
  return all;
}

/// The figures of conditions that differ, but for those of the time, which are told by themselves.
struct FigureRow {
  const conditions::Figure* figure;
  Values values;
};
std::vector<FigureRow> figures(const ComparedKernel& kernel) {
  std::vector<FigureRow> all;
  for (const conditions::Figure& figure : conditions::figures()) {
    if (figure.kind == conditions::Kind::Seconds || figure.name == "share" || figure.name == "gain")
      continue;
    Row row{{}, {}};
    for (const KernelReport* on : kernel.on)
      row.values.push_back(on && conditions::is_known(figure, *on) ? figure.of(*on) : Value());
    if (spread(row) > 0.005 * largest(row)) all.push_back({&figure, std::move(row.values)});
  }
  return all;
}

Values seconds(const ComparedKernel& kernel) {
  Values all;
  for (const KernelReport* on : kernel.on)
    all.push_back(on && on->prediction ? Value(on->prediction->seconds) : Value());
  return all;
}

bool both_are_known(const Values& values) {
  return values.size() == 2 && values[0] && values[1] && *values[0] > 0 && *values[1] > 0;
}

/// "2.31 times as fast", "the same".
std::string speed(double before, double now) {
  const double ratio = before / now;
  if (std::abs(ratio - 1) < 0.005) return "the same";
  return ratio > 1 ? fmt::format("{:.2f} times as fast", ratio)
                   : fmt::format("{:.2f} times as slow", 1 / ratio);
}

std::string change(double before, double now) {
  if (before == 0) return now == 0 ? "" : "new";
  if (now == 0) return "none left";
  const double ratio = now / before;
  if (std::abs(ratio - 1) < 0.005) return "";
  return ratio >= 3 || ratio <= 1 / 3.0 ? fmt::format("{:.3g} times", ratio)
                                        : fmt::format("{:+.0f} %", 100 * (ratio - 1));
}

const Row* find(const std::vector<Row>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &Row::name);
  return found == all.end() ? nullptr : &*found;
}

/// Why one of two sides is quicker: what bounds the slower one, and how that is on the other.
std::string why(const ComparedKernel& kernel) {
  const Values times = seconds(kernel);
  if (!both_are_known(times) || std::abs(*times[0] / *times[1] - 1) < 0.005) return {};
  const std::size_t slow = *times[0] > *times[1] ? 0 : 1, quick = 1 - slow;
  const auto name = [](std::size_t side) { return side == 0 ? "a" : "b"; };
  const KernelReport &of_slow = *kernel.on[slow], &of_quick = *kernel.on[quick];
  const Prediction& p = *of_slow.prediction;
  std::string text = fmt::format("{} is bound by {}", name(slow), p.bound.sentence);
  const Value waves[]{of_slow.occupancy.waves_per_simd, of_quick.occupancy.waves_per_simd};
  switch (p.bound.kind) {
    case Bound::Kind::Unit: {
      const std::vector<Row> all = units(kernel);
      if (const Row* unit = find(all, p.bound.of); unit && unit->values[slow])
        text += fmt::format("; {} works for {} of it, and for {} in {}", p.bound.of,
                            duration(*unit->values[slow]),
                            duration(unit->values[quick].value_or(0)), name(quick));
      break;
    }
    case Bound::Kind::Occupancy:
    case Bound::Kind::Latency:
      if (*waves[0] != *waves[1])
        text += fmt::format("; {} has {:.3g} waves per SIMD, {} has {:.3g}", name(slow), *waves[0],
                            name(quick), *waves[1]);
      if (const double instructions = double(of_slow.counts.instructions) /
                                      double(std::max<std::uint64_t>(1, of_slow.counts.waves)),
          fewer = double(of_quick.counts.instructions) /
                  double(std::max<std::uint64_t>(1, of_quick.counts.waves));
          fewer < 0.9 * instructions)
        text += fmt::format("; a wave of {} runs {:.0f} instructions, one of {} {:.0f}", name(slow),
                            instructions, name(quick), fewer);
      break;
    default:
      break;
  }
  if (of_quick.prediction->bound.sentence != p.bound.sentence)
    text += fmt::format("; {} is bound by {}", name(quick), of_quick.prediction->bound.sentence);
  return text;
}

/// What is true of the kernel on all GPUs: its bound, and advice.
std::string on_all(const ComparedKernel& kernel) {
  std::string text;
  const auto predicted = [](const KernelReport* on) { return on && on->prediction; };
  if (!std::ranges::all_of(kernel.on, predicted)) return text;
  const KernelReport& first = *kernel.on[0];
  const auto same = [&](const KernelReport* on) {
    return on->prediction->bound.kind == first.prediction->bound.kind &&
           on->prediction->bound.of == first.prediction->bound.of;
  };
  if (std::ranges::all_of(kernel.on, same))
    text = fmt::format("bound by {} on all", first.prediction->bound.of.empty()
                                                 ? first.prediction->bound.sentence
                                                 : first.prediction->bound.of);
  for (const Advice& advice : first.verdict.advice) {
    double least = INFINITY, most = 0;
    for (const KernelReport* on : kernel.on) {
      const auto found = std::ranges::find(on->verdict.advice, advice.id, &Advice::id);
      const double gain = found == on->verdict.advice.end() ? 0 : found->gain;
      least = std::min(least, gain), most = std::max(most, gain);
    }
    if (least > 0)
      text += fmt::format("{}{} helps all of them, by {:.0f} to {:.0f} %", text.empty() ? "" : "; ",
                          advice.id, 100 * least, 100 * most);
  }
  return text;
}

std::vector<std::string> cells(const std::string& name, const Values& values, const auto& text) {
  std::vector<std::string> all{name};
  for (const Value& value : values) all.push_back(value ? text(*value) : "-");
  if (both_are_known(values)) all.push_back(change(*values[0], *values[1]));
  return all;
}

/// Facts of a kernel on all sides.
std::vector<std::string> facts(const std::string& name, const ComparedKernel& kernel,
                               const auto& text) {
  std::vector<std::string> all{name};
  for (const KernelReport* on : kernel.on) all.push_back(on ? text(*on) : "-");
  return all;
}

using Table = std::vector<std::vector<std::string>>;

void add_rows(Table& table, const std::string& title, const std::vector<Row>& all, std::size_t most,
              double least, const auto& text) {
  std::size_t told = 0;
  for (const Row& row : all) {
    if (told == most || largest(row) < least) continue;
    if (told++ == 0) table.push_back({title});
    table.push_back(cells("  " + row.name, row.values, text));
  }
}

std::string text_of(const ComparedKernel& kernel, std::span<const Side> sides, Differs how) {
  std::string out = fmt::format("\n{}\n", kernel.title);
  const bool everywhere = std::ranges::count(kernel.on, nullptr) == 0;
  if (!everywhere)
    for (std::size_t i = 0; i < sides.size(); ++i)
      if (!kernel.on[i]) out += fmt::format("  did not run in {}\n", sides[i].name);
  const Values times = seconds(kernel);
  if (how == Differs::Gpu) {
    if (const std::string text = on_all(kernel); !text.empty())
      out += fmt::format("  {}\n", paragraph(text, 2));
  } else if (both_are_known(times)) {
    out += fmt::format("  b is {}", speed(*times[0], *times[1]));
    const std::string text = why(kernel);
    out += text.empty() ? "\n" : fmt::format(": {}\n", paragraph(text, 4));
    const auto* work = conditions::figure("floating_operations");
    if (const Value a = work->of(*kernel.on[0]), b = work->of(*kernel.on[1]);
        a && b && std::min(*a, *b) > 0 && std::max(*a, *b) > 1.5 * std::min(*a, *b))
      out += fmt::format("  NOT THE SAME WORK? {} floating-point operations in a, {} in b\n",
                         quantity(*a, ""), quantity(*b, ""));
  }
  Table table;
  std::vector<std::string> head{""};
  for (std::size_t i = 0; i < sides.size(); ++i)
    head.push_back(how == Differs::Gpu ? sides[i].report.gpu.name
                                       : std::string(1, static_cast<char>('a' + i)));
  table.push_back(std::move(head));
  table.push_back(cells("time of a launch", times, duration));
  const auto of_prediction = [](const auto& text) {
    return [text](const KernelReport& on) {
      return on.prediction ? text(*on.prediction) : std::string("not predicted");
    };
  };
  table.push_back(facts("  nine of ten", kernel, of_prediction([](const Prediction& p) {
                          return p.error ? between(*p.error) : std::string("UNVALIDATED");
                        })));
  table.push_back(facts("bound by", kernel,
                        of_prediction([](const Prediction& p) { return p.bound.sentence; })));
  table.push_back(facts("launch", kernel, shape));
  const double time = largest({{}, times});
  add_rows(table, "units work for", units(kernel), 6, 0.03 * time, duration);
  const auto percent = [](double share) { return fmt::format("{:.0f} %", 100 * share); };
  add_rows(table, "waves wait for", waits(kernel), 5, 0.05, percent);
  add_rows(table, "time by line", lines(kernel), 8, 0.02 * time, duration);
  const std::vector<FigureRow> differing = figures(kernel);
  if (!differing.empty()) table.push_back({"figures that differ"});
  for (const FigureRow& row : differing)
    table.push_back(cells("  " + std::string(row.figure->name), row.values, [&](double value) {
      return row.figure->kind == conditions::Kind::Count
                 ? quantity(value, "")
                 : conditions::text_of(row.figure->kind, value);
    }));
  return out + columns(table);
}

Json json_of(const std::vector<Row>& all) {
  Json json = Json::object();
  for (const Row& row : all) {
    Json values = Json::array();
    for (const Value& value : row.values) values.push_back(value ? Json(*value) : Json());
    json[row.name] = std::move(values);
  }
  return json;
}

}  // namespace

std::vector<ComparedKernel> pair_kernels(std::span<const Side> sides) {
  std::vector<ComparedKernel> all;
  for (std::size_t side = 0; side < sides.size(); ++side) {
    std::map<std::string, int> seen;
    for (const KernelReport& kernel : sides[side].report.kernels) {
      std::string title = kernel.kernel.title;
      if (const int before = seen[title]++) title += fmt::format(" ({})", before + 1);
      auto found = std::ranges::find(all, title, &ComparedKernel::title);
      if (found == all.end())
        found = all.insert(found, {title, std::vector<const KernelReport*>(sides.size(), nullptr)});
      found->on[side] = &kernel;
    }
  }
  if (sides.size() == 2) {
    const auto lone = [&](std::size_t side) {
      std::vector<std::size_t> which;
      for (std::size_t i = 0; i < all.size(); ++i)
        if (!all[i].on[1 - side]) which.push_back(i);
      return which;
    };
    if (const auto a = lone(0), b = lone(1); a.size() == 1 && b.size() == 1) {
      all[a[0]].title += " with " + all[b[0]].title;
      all[a[0]].on[1] = all[b[0]].on[1];
      all.erase(all.begin() + std::ptrdiff_t(b[0]));
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater(), [](const ComparedKernel& kernel) {
    double most = 0;
    for (const KernelReport* on : kernel.on)
      if (on) most = std::max(most, on->verdict.seconds);
    return most;
  });
  return all;
}

std::string why_not(std::span<const Side> sides, Differs how) {
  for (const Side& side : sides)
    if (side.report.kernels.empty())
      return fmt::format("{}: no kernel ran to its end", printable(side.name));
  for (const Side& side : sides.subspan(1)) {
    const bool same_gpu = side.report.gpu.name == sides[0].report.gpu.name;
    if (how == Differs::Program && !same_gpu)
      return fmt::format(
          "the programs ran on different GPUs ({} and {}), so that no cause could be named: "
          "compare "
          "one thing at a time",
          printable(sides[0].report.gpu.name), printable(side.report.gpu.name));
  }
  const auto all = pair_kernels(sides);
  if (std::ranges::none_of(all, [](const ComparedKernel& kernel) {
        return kernel.on.size() - std::size_t(std::ranges::count(kernel.on, nullptr)) > 1;
      }))
    return "they have no kernel in common: choose one of each by --kernel";
  return {};
}

std::string compare_text(std::span<const Side> sides, Differs how) {
  std::string out = "hipsight compare";
  if (how == Differs::Program) out += fmt::format(": on {}", sides[0].report.gpu.title);
  out += "\n";
  for (const Side& side : sides) out += fmt::format("  {}\n", side.name);
  for (const ComparedKernel& kernel : pair_kernels(sides)) out += text_of(kernel, sides, how);
  return printable(out, true);
}

std::string compare_json(std::span<const Side> sides, Differs how) {
  Json json{{"version", 1}, {"differs", how == Differs::Gpu ? "gpu" : "program"}};
  json["sides"] = Json::array();
  for (const Side& side : sides)
    json["sides"].push_back(
        {{"name", printable(side.name)}, {"gpu", printable(side.report.gpu.name)}});
  json["kernels"] = Json::array();
  for (const ComparedKernel& kernel : pair_kernels(sides)) {
    Json one{{"kernel", printable(kernel.title)}};
    one["seconds"] = Json::array();
    for (const Value& value : seconds(kernel))
      one["seconds"].push_back(value ? Json(*value) : Json());
    one["bound"] = Json::array();
    for (const KernelReport* on : kernel.on)
      one["bound"].push_back(on && on->prediction ? Json(on->prediction->bound.sentence) : Json());
    const std::string reason = how == Differs::Gpu ? on_all(kernel) : why(kernel);
    one["why"] = reason.empty() ? Json() : Json(reason);
    one["units"] = json_of(units(kernel));
    one["waits"] = json_of(waits(kernel));
    one["lines"] = json_of(lines(kernel));
    std::vector<Row> differing;
    for (FigureRow& row : figures(kernel))
      differing.push_back({std::string(row.figure->name), std::move(row.values)});
    one["figures"] = json_of(differing);
    json["kernels"].push_back(std::move(one));
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace hipsight::report
