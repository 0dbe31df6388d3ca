// Operations on rows: how much of what the memory can give they are predicted to reach, everything
// read and written once, and the launch.
#include <fmt/format.h>

#include <cmath>

#include "gpus/gpu.h"
#include "kernels.h"
#include "report.h"

namespace hipsight::bench {
namespace {

struct Operation {
  const char *name, *word;
  double bytes;  // of memory, for each value
};
constexpr Operation operations[] = {
    {"RMSNorm", "rms_norm", 4},
    {"RMSNorm of a sum, to fp8", "rms_norm_quantised", 7},
    {"LayerNorm", "layer_norm", 4},
    {"softmax", "softmax", 4},
    {"SiLU-mul", "silu_mul", 6},
    {"to int8 by token", "quantise", 3},
    {"RoPE", "rope", 4},
    {"RMSNorm's gradients", "rms_norm_backward", 6},
    {"SiLU-mul's gradients", "silu_mul_backward", 10},
    {"cross-entropy and its gradient", "cross_entropy", 4},
    {"AdamW, with parameters in f32", "adamw", 28},
};

struct Shape {
  long rows, columns;
};
constexpr Shape shapes[] = {{16384, 4096}, {4096, 8192}, {16, 4096}};

}  // namespace

void add_rows(const std::string& gpu, std::vector<Row>& rows) {
  const gpus::Gpu& known = gpus::find(gpu);
  for (const Operation& operation : operations)
    for (const Shape& s : shapes) {
      const auto all =
          report("predict --sampled-only --sample 16", gpu,
                 fmt::format("kernels_rows_launch {} {} {}", operation.word, s.rows, s.columns));
      const KernelReport& kernel = first(all);
      const double seconds = predicted_seconds(all);
      const double bytes = operation.bytes * static_cast<double>(s.rows * s.columns);
      const double limit = bytes / memory_bytes_per_second(known) + launch_seconds(known);
      rows.push_back({.name = fmt::format("{}, {}, {} x {}, {}", gpu, operation.name, s.rows,
                                          s.columns, kernel.prediction->bound.sentence),
                      .value = 100 * limit / seconds,
                      .unit = "% of the limit",
                      .floor = NAN,
                      .aim = NAN,
                      .beside = {{"us", seconds * 1e6},
                                 {"GB/s", bytes / seconds / 1e9},
                                 {"VGPRs", double(kernel.kernel.vgprs)},
                                 {"spills", double(kernel.kernel.vgpr_spills)}}});
    }
}

}  // namespace hipsight::bench
