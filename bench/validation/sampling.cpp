#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "report.h"
#include "validation/profile_run.h"
#include "validation/validation.h"

namespace hipsight::bench {
namespace {

/// Of build/bench. Alike workgroups and such that differ, few and many, in one round and in many.
constexpr const char* programs[] = {"../examples/sgemm 1024",
                                    "../examples/reduction 16000000",
                                    "../examples/transpose 4096",
                                    "../examples/histogram 4000000",
                                    "../examples/flash_attention --causal 16 2048",
                                    "../examples/router 2000 60 520",
                                    "kernels_gemm_launch bf16 2048 4096 1024",
                                    "kernels_attention_launch --causal bf16 128 1 16 2048",
                                    "stream 256 4 2000000"};  // no program: stream.hip

/// What a prediction is made of.
struct Part {
  std::uint32_t sample = usual_sample;  ///< workgroups
  std::uint64_t simulate = 20'000'000;  ///< instructions, as ever
};

std::vector<KernelReport> ran(const char* gpu, const std::string& program, const Part& part) {
  if (program.starts_with("stream"))
    return stream_launches(gpu, {256, 4, 2'000'000},
                           {.profile = part.sample, .simulate = part.simulate});
  return report(fmt::format("profile --sample {} --simulate {}", part.sample, part.simulate), gpu,
                program)
      .kernels;
}

/// Predicted seconds of each kernel, and how long that took.
struct Taken {
  std::vector<double> kernels;
  double seconds;
};
Taken predicted(const char* gpu, const char* program, const Part& part) {
  const auto begin = std::chrono::steady_clock::now();
  Taken taken;
  for (const KernelReport& kernel : ran(gpu, program, part))
    taken.kernels.push_back(Predicted(kernel).work());
  taken.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return taken;
}

}  // namespace

std::vector<SamplingError> sampling_errors() {
  std::vector<SamplingError> errors;
  fmt::print("{:11} {:52} {:>10} {:>14} {:>14} {:>14}\n", "sampling", "", "whole", "as ever",
             "16 observed", "1 M simulated");
  for (const char* gpu : {"mi300x", "rx7900xtx"}) {
    for (const char* program : programs) {
      const Taken whole = predicted(gpu, program, {1 << 20, 1'000'000'000'000}),
                  usual = predicted(gpu, program, {}),
                  few = predicted(gpu, program, {.sample = 16}),
                  begin = predicted(gpu, program, {.simulate = 1'000'000});
      for (std::size_t k = 0; k < whole.kernels.size(); ++k) {
        const auto off = [&](const Taken& t) {
          return 100 * (t.kernels.at(k) / whole.kernels[k] - 1);
        };
        errors.push_back({off(usual), off(few), off(begin)});
        fmt::print(
            "{:11} {:52} {:7.1f} us {:+6.1f} %, {:3.0f} s {:+6.1f} %, {:3.0f} s {:+6.1f} %\n", gpu,
            fmt::format("{} ({:.0f} s)", program, whole.seconds), whole.kernels[k] * 1e6,
            off(usual), usual.seconds, off(few), few.seconds, off(begin));
      }
    }
  }
  return errors;
}

}  // namespace hipsight::bench
