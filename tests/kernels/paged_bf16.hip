// The size of most models' heads, with caches of the same type and of the GPU's own 8 bits.
#include "every_instance.h"
#include "paged_instances.h"

using namespace hipsight::kernels;

std::string run_paged_bf16(const PagedCase& test, const void* queries, const void* keys,
                           const void* values, void* results) {
  std::string error = "no such kernel here";
  const auto* q = static_cast<const bf16*>(queries);
  auto* o = static_cast<bf16*>(results);
  if (test.sinks) return error;
  if (test.cap != 0) {
    run_if<128, bf16>(test, CacheType::same, q, keys, values, o, error, SoftCap{test.cap});
    return error;
  }
  // Latents (MLA), of which the first 512 elements are also the values.
  if (run_if<576, bf16, 512>(test, CacheType::same, q, keys, values, o, error)) return error;
  any_of(EveryHeadOr<128>(), [&](auto head) {
    const auto run_own = [&]<class Cached>(CacheType type) {
      if constexpr (builds_fp8<Cached>)
        return run_if<head, Cached>(test, type, q, keys, values, o, error);
      return false;
    };
    return run_if<head, bf16>(test, CacheType::same, q, keys, values, o, error) ||
           run_own.template operator()<fp8_e4m3>(CacheType::fp8_e4m3) ||
           run_own.template operator()<fp8_e4m3_fnuz>(CacheType::fp8_e4m3_fnuz);
  });
  return error;
}
