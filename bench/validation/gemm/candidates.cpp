#include "validation/gemm/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "support/fnv.h"
#include "validation/csv.h"
#include "validation/gemm/gemm.h"
#include "validation/gemm/split.h"
#include "validation/recordings.h"
#include "validation/statistics.h"

namespace hipsight::bench {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t shapes_each = 10;

unsigned tiles(unsigned size, unsigned tile) {
  return (size + tile - 1) / tile;
}

/// Whether a kernel of fp8 or i8 may split k so: parts are multiples of 128, and none is empty.
bool divides(unsigned k, unsigned split_k) {
  const unsigned part = tiles(tiles(k, split_k), 128) * 128;
  return tiles(k, part) == split_k;
}

/// The ways to split k that the tuner tries. The figures of MI300X are of tuners that tried none:
/// no winner there splits.
std::vector<unsigned> splits_of(const GemmLaunch& l) {
  std::vector<unsigned> result;
  if (l.object.family != "bf16") {
    const unsigned most = l.object.splits == "any" && l.gpu != "mi300x" ? 8 : 1;
    for (unsigned split = 1; split <= most; ++split)
      if (divides(l.k, split)) result.push_back(split);
    return result;
  }
  if (l.object.splits == "one") return {1};
  const unsigned compute_units = gpus::find(l.gpu).compute_units,
                 blocks = tiles(l.m, l.object.tile_m) * tiles(l.n, l.object.tile_n),
                 most = blocks < compute_units ? compute_units / blocks : 4;
  if (blocks > 1024) return {};
  for (unsigned split = 2; split <= std::min(most, 16u) && l.k / split >= 64; ++split)
    result.push_back(split);
  return result;
}

/// Whether the kernel takes these sizes.
bool takes(const GemmLaunch& l) {
  const bool whole_columns = l.n % l.object.tile_n == 0;
  return l.object.family != "bf16"
             ? whole_columns
             : l.k % 64 == 0 && whole_columns && !(l.object.tile_m == 256 && l.bias);
}

TunedShape tuned(const GemmLaunch& winner, const std::vector<GemmObject>& objects) {
  TunedShape shape;
  const fs::path kind =
      fs::path(winner.object.path).parent_path();  // of the GPU's ISA and the family
  for (const GemmObject& object : objects) {
    if (fs::path(object.path).parent_path() != kind) continue;
    GemmLaunch one = winner;
    one.object = object;
    if (!takes(one)) continue;
    for (const unsigned split : splits_of(one)) {
      one.split_k = split;
      shape.candidates.push_back(one);
    }
  }
  const auto is_winner = [&](const GemmLaunch& l) {
    return l.object.path == winner.object.path && l.split_k == winner.split_k;
  };
  // Earlier tuners tried other ways to split, too.
  if (std::ranges::none_of(shape.candidates, is_winner)) shape.candidates.push_back(winner);
  shape.winner =
      std::size_t(std::ranges::find_if(shape.candidates, is_winner) - shape.candidates.begin());
  return shape;
}

std::uint64_t lot(const GemmLaunch& l) {
  Fnv hash;
  hash.add(fmt::format("{} {} {} {} {}", l.gpu, l.object.family, l.m, l.n, l.k));
  return hash.value();
}

/// What is known of a shape: where its winner comes in the order of predicted times.
struct Place {
  std::string gpu, family;
  unsigned m, n, k;
  std::size_t candidates, place;  ///< place: 0 is the first
  double regret;                  ///< percent
  std::string measured, predicted;
};

Place place_of(const TunedShape& shape) {
  std::vector<double> seconds;
  for (const GemmLaunch& l : shape.candidates) seconds.push_back(gemm_point(l).predicted);
  const double winner = seconds[shape.winner];
  const auto first = std::size_t(std::ranges::min_element(seconds) - seconds.begin());
  const auto name = [](const GemmLaunch& l) {
    return fmt::format("{}x{}/{}", l.object.tile_m, l.object.tile_n, l.split_k);
  };
  const GemmLaunch& l = shape.candidates[shape.winner];
  return {
      .gpu = l.gpu,
      .family = l.object.family,
      .m = l.m,
      .n = l.n,
      .k = l.k,
      .candidates = seconds.size(),
      .place = std::size_t(std::ranges::count_if(seconds, [&](double s) { return s < winner; })),
      .regret = 100 * (winner / seconds[first] - 1),
      .measured = name(l),
      .predicted = name(shape.candidates[first])};
}

TunerScore score(const std::vector<Place>& places) {
  std::vector<double> regrets;
  for (const Place& p : places) regrets.push_back(p.regret);
  const auto within = [&](std::size_t most) {
    return 100.0 *
           double(std::ranges::count_if(places, [&](const Place& p) { return p.place < most; })) /
           double(places.size());
  };
  return {within(1), within(3), quantile(regrets, 0.9)};
}

void print(const std::string& name, const std::vector<Place>& places) {
  const TunerScore s = score(places);
  std::vector<double> regrets;
  double candidates = 0, chance = 0;
  for (const Place& p : places) {
    regrets.push_back(p.regret);
    candidates += double(p.candidates);
    chance += 100 / double(p.candidates) / double(places.size());
  }
  fmt::print("{:18} {:6} {:10.0f} {:8.0f} % {:8.0f} % {:7.1f} % {:7.1f} % {:7.1f} %\n", name,
             places.size(), candidates, s.first, s.three, quantile(regrets, 0.5), s.regret, chance);
}

}  // namespace

