// The gradients of attention in bf16; heads of 128, and of 64, 16 of them with 16,384 queries in
// all, and a model's: how much of what matrix units can do they are predicted to reach, for the
// five products that are needed at least.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels.h"
#include "report.h"

namespace hipsight::bench {
namespace {

/// Of as many keys as queries.
struct Shape {
  std::string name;
  int head;
  bool causal;
  int batches, heads, key_heads, length;
};

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const bool causal : {false, true})
    for (const int length : {1024, 4096, 16384})
      for (const int head : {128, 64})
        if (head == 128 || length == 4096)
          all.push_back(
              {fmt::format("{}gradients of {}, heads of {}", causal ? "causal " : "", length, head),
               head, causal, 16384 / length, 16, 16, length});
  all.push_back({"gradients of 8192, Llama-3 8B", 128, true, 1, 32, 8, 8192});
  return all;
}

double flop(const Shape& s) {
  const double keys = s.causal ? (s.length + 1) / 2.0 : s.length;
  return 10.0 * s.head * s.batches * s.heads * s.length * keys;
}

}  // namespace

void add_attention_backward(const std::string& gpu, std::vector<Row>& rows) {
  const gpus::Gpu& known = gpus::find(gpu);
  for (const Shape& s : shapes()) {
    // Workgroups of causal attention differ.
    const auto all = report(
        fmt::format("predict --sampled-only --sample {}", s.causal ? 512 : 1), gpu,
        fmt::format("kernels_backward_launch {}bf16 {} {} {} {} {}", s.causal ? "--causal " : "",
                    s.head, s.batches, s.heads, s.length, s.key_heads));
    const double seconds = predicted_seconds(all);
    double conflicts = 0;
    unsigned spills = 0;
    std::string bounds;
    for (const KernelReport& kernel : all.kernels) {
      conflicts += kernel.profile.value().all.lds_conflict_cycles;
      spills += kernel.kernel.vgpr_spills;
      bounds += (bounds.empty() ? "" : " / ") + kernel.prediction->bound.sentence;
    }
    const double work = flop(s), limit = work / matrix_rate(known, "bf16") + launch_seconds(known);
    rows.push_back({.name = fmt::format("{}, {}, {}", gpu, s.name, bounds),
                    .value = 100 * limit / seconds,
                    .unit = "% of the limit",
                    .floor = NAN,
                    .aim = NAN,
                    .beside = {{"us", seconds * 1e6},
                               {"TFLOPS", work / seconds / 1e12},
                               {"conflict cycles", conflicts},
                               {"spills", double(spills)}}});
  }
}

}  // namespace hipsight::bench
