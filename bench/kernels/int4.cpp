// GEMMs in f16 of weights in 4 bits, groups of 128: how much of what the GPU can reach they are
// predicted to. That is the longer of the matrix units and of memory, all of it once; and the
// launch.
#include <fmt/format.h>

#include <algorithm>

#include "kernels.h"
#include "report.h"

namespace hipsight::bench {
namespace {

/// The weights of a model, N x K.
struct Layer {
  const char* name;
  long n, k;
};
constexpr Layer layers[] = {{"Llama-3 8B, gate up", 28672, 4096},
                            {"Llama-3 8B, down", 4096, 14336},
                            {"Llama-3 70B, q k v", 10240, 8192},
                            {"Llama-3 70B, down", 8192, 28672}};
constexpr long group = 128;

}  // namespace

void add_int4_gemms(const std::string& gpu, std::vector<Row>& rows) {
  const gpus::Gpu& known = gpus::find(gpu);
  for (const long tokens : {1, 16, 64, 2048})
    for (const Layer& l : layers) {
      const auto all =
          report("predict " + observed_of_gemm(tokens, l.n), gpu,
                 fmt::format("kernels_int4_launch {} {} {} {}", tokens, l.n, l.k, group));
      const KernelReport& kernel = first(all);
      const double seconds = predicted_seconds(all);
      const double flop = 2.0 * double(tokens) * double(l.n) * double(l.k);
      const double weights = double(l.n) * double(l.k) * (0.5 + 4.0 / group);
      const double bytes = weights + 2.0 * double(tokens) * double(l.k + l.n);
      const double limit =
          std::max(flop / matrix_rate(known, "f16"), bytes / memory_bytes_per_second(known)) +
          launch_seconds(known);
      rows.push_back(of_limit(fmt::format("{}, {} tokens, {}, {}", gpu, tokens, l.name,
                                          kernel.prediction->bound.sentence),
                              limit, seconds, {"TB/s of weights", weights / seconds / 1e12},
                              kernel));
    }
}

}  // namespace hipsight::bench