std::vector<TunedShape> tuned_shapes(const std::string& source) {
  const std::vector<GemmObject> objects = gemm_objects();
  // Several configurations tune the same shape: the quickest is the winner.
  std::map<std::tuple<std::string, std::string, unsigned, unsigned, unsigned>, GemmLaunch> winners;
  for (const GemmLaunch& l : measured_launches()) {
    const auto [at, is_new] = winners.try_emplace({l.gpu, l.object.family, l.m, l.n, l.k}, l);
    if (!is_new && l.least < at->second.least) at->second = l;
  }
  std::map<std::string, std::vector<GemmLaunch>> groups;
  for (const auto& [key, l] : winners)
    if (!is_fitted(l.object.path)) groups[l.gpu + "." + l.object.family].push_back(l);
  std::vector<TunedShape> all;
  for (auto& [name, group] : groups) {
    std::ranges::sort(group, {}, lot);
    if (group.size() > shapes_each) group.resize(shapes_each);
    std::vector<TunedShape> shapes;
    for (const GemmLaunch& l : group) shapes.push_back(tuned(l, objects));
    std::vector<GemmLaunch*> launches;
    for (TunedShape& shape : shapes)
      for (GemmLaunch& l : shape.candidates) launches.push_back(&l);
    add_recordings(launches, fs::path(HIPSIGHT_VALIDATION) / "gemm/candidates" / (name + ".zst"),
                   source);
    std::ranges::move(shapes, std::back_inserter(all));
  }
  return all;
}

TunerScore print_tuner(const std::vector<TunedShape>& shapes, const std::string& csv) {
  std::vector<Place> all;
  std::map<std::string, std::vector<Place>> groups;
  for (const TunedShape& shape : shapes) {
    all.push_back(place_of(shape));
    groups[all.back().gpu + " " + all.back().family].push_back(all.back());
  }
  fmt::print("{:18} {:>6} {:>10} {:>10} {:>10} {:>9} {:>9} {:>9}\n", "tuner", "shapes",
             "candidates", "first", "in three", "regret", "p90", "by chance");
  for (const auto& [name, places] : groups) print(name, places);
  print("all", all);
  fmt::print(
      "\nHow often the predicted first, and first three, hold the measured winner; regret: how "
      "much longer\nthe winner's predicted time is than the first's, median and 90th percentile; "
      "by chance: how often\na candidate drawn blindly is the winner.\n\n");
  std::ofstream out(csv);
  out << "gpu,family,m,n,k,candidates,place,regret_percent,measured,predicted\n";
  for (const Place& p : all)
    out << fmt::format("{},{},{},{},{},{},{},{:.2f},{},{}\n", p.gpu, p.family, p.m, p.n, p.k,
                       p.candidates, p.place + 1, p.regret, p.measured, p.predicted);
  return score(all);
}

}  // namespace hipsight::bench
