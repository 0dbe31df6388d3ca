// All sizes of heads.
#include "paged_instances.h"

using namespace hipsight::kernels;

std::string run_paged_f16(const PagedCase& test, const void* queries, const void* keys,
                          const void* values, void* results) {
  std::string error = "no such kernel here";
  const auto* q = static_cast<const f16*>(queries);
  auto* o = static_cast<f16*>(results);
  const auto try_one = [&]<int head>(std::integral_constant<int, head>) {
    return run_if<head, f16>(test, CacheType::same, q, keys, values, o, error);
  };
  const auto try_all = [&]<int... heads>(std::integer_sequence<int, heads...>) {
    return (try_one(std::integral_constant<int, heads>()) || ...);
  };
  if (!try_all(std::integer_sequence<int, 64, 96, 128, 192, 256>()))
    run_if<64, fp8_e4m3>(test, CacheType::fp8_e4m3, q, keys, values, o, error);
  return error;
}

std::size_t paged_workspace_f16(const PagedCase& test, const void* queries, const void* keys,
                                const void* values, void* results) {
  return with_arguments<128>(
      test, static_cast<const f16*>(queries), static_cast<const f16*>(keys),
      static_cast<const f16*>(values), static_cast<f16*>(results),
      [](const auto& q, const auto& cache, const auto& o, const auto& options) {
        return paged_attention_workspace(q, cache, o, options);
      });
}
