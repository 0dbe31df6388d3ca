// The size of most models' heads, with all types of caches.
#include "every_instance.h"
#include "paged_instances.h"

using namespace hipsight::kernels;

std::string run_paged_bf16(const PagedCase& test, const void* queries, const void* keys,
                           const void* values, void* results) {
  std::string error = "no such kernel here";
  const auto* q = static_cast<const bf16*>(queries);
  auto* o = static_cast<bf16*>(results);
  any_of(EveryHeadOr<128>(), [&](auto head) {
    return run_if<head, bf16>(test, CacheType::same, q, keys, values, o, error) ||
           run_if<head, fp8_e4m3>(test, CacheType::fp8_e4m3, q, keys, values, o, error) ||
           run_if<head, fp8_e4m3_fnuz>(test, CacheType::fp8_e4m3_fnuz, q, keys, values, o, error);
  });
  return error;
}
