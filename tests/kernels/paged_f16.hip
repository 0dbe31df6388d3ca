// Sizes of heads.
#include "every_instance.h"
#include "paged_instances.h"

using namespace hipsight::kernels;

std::string run_paged_f16(const PagedCase& test, const void* queries, const void* keys,
                          const void* values, void* results) {
  std::string error = "no such kernel here";
  const auto* q = static_cast<const f16*>(queries);
  auto* o = static_cast<f16*>(results);
  if (test.cap != 0) return error;
  if (test.sinks) {
    run_if<64, f16>(test, CacheType::same, q, keys, values, o, error, Sinks{test.sinks});
    return error;
  }
  any_of(EveryHeadOr<64, 128>(),
         [&](auto head) {
           return run_if<head, f16>(test, CacheType::same, q, keys, values, o, error);
         }) ||
      any_of(EveryHeadOr<64>(), [&](auto head) {
        return run_if<head, fp8_e4m3>(test, CacheType::fp8_e4m3, q, keys, values, o, error);
      });
  return error;
}

std::size_t paged_workspace_f16(const PagedCase& test, const void* queries, const void* keys,
                                const void* values, void* results) {
  return with_arguments<128, 128>(
      test, static_cast<const f16*>(queries), static_cast<const f16*>(keys),
      static_cast<const f16*>(values), static_cast<f16*>(results),
      [](const auto& q, const auto& cache, const auto& o, const auto& options) {
        return paged_attention_workspace(q, cache, o, options);
      });
}
