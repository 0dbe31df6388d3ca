// What the kernel library is predicted to take, and how much of what the GPU can reach that is. For
// GEMMs, in bf16: the longer of the matrix units, at the load where the clock leaves them most, and
// of memory, everything once; and the launch.
#include "kernels/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpus/gpu.h"
#include "report.h"
#include "table.h"

namespace hipsight::bench {
namespace {

struct Shape {
  const char* name;
  long m, n, k;
};
constexpr Shape shapes[] = {
    {"square 1024", 1024, 1024, 1024},
    {"square 2048", 2048, 2048, 2048},
    {"square 4096", 4096, 4096, 4096},
    {"square 8192", 8192, 8192, 8192},
    {"Llama-3 8B, 2048 tokens, q k v", 2048, 6144, 4096},
    {"Llama-3 8B, 2048 tokens, gate up", 2048, 28672, 4096},
    {"Llama-3 8B, 2048 tokens, down", 2048, 4096, 14336},
    {"Llama-3 8B, 16 tokens, gate up", 16, 28672, 4096},
};

double flop(const Shape& s) {
  return 2.0 * s.m * s.n * s.k;
}

/// Seconds that the GPU needs for it at least.
double limit(const gpus::Gpu& gpu, const Shape& s) {
  const double bytes = 2.0 * (s.m * s.k + s.n * s.k + s.m * s.n);
  return std::max(flop(s) / matrix_rate(gpu), bytes / memory_bytes_per_second(gpu)) +
         launch_seconds(gpu);
}

void add_gemms(const char* name, std::vector<Row>& rows) {
  for (const Shape& s : shapes) {
    const auto all = report("predict --sampled-only --sample 16", name,
                            fmt::format("kernels_gemm_launch {} {} {}", s.m, s.n, s.k));
    const auto& kernel = all.at("kernels").at(0);
    double seconds = 0;  // of all kernels, where the depth is split
    for (const auto& one : all.at("kernels"))
      seconds += one.at("prediction").at("seconds").get<double>();
    const auto& used = kernel.at("resources");
    rows.push_back(
        {.name = fmt::format("{}, {}", name, s.name),
         .value = 100 * limit(gpus::find(name), s) / seconds,
         .unit = "% of the limit",
         .floor = NAN,
         .aim = NAN,
         .beside = {
             {"us", seconds * 1e6},
             {"TFLOPS", flop(s) / seconds / 1e12},
             {"% matrix unit",
              kernel.at("prediction").at("busy").at("matrix_unit").get<double>() * 100},
             {"conflict cycles", kernel.at("profile").at("all").at("lds_cycles").at("conflicts")},
             {"VGPRs", used.at("vgprs")},
             {"spills", used.at("vgpr_spills")}}});
  }
}

int run(const std::string& json) {
  std::vector<Row> rows;
  for (const char* gpu : {"mi210", "mi300x", "mi355x", "rx7900xtx", "rx9070xt"}) {
    add_gemms(gpu, rows);
    add_attention(gpu, rows);
    add_paged_attention(gpu, rows);
    add_rows(gpu, rows);
  }
  return publish(rows, json);
}

}  // namespace

double matrix_rate(const gpus::Gpu& gpu, double beside) {
  const gpus::Gpu::Rate* rate = gpu.rate("bf16");
  const double per_clock = rate ? rate->matrix.value_or(NAN) * gpu.compute_units : NAN;
  const double loaded = gpu.matrix_clock_ghz.value_or(gpu.clock_ghz);
  double best = 0;
  for (int percent = 1; percent <= 100; ++percent) {
    const double busy = percent / 100.0 / std::max(1.0, beside);
    const double load = std::min(1.0, busy * (1 + std::min(1.0, beside)));  // docs/timing.md
    best = std::max(best, busy * (gpu.clock_ghz - (gpu.clock_ghz - loaded) * load));
  }
  return per_clock * best * 1e9;
}

double memory_bytes_per_second(const gpus::Gpu& gpu) {
  return gpu.dram_gb_per_s_measured.value_or(0.8 * gpu.dram_gb_per_s) * 1e9;
}

double launch_seconds(const gpus::Gpu& gpu) {
  return gpu.launch_us.value_or(2) * 1e-6;
}
}  // namespace hipsight::bench

int main(int argc, char** argv) {
  return hipsight::bench::main_of(argc, argv, hipsight::bench::run);
}
