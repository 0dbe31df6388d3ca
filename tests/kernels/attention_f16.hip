// All sizes of heads.
#include "attention_instances.h"
#include "every_instance.h"

using namespace hipsight::kernels;

std::string run_attention_f16(const AttentionCase& test, const void* q, const void* k,
                              const void* v, void* o, float* log_sums) {
  if (test.cap != 0) return "no such kernel here";
  if (test.sinks) {
    if (test.head != 64) return "no such kernel here";
    const auto values = [](const void* data) { return static_cast<const f16*>(data); };
    return run_attention<64>(test, values(q), values(k), values(v), static_cast<f16*>(o), log_sums,
                             Sinks{test.sinks});
  }
  return run_one_of<f16>(AllHeads(), test, q, k, v, o, log_sums);
}
