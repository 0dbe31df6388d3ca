#include "validation/gemm/launches.h"

#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>

#include <filesystem>
#include <map>
#include <stdexcept>
#include <utility>

#include "validation/csv.h"
#include "validation/recordings.h"

namespace hipsight::bench {
namespace {

namespace fs = std::filesystem;
const fs::path folder = fs::path(HIPSIGHT_VALIDATION) / "gemm";

std::string record_launch(const std::string& source, const GemmLaunch& l) {
  const GemmObject& o = l.object;
  return record(l.gpu, "--sample 1",
                fmt::format("{}/gemm_launch {}/{} {} {} {} {} {} {} {} {} {} {}",
                            programs().string(), source, o.path, o.kernel, o.family, l.m, l.n, l.k,
                            o.tile_m, o.tile_n, l.split_k, l.bias, l.out_bytes));
}

}  // namespace

std::string GemmLaunch::binary() const {
  return fs::path(object.path).stem().string();
}

double GemmLaunch::bytes() const {
  const double in = object.family == "bf16" ? 2 : 1;
  return (double(m) + n) * k * in + double(m) * n * out_bytes;
}

double GemmLaunch::zeroing_seconds(const gpus::Gpu& on, double launch_seconds) const {
  if (object.family == "bf16" || split_k == 1) return 0;
  const double memory = on.dram_gb_per_s_measured.value_or(0.8 * on.dram_gb_per_s) * 1e9;
  return launch_seconds + double(m) * n * out_bytes / memory;
}

std::vector<GemmObject> gemm_objects() {
  std::vector<GemmObject> all;
  for (const auto& row : read_table("gemm/objects.csv").rows)
    all.push_back({.path = row[0],
                   .family = row[1],
                   .kernel = row[2],
                   .tile_m = unsigned(std::stoul(row[3])),
                   .tile_n = unsigned(std::stoul(row[4])),
                   .splits = row[5]});
  return all;
}

std::vector<GemmLaunch> measured_launches() {
  const std::vector<GemmObject> objects = gemm_objects();
  std::vector<GemmLaunch> all;
  for (const auto& row : read_table("gemm/timings.csv").rows) {
    const auto number = [&](std::size_t i) { return unsigned(std::stoul(row[i])); };
    all.push_back({.object = objects.at(number(1)),
                   .gpu = row[0],
                   .m = number(2),
                   .n = number(3),
                   .k = number(4),
                   .split_k = number(5),
                   .bias = number(6),
                   .out_bytes = number(7),
                   .least = std::stod(row[8]),
                   .most = std::stod(row[9]),
                   .recording = {}});
  }
  return all;
}

void add_recordings(const std::vector<GemmLaunch*>& launches, const fs::path& file,
                    const std::string& source) {
  std::vector<std::string> recordings;
  if (source.empty()) {
    recordings = unpack(file);
  } else {
    recordings.resize(launches.size());
    tbb::parallel_for(std::size_t{0}, launches.size(),
                      [&](std::size_t i) { recordings[i] = record_launch(source, *launches[i]); });
    pack(file, recordings);
  }
  if (recordings.size() != launches.size())
    throw std::runtime_error(fmt::format("{}: {} recordings of {} launches", file.string(),
                                         recordings.size(), launches.size()));
  for (std::size_t i = 0; i < launches.size(); ++i)
    launches[i]->recording = std::move(recordings[i]);
}

std::vector<GemmLaunch> gemm_launches(const std::string& source) {
  std::vector<GemmLaunch> all = measured_launches();
  // Those of one binary on one GPU have a file, in the order of timings.csv.
  std::map<fs::path, std::vector<GemmLaunch*>> files;
  for (GemmLaunch& l : all)
    files[folder / fmt::format("{}.{}.zst", l.gpu, l.binary())].push_back(&l);
  for (const auto& [file, launches] : files) add_recordings(launches, file, source);
  return all;
}

}  // namespace hipsight::bench
