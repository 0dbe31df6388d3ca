// The layers of mixtures of experts in bf16: how much of what the GPU can reach they are predicted
// to. That is the longer of the matrix units and of memory, the weights of the experts that have
// tokens once; and the launch.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels.h"
#include "report.h"

namespace hipsight::bench {
namespace {

/// An expert's weights, N x K.
struct Layer {
  const char* name;
  int top, experts;
  long n, k;
  bool in_order;  ///< its rows are another layer's results; else tokens, gathered
};
constexpr Layer layers[] = {
    {"Mixtral 8x7B, gate up", 2, 8, 28672, 4096, false},
    {"Mixtral 8x7B, down", 2, 8, 4096, 14336, true},
    {"Qwen-3 30B-A3B, gate up", 8, 128, 1536, 2048, false},
    {"Qwen-3 30B-A3B, down", 8, 128, 2048, 768, true},
    {"DeepSeek-V3, gate up", 8, 256, 4096, 7168, false},
    {"DeepSeek-V3, down", 8, 256, 7168, 2048, true},
};

}  // namespace

void add_grouped_gemms(const std::string& gpu, std::vector<Row>& rows) {
  const gpus::Gpu& known = gpus::find(gpu);
  for (const int tokens : {4096, 16})
    for (const Layer& l : layers) {
      const auto all =
          report("predict --sampled-only --sample 64", gpu,
                 fmt::format("kernels_grouped_launch {}{} {} {} {} {}",
                             l.in_order ? "--in-order " : "", tokens, l.top, l.experts, l.n, l.k));
      const KernelReport& kernel = first(all);
      const double seconds = kernel.prediction->seconds, count = double(tokens) * l.top;
      const double flop = 2 * count * l.n * l.k;
      // Of any experts, as likely as others, so many have tokens.
      const double share = 1 - std::pow(1 - double(l.top) / l.experts, tokens);
      const double bytes =
          2 * (share * l.experts * l.n * l.k + (l.in_order ? count : tokens) * l.k + count * l.n);
      const double limit =
          std::max(flop / matrix_rate(known, "bf16"), bytes / memory_bytes_per_second(known)) +
          launch_seconds(known);
      rows.push_back(of_limit(fmt::format("{}, {}, {} tokens, {}", gpu, l.name, tokens,
                                          kernel.prediction->bound.sentence),
                              limit, seconds, {"TFLOPS", flop / seconds / 1e12}, kernel));
    }
}

}  // namespace hipsight::bench
