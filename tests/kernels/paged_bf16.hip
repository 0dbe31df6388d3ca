// The size of most models' heads, with all types of caches.
#include "paged_instances.h"

using namespace hipsight::kernels;

std::string run_paged_bf16(const PagedCase& test, const void* queries, const void* keys,
                           const void* values, void* results) {
  std::string error = "no such kernel here";
  const auto* q = static_cast<const bf16*>(queries);
  auto* o = static_cast<bf16*>(results);
  run_if<128, bf16>(test, CacheType::same, q, keys, values, o, error) ||
      run_if<128, fp8_e4m3>(test, CacheType::fp8_e4m3, q, keys, values, o, error) ||
      run_if<128, fp8_e4m3_fnuz>(test, CacheType::fp8_e4m3_fnuz, q, keys, values, o, error);
  return error;
}
