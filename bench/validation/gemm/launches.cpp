#include "validation/gemm/launches.h"

#include <fmt/format.h>

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
  return record(l.gpu, "--sample 1",
                fmt::format("{}/gemm_launch {}/{} {} {} {} {} {} {} {} {} {} {}",
                            programs().string(), source, l.path, l.kernel, l.family, l.m, l.n, l.k,
                            l.tile_m, l.tile_n, l.split_k, l.bias, l.out_bytes));
}

}  // namespace

std::string GemmLaunch::binary() const {
  return fs::path(path).stem().string();
}

double GemmLaunch::bytes() const {
  const double in = family == "bf16" ? 2 : 1;
  return (double(m) + n) * k * in + double(m) * n * out_bytes;
}

double GemmLaunch::zeroing_seconds(const gpus::Gpu& on, double launch_seconds) const {
  if (family == "bf16" || split_k == 1) return 0;
  const double memory = on.dram_gb_per_s_measured.value_or(0.8 * on.dram_gb_per_s) * 1e9;
  return launch_seconds + double(m) * n * out_bytes / memory;
}

std::vector<GemmLaunch> gemm_launches(const std::string& source) {
  const auto objects = read_table("gemm/objects.csv").rows;
  // Those of one binary on one GPU have a file, in the order of timings.csv.
  std::map<std::pair<std::string, std::size_t>, std::vector<GemmLaunch>> files;
  for (const auto& row : read_table("gemm/timings.csv").rows) {
    const auto number = [&](std::size_t i) { return unsigned(std::stoul(row[i])); };
    const auto& object = objects.at(number(1));
    files[{row[0], number(1)}].push_back({.path = object[0],
                                          .family = object[1],
                                          .kernel = object[2],
                                          .tile_m = unsigned(std::stoul(object[3])),
                                          .tile_n = unsigned(std::stoul(object[4])),
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
  std::vector<GemmLaunch> all;
  for (auto& [key, launches] : files) {
    const fs::path file = folder / (key.first + "." + launches.front().binary() + ".zst");
    std::vector<std::string> recordings;
    if (source.empty()) {
      recordings = unpack(file);
    } else {
      for (const GemmLaunch& launch : launches) recordings.push_back(record_launch(source, launch));
      pack(file, recordings);
    }
    if (recordings.size() != launches.size())
      throw std::runtime_error(fmt::format("{}: {} recordings of {} launches", file.string(),
                                           recordings.size(), launches.size()));
    for (std::size_t i = 0; i < launches.size(); ++i) {
      launches[i].recording = std::move(recordings[i]);
      all.push_back(std::move(launches[i]));
    }
  }
  return all;
}

}  // namespace hipsight::bench
