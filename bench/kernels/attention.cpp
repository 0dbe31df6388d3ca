// Attention in bf16, heads of 128, 16 of them, 16,384 queries in all: how much of what matrix units
// can do it is predicted to reach, if beside them nothing but one exponential a score is computed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels.h"
#include "report.h"

namespace hipsight::bench {
namespace {

constexpr double tokens = 16384, heads = 16, head = 128;

struct Shape {
  int length;
  bool causal;
};
constexpr Shape shapes[] = {{1024, true},  {4096, true},  {16384, true},
                            {1024, false}, {4096, false}, {16384, false}};

/// Scores that count: causal, half of them.
double scores(const Shape& s) {
  return tokens * heads * s.length * (s.causal ? 0.5 : 1);
}

/// Two products.
double flop(const Shape& s) {
  return 4 * head * scores(s);
}

double limit(const gpus::Gpu& gpu, const Shape& s) {
  const double lanes = gpu.wavefront_size * gpu.simds_per_cu;
  const double exponentials = lanes / gpu.transcendental_cycles.value_or(NAN);  // a clock
  const gpus::Gpu::Rate* rate = gpu.rate("bf16");
  const double products = rate ? rate->matrix.value_or(NAN) : NAN;  // the same
  const double beside = products / (4 * head) / exponentials;
  return flop(s) / matrix_rate(gpu, beside) + launch_seconds(gpu);
}

}  // namespace

void add_attention(const std::string& gpu, std::vector<Row>& rows) {
  for (const Shape& s : shapes) {
    // A prime number of workgroups: of all blocks of queries, which causal ones differ by.
    const auto all = report("predict --sampled-only --sample 61", gpu,
                            fmt::format("kernels_attention_launch {}bf16 {} 16 16 {}",
                                        s.causal ? "--causal " : "", 16384 / s.length, s.length));
    const auto& kernel = all.at("kernels").at(0);
    const auto& prediction = kernel.at("prediction");
    const double seconds = prediction.at("seconds");
    const auto& used = kernel.at("resources");
    rows.push_back(
        {.name = fmt::format("{}, {}attention of {}, {}", gpu, s.causal ? "causal " : "", s.length,
                             prediction.at("bound").get<std::string>()),
         .value = 100 * limit(gpus::find(gpu), s) / seconds,
         .unit = "% of the limit",
         .floor = NAN,
         .aim = NAN,
         .beside = {
             {"us", seconds * 1e6},
             {"TFLOPS", flop(s) / seconds / 1e12},
             {"% matrix unit", prediction.at("busy").at("matrix_unit").get<double>() * 100},
             {"% vector unit", prediction.at("busy").at("vector_unit").get<double>() * 100},
             {"conflict cycles", kernel.at("profile").at("all").at("lds_cycles").at("conflicts")},
             {"VGPRs", used.at("vgprs")},
             {"spills", used.at("vgpr_spills")}}});
  }
}

}  // namespace hipsight::bench
