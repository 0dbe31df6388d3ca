// GEMMs in bf16 and fp8: how much of what the GPU can reach they are predicted to. That is the
// longer of the matrix units, at the load where the clock leaves them most, and of memory,
// everything once; and the launch.
#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "kernels.h"
#include "report.h"

namespace hipsight::bench {
namespace {

struct Shape {
  std::string name;
  long m, n, k;
  std::string type = "bf16";
  bool in_blocks = false;  // with factors of blocks of 128
};

/// The weights of a model, N x K, as they are multiplied: those that read the same are one.
struct Layer {
  const char *model, *name;
  long n, k;
};
constexpr std::string_view deepseek = "DeepSeek-V3";
constexpr Layer layers[] = {
    {"Llama-3 8B", "q k v", 6144, 4096},
    {"Llama-3 8B", "o", 4096, 4096},
    {"Llama-3 8B", "gate up", 28672, 4096},
    {"Llama-3 8B", "down", 4096, 14336},
    {"Llama-3 70B", "q k v", 10240, 8192},
    {"Llama-3 70B", "o", 8192, 8192},
    {"Llama-3 70B", "gate up", 57344, 8192},
    {"Llama-3 70B", "down", 8192, 28672},
    {"Qwen-3 32B", "q k v", 10240, 5120},
    {"Qwen-3 32B", "o", 5120, 8192},
    {"Qwen-3 32B", "gate up", 51200, 5120},
    {"Qwen-3 32B", "down", 5120, 25600},
    {"DeepSeek-V3", "q and kv, down", 2112, 7168},
    {"DeepSeek-V3", "q, up", 24576, 1536},
    {"DeepSeek-V3", "kv, up", 32768, 512},
    {"DeepSeek-V3", "o", 7168, 16384},
    {"DeepSeek-V3", "expert's gate up", 4096, 7168},
    {"DeepSeek-V3", "expert's down", 7168, 2048},
};

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const long edge : {1024, 2048, 4096, 8192, 16384})
    for (const std::string type : {"bf16", "fp8"})
      all.push_back({fmt::format("square {}, {}", edge, type), edge, edge, edge, type});
  for (const long tokens : {2048, 16})
    for (const Layer& layer : layers)
      all.push_back({fmt::format("{}, {} tokens, {}", layer.model, tokens, layer.name), tokens,
                     layer.n, layer.k});
  for (const long tokens : {2048, 16})  // as DeepSeek-V3 itself multiplies
    for (const Layer& layer : layers)
      if (layer.model == deepseek)
        all.push_back(
            {fmt::format("{}, {} tokens, {}, fp8 in blocks", layer.model, tokens, layer.name),
             tokens, layer.n, layer.k, "fp8", true});
  return all;
}

double flop(const Shape& s) {
  return 2.0 * s.m * s.n * s.k;
}

/// Seconds that the GPU needs for it at least.
double limit(const gpus::Gpu& gpu, const Shape& s) {
  const double operand = s.type == "fp8" ? 1 : 2;
  const double factors = s.in_blocks ? 4.0 * (s.m + s.n / 128.0) * (s.k / 128.0) : 0;
  const double bytes = operand * (s.m * s.k + s.n * s.k) + factors + 2.0 * s.m * s.n;
  return std::max(flop(s) / matrix_rate(gpu, s.type), bytes / memory_bytes_per_second(gpu)) +
         launch_seconds(gpu);
}

Row row_of(const std::string& gpu, const Shape& s) {
  const auto all = report(
      "predict --sampled-only " + observed_of_gemm(s.m, s.n), gpu,
      fmt::format("kernels_{} {} {} {}",
                  s.in_blocks ? "block_gemm_launch" : "gemm_launch " + s.type, s.m, s.n, s.k));
  const KernelReport& kernel = first(all);
  const double seconds = predicted_seconds(all);  // of all kernels, where the depth is split
  return {.name = fmt::format("{}, {}, {}", gpu, s.name, kernel.prediction->bound.sentence),
          .value = 100 * limit(gpus::find(gpu), s) / seconds,
          .unit = "% of the limit",
          .floor = NAN,
          .aim = NAN,
          .beside = {{"us", seconds * 1e6},
                     {"TFLOPS", flop(s) / seconds / 1e12},
                     {"% matrix unit", percent_busy(kernel, "matrix unit")},
                     {"conflict cycles", kernel.profile->all.lds_conflict_cycles},
                     {"VGPRs", double(kernel.kernel.vgprs)},
                     {"spills", double(kernel.kernel.vgpr_spills)}}};
}

}  // namespace

std::string observed_of_gemm(long m, long n) {
  constexpr long smallest_tile = 64 * 64, most_compute_units = 304;
  const int workgroups = m * n <= most_compute_units * smallest_tile ? 512 : 16;
  return fmt::format("--sample {} --threads 1", workgroups);
}

void add_gemms(const std::string& gpu, std::vector<Row>& rows) {
  std::vector<Shape> all = shapes();
  std::erase_if(all,
                [&](const Shape& s) { return std::isnan(matrix_rate(gpus::find(gpu), s.type)); });
  std::vector<Row> found(all.size());
  oneapi::tbb::parallel_for(std::size_t{0}, all.size(),
                            [&](std::size_t i) { found[i] = row_of(gpu, all[i]); });
  rows.insert(rows.end(), found.begin(), found.end());
}

}  // namespace hipsight::bench
