#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "beside.h"
#include "gpus/gpu.h"
#include "kernels.h"
#include "validation/gemm/launches.h"

namespace hipsight::bench {
namespace {

/// So many of a GPU's shapes of a type, from the least to the most work.
constexpr std::size_t shapes = 8;

using Shape = std::tuple<double, unsigned, unsigned, unsigned>;  ///< work, M, N, K
using Launches = std::map<Shape, std::vector<GemmLaunch>>;

/// Of the binaries that were measured at a shape, the quickest.
Forecast quickest(const std::vector<GemmLaunch>& launches) {
  Forecast best;
  for (const GemmLaunch& launch : launches) {
    Forecast one = forecast({launch.recording});
    const gpus::Gpu& gpu = gpus::find(launch.gpu);
    for (double& seconds : one.seconds) seconds += launch.zeroing_seconds(gpu, launch_seconds(gpu));
    if (best.bound.empty() || one.seconds[0] < best.seconds[0]) best = one;
  }
  return best;
}

}  // namespace

std::vector<Contest> assembly_contests(const std::string& gpu) {
  std::map<std::string, Launches> all;  // by type
  for (GemmLaunch& l : gemm_launches())
    if (l.gpu == gpu && l.object.family != "i8" && l.out_bytes == 2)  // what our kernels do, too
      all[l.object.family][{double(l.m) * l.n * l.k, l.m, l.n, l.k}].push_back(std::move(l));

  std::vector<Contest> contests;
  std::vector<const std::vector<GemmLaunch>*> theirs;
  for (const auto& [type, launches] : all) {
    const std::size_t count = std::min(shapes, launches.size());
    for (std::size_t i = 0; i < count; ++i) {
      const auto chosen =
          std::next(launches.begin(), long(i * (launches.size() - 1) / (count - 1)));
      const auto& [work, m, n, k] = chosen->first;
      contests.push_back(
          {.gpu = gpu,
           .against = "aiter's assembly GEMM in " + type,
           .shape = fmt::format("{} x {} x {}", m, n, k),
           .ours = fmt::format("kernels_{} {} {} {}",
                               type == "fp8" ? "block_gemm_launch" : "gemm_launch bf16", m, n, k),
           .observed = observed_of_gemm(m, n),
           .theirs = {}});
      theirs.push_back(&chosen->second);
    }
  }
  oneapi::tbb::parallel_for(std::size_t{0}, contests.size(),
                            [&](std::size_t i) { contests[i].theirs = quickest(*theirs[i]); });
  return contests;
}

}  // namespace hipsight::bench
