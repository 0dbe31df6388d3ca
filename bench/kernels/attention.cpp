// Attention in bf16, heads of 128 (DeepSeek's: 192, with values of 128); 16 of them with 16,384
// queries in all, and a model's: how much of what matrix units can do it is predicted to reach, if
// beside them nothing but one exponential a score is computed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels.h"
#include "report.h"

namespace hipsight::bench {
namespace {

constexpr int lengths[] = {1024, 2048, 4096, 8192, 16384};

/// Of as many keys as queries.
struct Shape {
  std::string name;
  bool causal;
  int batches, heads, key_heads, length, head = 128, value_head = 128;

  /// Of a query and a key: two products.
  double flop_of_score() const { return 2.0 * (head + value_head); }
};

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const bool causal : {false, true})
    for (const int length : lengths)
      all.push_back({fmt::format("{}attention of {}", causal ? "causal " : "", length), causal,
                     16384 / length, 16, 16, length});
  all.push_back({"prefill of 8192, Llama-3 8B", true, 1, 32, 8, 8192});
  all.push_back({"prefill of 4096, DeepSeek-V3", true, 1, 128, 128, 4096, 192});
  return all;
}

/// Of each query with the keys that it sees.
double flop(const Shape& s) {
  const double keys = s.causal ? (s.length + 1) / 2.0 : s.length;
  return s.flop_of_score() * s.batches * s.heads * s.length * keys;
}

double limit(const gpus::Gpu& gpu, const Shape& shape) {
  const double lanes = gpu.wavefront_size * gpu.simds_per_cu;
  const double exponentials = lanes / gpu.transcendental_cycles.value_or(NAN);  // a clock
  const gpus::Gpu::Rate* rate = gpu.rate("bf16");
  const double products = rate ? rate->matrix.value_or(NAN) : NAN;  // the same
  const double beside = products / shape.flop_of_score() / exponentials;
  return flop(shape) / matrix_rate(gpu, "bf16", beside) + launch_seconds(gpu);
}

}  // namespace

void add_attention(const std::string& gpu, std::vector<Row>& rows) {
  for (const Shape& s : shapes()) {
    // Workgroups of causal attention differ.
    const auto all = report(
        fmt::format("predict --sampled-only --sample {}", s.causal ? 512 : 1), gpu,
        fmt::format("kernels_attention_launch {}bf16 {} {} {} {} {}", s.causal ? "--causal " : "",
                    s.head, s.batches, s.heads, s.length, s.key_heads));
    const KernelReport& kernel = first(all);
    const double seconds = kernel.prediction->seconds, work = flop(s);
    rows.push_back(
        {.name = fmt::format("{}, {}, {}", gpu, s.name, kernel.prediction->bound.sentence),
         .value = 100 * limit(gpus::find(gpu), s) / seconds,
         .unit = "% of the limit",
         .floor = NAN,
         .aim = NAN,
         .beside = {{"us", seconds * 1e6},
                    {"TFLOPS", work / seconds / 1e12},
                    {"% matrix unit", percent_busy(kernel, "matrix unit")},
                    {"% vector unit", percent_busy(kernel, "vector unit")},
                    {"conflict cycles", kernel.profile->all.lds_conflict_cycles},
                    {"VGPRs", double(kernel.kernel.vgprs)},
                    {"spills", double(kernel.kernel.vgpr_spills)}}});
  }
}

}  // namespace hipsight::bench
