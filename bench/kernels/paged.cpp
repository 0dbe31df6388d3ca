// Attention to a paged cache in bf16, heads of 128, one query of each sequence: how much of what
// the memory can give it is predicted to reach, keys and values read once, and the launch.
#include <fmt/format.h>

#include <cmath>

#include "gpus/gpu.h"
#include "kernels.h"
#include "report.h"

namespace hipsight::bench {
namespace {

struct Model {
  const char* name;
  int heads, key_heads;
};
constexpr Model models[] = {{"Llama-3 8B", 32, 8}, {"Llama-3 70B and Qwen-3 32B", 64, 8}};

struct Cache {
  const char* type;
  int bytes;
};
constexpr Cache caches[] = {{"bf16", 2}, {"fp8", 1}};

constexpr int batches = 16, keys = 4096, head = 128;

}  // namespace

void add_paged_attention(const std::string& gpu, std::vector<Row>& rows) {
  const gpus::Gpu& known = gpus::find(gpu);
  for (const Model& model : models)
    for (const Cache& cache : caches) {
      const auto all = report("predict --sampled-only --sample 16", gpu,
                              fmt::format("kernels_paged_launch {} {} {} {} {}", cache.type,
                                          batches, model.heads, model.key_heads, keys));
      const KernelReport& kernel = first(all);
      const double seconds = predicted_seconds(all);  // of both kernels
      const double bytes = 2.0 * cache.bytes * batches * model.key_heads * keys * head;
      const double limit = bytes / memory_bytes_per_second(known) + launch_seconds(known);
      rows.push_back(of_limit(fmt::format("{}, decoding, {}, {} cache, {}", gpu, model.name,
                                          cache.type, kernel.prediction->bound.sentence),
                              limit, seconds, {"GB/s", bytes / seconds / 1e9}, kernel));
    }
}

}  // namespace hipsight::bench
